internal import RPCKit
internal import ServiceKit

/// The credential that a user shows with a link from a mail, where there is no session.
struct AccountCredential: Sendable {
  /// The account's password; empty for none.
  let password: String
  /// The challenge that a passkey of the account answers; empty for none.
  let ceremonyID: String
  /// The answer.
  let passkeyResponse: String
}

/// That a person who uses a link from a mail is the account's owner, and not only reads the mail.
enum AccountProof: Sendable {
  /// A session of the account.
  case session(UserIdentity)
  /// The account's password.
  case password(VerifiedPassword)
  /// A passkey of the account.
  case passkey(ProvenPasskey)
  /// Nothing was needed.
  case none
}

extension AccountsHandler {
  /// Finds out whether somebody with a token from a mail is the owner of its account, before anything is written.
  ///
  /// Throws ACCOUNT_PROOF_REQUIRED when they show nothing though it is needed. A password is admitted, counted and
  /// hashed like one at a sign-in: a token must not be a way to guess faster.
  func prove(
    _ credential: AccountCredential,
    isNeeded: @Sendable (UserRecord) -> Bool,
    for token: MailToken,
    _ call: CallContext
  ) async throws -> AccountProof {
    if let identity = call.caller.user { return .session(identity) }
    let userID = token.userID ?? ""
    let user = try await core.store.read { tx in
      try DisablementTable.find(userID, in: tx) == nil ? try UserTable.find(userID, in: tx) : nil
    }
    guard let user else { throw MailError.tokenInvalid }
    guard token.used == nil, isNeeded(user) else { return .none }
    if !credential.password.isEmpty {
      return .password(try await verify(credential.password, of: user, call))
    }
    guard !credential.ceremonyID.isEmpty else { throw AccountError.proofRequired }
    let proven = try await passkeys.prove(
      credential.passkeyResponse,
      credential.ceremonyID,
      [.signIn, .namedSignIn],
      as: PasskeyCeremony.Kind.signIn.rawValue,
      call
    )
    guard proven.user.id == user.id else { throw PasskeyError.refused }
    return .passkey(proven)
  }

  /// Checks a password as a sign-in does.
  private func verify(
    _ password: String,
    of user: UserRecord,
    _ call: CallContext
  ) async throws -> VerifiedPassword {
    let attempt = try core.admitSignIn(
      email: user.email,
      deviceToken: "",
      CallSource(call, core.settings.sourceLimits)
    )
    let verified = try await core.verify(password, attempt, call)
    guard verified.user.id == user.id else {
      core.failed(attempt)
      throw AuthError.invalidCredentials
    }
    try core.succeeded(attempt)
    return verified
  }
}

extension AuthCore {
  /// Makes sure, in the write that relies on it, that a proof still holds, and writes down that it was used.
  ///
  /// `isNeeded` says whether one is needed as the transaction sees it.
  func settle(
    _ proof: AccountProof,
    isNeeded: Bool,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    switch proof {
    case .session(let identity): try requireActiveSession(of: identity, now: now, in: tx)
    case .password(let verified): try verified.settle(in: tx)
    case .passkey(let proven):
      guard try UserTable.basis(of: proven.user.id, in: tx) != nil else {
        throw PasskeyError.refused
      }
      _ = try PasskeysHandler.settle(proven, now: now, in: tx)
    case .none:
      guard !isNeeded else { throw AccountError.proofRequired }
    }
  }
}
