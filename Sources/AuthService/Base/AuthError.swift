internal import RPCKit
internal import ServiceKit

/// What callers of AuthService are told when it does not do what they ask.
enum AuthError {
  static let domain = ServiceDomain.of(AuthProgram.identity.name)

  /// Unknown address, wrong password, an account without one, or too many attempts: all the same.
  static let invalidCredentials = RPCError(
    .unauthenticated,
    reason: "INVALID_CREDENTIALS",
    domain: domain,
    message: "the e-mail address or the password is wrong, or there were too many attempts"
  )

  /// A refresh token that gets nothing, for whatever reason.
  static let invalidRefreshToken = RPCError(
    .unauthenticated,
    reason: "REFRESH_TOKEN_INVALID",
    domain: domain,
    message: "the refresh token is not valid; sign in again"
  )

  /// The session was revoked while the call was on its way.
  static let sessionEnded = RPCError(
    .unauthenticated,
    reason: "SESSION_ENDED",
    domain: domain,
    message: "the session has ended; sign in again"
  )

  /// A repeated sign-in whose first answer has arrived: whoever has it refreshes it by now.
  static let sessionInUse = RPCError(
    .alreadyExists,
    reason: "SESSION_IN_USE",
    domain: domain,
    message: "the session that this idempotency key began is in use; sign in with another key"
  )

  static let emailTaken = RPCError(
    .alreadyExists,
    reason: "EMAIL_TAKEN",
    domain: domain,
    message: "an account with this e-mail address exists already; sign in instead"
  )

  /// An address that mail cannot be sent to, or that hides something else.
  static func emailInvalid(field: String) -> RPCError {
    let sentence = "must be an e-mail address, like ada@example.com"
    var error = RPCError(
      .invalidArgument,
      reason: "EMAIL_INVALID",
      domain: domain,
      message: "\(field): \(sentence)"
    )
    error.details.append(.badRequest([FieldViolation(field: field, description: sentence)]))
    return error
  }

  /// A token from a mail that is unknown, expired, used, of another mail or another account, or for an
  /// address that the account no longer has: one answer.
  static let mailTokenInvalid = RPCError(
    .invalidArgument,
    reason: "MAIL_TOKEN_INVALID",
    domain: domain,
    message: "token: does not work or no longer works; ask for a new mail"
  )

