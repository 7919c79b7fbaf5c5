internal import Contracts
internal import RPCKit
internal import ServiceKit

/// Replacing a forgotten password.
extension AccountsHandler {
  /// Queues a mail to whoever has an account with the address.
  ///
  /// Does not look whether anybody has: the outbox does that when it sends the mail. So there is nothing
  /// in the answer or its time that could tell. It does not wake the outbox either, whose work for an address
  /// with an account would slow down the end of this very call: the outbox looks once a second by itself.
  func requestPasswordReset(
    _ request: Auth_V1.RequestPasswordResetRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RequestPasswordResetResponse {
    let email = EmailAddress(request.email)
    try core.admitMail(core.attemptSubject(email), "address", call)
    let (core, now) = (core, core.clock.now)
    let text = core.outbox.tokens.make(core.random)
    guard let digest = core.outbox.tokens.digest(of: text, .resetPassword) else {
      throw AuthError.mailTokenInvalid
    }
    let token = MailToken(
      digest: digest,
      purpose: .resetPassword,
      addressKey: email.key,
      created: now
    )
    try await core.store.write(call) { tx in
      try MailTokenTable.deleteUnused(.resetPassword, forAddress: email.key, in: tx)
      try MailTokenTable.insert(token, in: tx)
      let order = MailOrder(.resetPassword, to: .holder(ofKey: email.key), token: text)
      try core.outbox.require(order, expires: token.expires, in: tx)
      try tx.audit("password.request_reset", object: "")
    }
    return .init()
  }

  func resetPassword(
    _ request: Auth_V1.ResetPasswordRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ResetPasswordResponse {
    let shown = try await find(request.token, .resetPassword, call)
    // A repeated request finds the token used, and gets its first answer without another hash.
    guard shown.used == nil || !request.idempotencyKey.isEmpty, let userID = shown.userID else {
      throw AuthError.mailTokenInvalid
    }
    let record = shown.used == nil ? try await record(of: request.newPassword, for: userID) : nil
    let (core, now) = (core, core.clock.now)
    let revoked = Lock<[Revocation]>([])
    let response = try await core.writeOnce(
      request.idempotencyKey,
      request.withoutPassword,
      call,
      caller: "password reset \(Base64URL.encode(shown.digest))"
    ) { tx in
      let (token, user) = try current(shown, in: tx)
      let email = EmailAddress(user.email)
      guard let record, token.isUsable(now: now), email.key == token.addressKey else {
        throw AuthError.mailTokenInvalid
      }
      var ended = try core.proveAddress(of: user, in: nil, now: now, in: tx)
      ended += try core.endAllSessions(of: user.id, now: now, in: tx)
      try UserTable.changePassword(of: user.id, to: record.text, now: now, in: tx)
      // Whoever has the token reads the mail of the address.
      try UserTable.changeEmail(of: user.id, to: email, isVerified: true, now: now, in: tx)
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      try MailTokenTable.deleteUnused(.resetPassword, of: user.id, in: tx)
      try AttemptTable.clear(core.attemptSubject(email), .password, in: tx)
      // Moving to an address verifies it too, and leaves passkeys from before.
      try core.removeUnprovenPasskeys(of: user.id, in: tx)
      try core.outbox.queue(core.passwordNotice(to: user, now: now), in: tx)
      try tx.audit(
        "password.reset",
        object: user.id,
        detail: "revoked \(ended.count)",
        by: .user(user.id)
      )
      revoked.withLock { $0 = ended }
      return Auth_V1.ResetPasswordResponse(revokedSessions: UInt32(ended.count))
    }
    core.announce(revoked.withLock { $0 })
    core.outbox.wake()
    return response
  }

  /// The record of a new password; INVALID_ARGUMENT for one that the policy does not take.
  private func record(of password: String, for userID: String) async throws -> PasswordRecord {
    let core = core
    let user = try await core.store.read { tx in try UserTable.find(userID, in: tx) }
    guard let user else { throw AuthError.mailTokenInvalid }
    if let objection = core.policy.objection(to: password, email: user.email) {
      throw AuthError.passwordRefused(objection, field: "new_password")
    }
    let permit = try core.pool.reserve(.ordinary, for: HashShare(user: userID))
    return try await core.pool.run(permit) { try core.hasher.record(of: password) }
  }
}

extension AuthCore {
  /// What somebody's having read the mail of an account's address ends: what somebody else may have prepared
  /// who made the account first, with that address (arXiv 2205.10174).
  ///
  /// A change of address that waits is void. The first proof ends all sessions, unlinks all identities and
  /// removes passkeys, the authenticator app and the PIN, unless it is made in a session of the account: that
  /// one and what was added to the account are the same person's then. Gives the sessions that ended.
  func proveAddress(
    of user: UserRecord,
    in caller: UserIdentity?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    try MailTokenTable.deleteUnused(.changeEmail, of: user.id, in: tx)
    guard !user.isEmailVerified else { return [] }
    if caller == nil {
      try unlinkAllIdentities(of: user.id, in: tx)
      try removeUnprovenPasskeys(of: user.id, in: tx)
      try removeFactors(of: user.id, in: tx)
    } else {
      try PasskeyTable.markProven(of: user.id, in: tx)
    }
    return try endAllSessions(of: user.id, except: caller?.sessionID ?? "", now: now, in: tx)
  }

  /// Removes passkeys that somebody else may have registered: those from before the address was proven.
  func removeUnprovenPasskeys(of userID: String, in tx: borrowing WriteTransaction) throws {
    let count = try PasskeyTable.deleteUnproven(of: userID, in: tx)
    guard count > 0 else { return }
    try tx.audit(
      "passkey.remove_all",
      object: userID,
      detail: "\(count) passkeys",
      by: .user(userID)
    )
  }

  /// Unlinks all identities of a user at other providers.
  func unlinkAllIdentities(of userID: String, in tx: borrowing WriteTransaction) throws {
    let count = try IdentityTable.deleteAll(of: userID, in: tx)
    guard count > 0 else { return }
    try tx.audit(
      "identity.unlink_all",
      object: userID,
      detail: "\(count) identities",
      by: .user(userID)
    )
  }

  /// Ends all sessions of a user and the sign-ins that are in progress; gives those that lived.
  func endAllSessions(
    of userID: String,
    except kept: String = "",
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    try UserTable.countSessionEnding(of: userID, in: tx)
    let alive = try SessionTable.alive(of: userID, now: now, in: tx).map(\.id)
    return try SessionTable.revoke(alive.filter { $0 != kept }, of: userID, now: now, in: tx)
  }
}

extension Auth_V1.ResetPasswordRequest {
  /// What tells it from other requests under the same key: a used token is no secret any more, and must
  /// not be good for trying out which password was set with it.
  fileprivate var withoutPassword: Auth_V1.ResetPasswordRequest {
    var request = self
    request.newPassword = ""
    return request
  }
}
