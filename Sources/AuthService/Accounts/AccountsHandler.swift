internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Proving an address, and what else goes by mail.
struct AccountsHandler: Auth_V1.AccountsService {
  let core: AuthCore
  let passkeys: PasskeysHandler

  func requestEmailVerification(
    _ request: Auth_V1.RequestEmailVerificationRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RequestEmailVerificationResponse {
    let identity = try call.requireUser()
    try core.admitMail(Array("verify \(identity.userID)".utf8), "account", call)
    try await core.writeInSession(call) { identity, now, tx in
      let user = try UserTable.require(identity.userID, in: tx)
      guard !user.email.isEmpty else { throw AccountError.addressMissing }
      guard !user.isEmailVerified else { return }
      try core.queueVerification(of: user, for: .account(user.id), now: now, in: tx)
      try tx.audit("email.request_verification", object: user.id)
    }
    core.outbox.wake()
    return .init()
  }

  func verifyEmail(
    _ request: Auth_V1.VerifyEmailRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.VerifyEmailResponse {
    let shown = try await find(request.token, .verifyEmail, call)
    let credential = AccountCredential(
      password: request.password,
      ceremonyID: request.ceremonyId,
      passkeyResponse: request.passkeyResponse
    )
    let proof = try await prove(credential, isNeeded: { !$0.isEmailVerified }, for: shown, call)
    let (core, now) = (core, core.clock.now)
    let ended = try await core.store.write(call) { tx -> [Revocation] in
      let (token, user) = try current(shown, in: tx)
      let email = user.address
      guard email.key == token.addressKey else { throw MailError.tokenInvalid }
      // Links are opened twice, by people and by what looks at their mail.
      if token.used != nil, user.isEmailVerified { return [] }
      guard token.isUsable(now: now) else { throw MailError.tokenInvalid }
      let ended = try core.proveAddress(of: user, by: proof, now: now, in: tx)
      try UserTable.changeEmail(of: user.id, to: email, isVerified: true, now: now, in: tx)
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      try tx.appendChange(kind: "\(UserNews.profileKind)", subject: user.id, scope: "")
      try tx.audit("email.verify", of: user.id, ending: ended)
      return ended
    }
    core.countRevoked(ended)
    return .init()
  }

  // MARK: - Tokens

  /// The token of a text, before anything is written or hashed for it; MAIL_TOKEN_INVALID for everything
  /// that cannot work.
  ///
  /// A token that was used is found too: what it did may be asked for again. A user who is signed in to
  /// another account cannot use it, unless it is good for the person who reads the mail.
  func find(
    _ text: String,
    _ purpose: MailToken.Purpose,
    isForEverybody: Bool = false,
    _ call: CallContext
  ) async throws -> MailToken {
    guard let digest = core.outbox.tokens.digest(of: text, purpose) else {
      throw MailError.tokenInvalid
    }
    let token = try await core.store.read { tx in try MailTokenTable.find(digest, in: tx) }
    guard let token, token.purpose == purpose, let userID = token.userID,
      token.used != nil || token.isUsable(now: core.clock.now),
      isForEverybody || call.caller.user.map({ $0.userID == userID }) ?? true
    else { throw MailError.tokenInvalid }
    return token
  }

  /// A token and its user as the transaction sees them; one of a disabled account does not work.
  func current(
    _ shown: MailToken,
    in tx: borrowing some Queryable
  ) throws -> (token: MailToken, user: UserRecord) {
    guard let token = try MailTokenTable.find(shown.digest, in: tx), let userID = token.userID,
      let user = try UserTable.find(userID, in: tx),
      try DisablementTable.find(userID, in: tx) == nil
    else { throw MailError.tokenInvalid }
    return (token, user)
  }
}
