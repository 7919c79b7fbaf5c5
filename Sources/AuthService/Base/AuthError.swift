internal import RPCKit
internal import ServiceKit

extension ErrorCatalog {
  /// The errors of AuthService.
  static let auth = ErrorCatalog(domain: "gatehouse.auth")
}

/// Errors that calls of several features end with.
enum AuthError {
  static let userNotFound = ErrorCatalog.auth.notFound("USER_NOT_FOUND", "user not found")

  static let sessionEnded = ErrorCatalog.auth.unauthenticated(
    "SESSION_ENDED",
    "the session has ended; sign in again"
  )

  /// Unknown address, wrong password, an account without one, or too many attempts: all the same.
  static let invalidCredentials = ErrorCatalog.auth.unauthenticated(
    "INVALID_CREDENTIALS",
    "the e-mail address or the password is wrong, or there were too many attempts"
  )

  /// The same for addresses that have an account and those that have none.
  static func tooManyAttempts(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "TOO_MANY_ATTEMPTS",
      "too many attempts from this network address; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// For callers who know the password, and no others.
  static func accountSignsInTooOften(retryAfter: Duration) -> RPCError {
    ErrorCatalog.auth.limited(
      "ACCOUNT_SIGNS_IN_TOO_OFTEN",
      "too many sign-ins to this account; keep the session and refresh it, or "
        + "retry after the given delay",
      retryAfter: retryAfter
    )
  }

  static let emailTaken = ErrorCatalog.auth.exists(
    "EMAIL_TAKEN",
    "an account with this e-mail address exists already; sign in instead"
  )

  /// An address that mail cannot be sent to, or that hides something else.
  static func emailInvalid(field: String) -> RPCError {
    ErrorCatalog.auth.invalid(
      field,
      "EMAIL_INVALID",
      "must be an e-mail address, like ada@example.com"
    )
  }

  /// A sign-up without any name.
  static let nameRequired = ErrorCatalog.auth.invalid(
    "display_name",
    "NAME_REQUIRED",
    "is required unless there is a first_name or a last_name"
  )

  /// Another call changed a password, a PIN or the counter of a passkey between the check and the write.
  static let overtaken = ErrorCatalog.auth.conflict(
    "CALL_OVERTAKEN",
    "another call changed the password, PIN, passkey or pairing at the same time; retry",
    retryAfter: .milliseconds(100)
  )

  static let pageTokenInvalid = ErrorCatalog.auth.invalidRequest(
    "PAGE_TOKEN_INVALID",
    "this page token belongs to another caller or request; start from the first page"
  )
}