  /// The same whether or not the address has an account.
  static func tooManyMails(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_MAILS",
      domain: domain,
      message: "too many mails were asked for; look for those that were sent, or retry after the "
        + "given delay",
      retryAfter: retryAfter
    )
  }

  /// Mails cannot be sent as fast as they come.
  static let mailQueueFull = RPCError(
    .resourceExhausted,
    reason: "MAIL_QUEUE_FULL",
    domain: domain,
    message: "too many mails are waiting to be sent; retry after the given delay",
    retryAfter: .seconds(60)
  )

  /// A PIN that the policy does not take: INVALID_ARGUMENT, with the field.
  static func pinRefused(_ objection: PinPolicy.Objection, _ policy: PinPolicy) -> RPCError {
    let (reason, sentence) =
      switch objection {
      case .length: ("PIN_LENGTH", "must have \(policy.digitCount) digits")
      case .common: ("PIN_COMMON", "must not be a run, a repetition, a year or another common PIN")
      case .reused: ("PIN_REUSED", "must not be the PIN before, forwards or backwards")
      }
    var error = RPCError(
      .invalidArgument,
      reason: reason,
      domain: domain,
      message: "pin: \(sentence)"
    )
    error.details.append(.badRequest([FieldViolation(field: "pin", description: sentence)]))
    return error
  }

  static let pinNotSet = RPCError(
    .failedPrecondition,
    reason: "PIN_NOT_SET",
    domain: domain,
    message: "the account has no PIN; set one first"
  )

  /// Told to somebody who is signed in: not UNAUTHENTICATED, which makes applications discard sessions.
  static func pinInvalid(attemptsLeft: Int) -> RPCError {
    RPCError(
      .invalidArgument,
      reason: "PIN_INVALID",
      domain: domain,
      message: attemptsLeft == 0
        ? "pin: is wrong, and is disabled now; sign in again"
        : "pin: is wrong; try again (\(attemptsLeft) left)",
      metadata: ["attempts_left": "\(attemptsLeft)"]
    )
  }

  static let pinDisabled = RPCError(
    .failedPrecondition,
    reason: "PIN_DISABLED",
    domain: domain,
    message: "the PIN is disabled after too many wrong ones; sign in again to enable it"
  )

  static func tooManyPinAttempts(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_PIN_ATTEMPTS",
      domain: domain,
      message: "too many wrong PINs; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// A code of an app, or a recovery code, that is wrong or was used.
  static let codeInvalid = RPCError(
    .invalidArgument,
    reason: "CODE_INVALID",
    domain: domain,
    message: "the code is wrong or was used already; wait for the next one, or use a recovery code"
  )

  static let oneFactorNeeded = RPCError(
    .invalidArgument,
    reason: "ONE_FACTOR_NEEDED",
    domain: domain,
    message: "code and recovery_code: set one of the two"
  )

  static func tooManyCodes(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_CODES",
      domain: domain,
      message: "too many wrong codes; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// Unknown, used, expired, tried too often, or from another network: one answer.
  static let secondFactorTokenInvalid = RPCError(
    .invalidArgument,
    reason: "SECOND_FACTOR_TOKEN_INVALID",
    domain: domain,
    message: "second_factor_token: does not work or no longer works; sign in again"
  )

  /// Whoever invites has not proven an address, by which the invited person would know them.
  static let inviterUnverified = RPCError(
    .failedPrecondition,
    reason: "INVITER_UNVERIFIED",
    domain: domain,
    message: "inviter_id: has not verified an e-mail address; retry when that was done"
  )

  /// A response of a passkey that does not count, whatever is wrong with it: one answer.
  static let passkeyRefused = RPCError(
    .unauthenticated,
    reason: "PASSKEY_REFUSED",
    domain: domain,
    message: "the passkey was refused; start again, or sign in another way"
  )

  /// The same for one that was to be registered, by a caller who is signed in.
  static let passkeyRegistrationRefused = RPCError(
    .invalidArgument,
    reason: "PASSKEY_REGISTRATION_REFUSED",
    domain: domain,
    message: "the new passkey was refused; start the registration again"
  )

  static let passkeysOff = RPCError(
    .failedPrecondition,
    reason: "PASSKEYS_OFF",
    domain: domain,
    message: "passkeys are not set up here; set passkeys.relying_party_id and passkeys.origins"
  )

  static let tooManyPasskeys = RPCError(
    .failedPrecondition,
    reason: "TOO_MANY_PASSKEYS",
    domain: domain,
    message: "the account has \(PasskeyRecord.countMax) passkeys; remove one first"
  )

  static let noPasskey = RPCError(
    .failedPrecondition,
    reason: "NO_PASSKEY",
    domain: domain,
    message: "the account has no passkey; register one, or prove who you are in another way"
  )

  static let passkeyNotFound = RPCError(
    .notFound,
    reason: "PASSKEY_NOT_FOUND",
    domain: domain,
    message: "passkey not found"
  )

  /// A token of an identity provider that is wrong, old, of somebody else, for somebody else, or used: one
  /// answer.
  static let identityTokenInvalid = RPCError(
    .unauthenticated,
    reason: "IDENTITY_TOKEN_INVALID",
    domain: domain,
    message: "the identity token is not accepted; start the sign-in with the provider again"
  )

  static let providerNotFound = RPCError(
    .notFound,
    reason: "PROVIDER_NOT_FOUND",
    domain: domain,
    message: "provider not found; use one that this installation is set up for"
  )

  /// The keys of a provider cannot be had, and those that are known are not enough.
  static let providerKeysUnavailable = RPCError(
    .unavailable,
    reason: "PROVIDER_KEYS_UNAVAILABLE",
    domain: domain,
    message:
      "cannot verify the identity token, because the provider's keys cannot be fetched; retry "
      + "in a minute",
    retryAfter: .seconds(60)
  )

  /// Somebody without an account, of whom the provider tells no address.
  static let identityWithoutEmail = RPCError(
    .failedPrecondition,
    reason: "IDENTITY_WITHOUT_EMAIL",
    domain: domain,
    message:
      "the identity token has no e-mail address; sign up with an address, then link the identity"
  )

  /// An address of which there is an account that somebody else may have made.
  static let identityNotLinked = RPCError(
    .alreadyExists,
    reason: "IDENTITY_NOT_LINKED",
    domain: domain,
    message:
      "an account with this e-mail address exists already; sign in to it, then link the identity"
  )

  /// Linked to another account.
  static let identityInUse = RPCError(
    .alreadyExists,
    reason: "IDENTITY_IN_USE",
    domain: domain,
    message: "the identity is linked to another account; sign in with it and unlink it there first"
  )

  static let tooManyIdentities = RPCError(
    .failedPrecondition,
    reason: "TOO_MANY_IDENTITIES",
    domain: domain,
    message: "the account has \(LinkedIdentity.countMax) identities; unlink one first"
  )

  /// Without the identity or passkey nobody could sign in to the account.
  static let lastWayIn = RPCError(
    .failedPrecondition,
    reason: "LAST_WAY_IN",
    domain: domain,
    message:
      "this is the only way to sign in to the account; set a password, link another identity or "
      + "register another passkey first"
  )

  /// Data that is said to be a notification of a provider's.
  static let notificationInvalid = RPCError(
    .invalidArgument,
    reason: "NOTIFICATION_INVALID",
    domain: domain,
    message: "payload: is not a notification that Apple signed for this installation"
  )

  static let sessionNotFound = RPCError(
    .notFound,
    reason: "SESSION_NOT_FOUND",
    domain: domain,
    message: "session not found"
  )

  /// An operator who disables its own account could not enable it again, and the last one nobody could.
  static let cannotDisableSelf = RPCError(
    .failedPrecondition,
    reason: "CANNOT_DISABLE_SELF",
    domain: domain,
    message: "your own account cannot be disabled; ask another operator"
  )

  /// An operator wants to have a password set that could not be used.
  static let userDisabled = RPCError(
    .failedPrecondition,
    reason: "USER_DISABLED",
    domain: domain,
    message: "the account is disabled; enable it first"
  )

  /// A batch that does not begin where its run goes on, or before.
  static func importOutOfOrder(next: Int64) -> RPCError {
    RPCError(
      .failedPrecondition,
      reason: "IMPORT_OUT_OF_ORDER",
      domain: domain,
      message: "position: rows before it are missing; go on at \(next)",
      metadata: ["next_position": "\(next)"]
    )
  }

  static let userNotFound = RPCError(
    .notFound,
    reason: "USER_NOT_FOUND",
    domain: domain,
    message: "user not found"
  )

  static let emailNotVerified = RPCError(
    .failedPrecondition,
    reason: "EMAIL_NOT_VERIFIED",
    domain: domain,
    message: "the account has not verified this address"
  )

  static let pageTokenInvalid = RPCError(
    .invalidArgument,
    reason: "PAGE_TOKEN_INVALID",
    domain: domain,
    message: "this page token belongs to another caller or request; start from the first page"
  )

  /// A default on which the user has no role, or that does not exist: one answer.
  static func defaultNotFound(_ field: String) -> RPCError {
    RPCError(
      .notFound,
      reason: "DEFAULT_NOT_FOUND",
      domain: domain,
      message: "you have no role on any object of this kind",
      metadata: ["field": field]
    )
  }

  /// There is no key for tokens, and none could be made.
  static func noSigningKey(cause: any Error) -> RPCError {
    RPCError(
      .unavailable,
      reason: "NO_SIGNING_KEY",
      domain: domain,
      message: "cannot sign tokens right now; retry after the given delay",
      retryAfter: .seconds(1),
      cause: cause
    )
  }

  static func hashingOverloaded(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_SIGN_INS",
      domain: domain,
      message: "too many passwords are being checked; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// The same for addresses that have an account and those that have none.
  static func tooManyAttempts(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "TOO_MANY_ATTEMPTS",
      domain: domain,
      message: "too many attempts from this network address; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// Told only to those who know the password.
  static func accountSignsInTooOften(retryAfter: Duration) -> RPCError {
    RPCError(
      .resourceExhausted,
      reason: "ACCOUNT_SIGNS_IN_TOO_OFTEN",
      domain: domain,
      message: "too many sign-ins to this account; keep the session and refresh it, or "
        + "retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// A part of the context that another service has, and that is unavailable now.
  ///
  /// `canBePartial`: the call has a field by which the answer may do without it.
  static func contextUnavailable(
    _ part: String,
    canBePartial: Bool = false,
    cause: (any Error)?
  ) -> RPCError {
    RPCError(
      .unavailable,
      reason: "CONTEXT_UNAVAILABLE",
      domain: domain,
      message: canBePartial
        ? "part of the user's context is unavailable; retry, or set allow_partial_context"
        : "what another service knows of the user is unavailable; retry after the given delay",
      metadata: ["missing": part],
      retryAfter: .seconds(1),
      cause: cause
    )
  }

  /// A password that the policy does not take: INVALID_ARGUMENT, with the field.
  static func passwordRefused(
    _ objection: PasswordPolicy.Objection,
    field: String
  ) -> RPCError {
    let (reason, sentence) =
      switch objection {
      case .length: ("PASSWORD_LENGTH", "must have 8 characters or more, and at most 1,024 bytes")
      case .common:
        (
          "PASSWORD_COMMON",
          "must not be one of the most common passwords, or one with letters replaced"
        )
      case .partOfEmail: ("PASSWORD_PART_OF_EMAIL", "must not be part of the e-mail address")
      }
    var error = RPCError(
      .invalidArgument,
      reason: reason,
      domain: domain,
      message: "\(field): \(sentence)"
    )
    error.details.append(.badRequest([FieldViolation(field: field, description: sentence)]))
    return error
  }
}
