internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Replacing a forgotten password.
extension AccountsHandler {
  /// Queues a mail to anyone who has an account with the address.
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
    let source = CallSource(call, core.settings.sourceLimits).counted
    let (core, now) = (core, core.clock.now)
    let (text, token) = core.outbox.tokens.issue(
      .resetPassword,
      addressKey: email.key,
      now: now,
      core.random
    )
    try await core.store.write(call) { tx in
      try MailTokenTable.deleteUnused(.resetPassword, forAddress: email.key, in: tx)
      try MailTokenTable.insert(token, in: tx)
      let order = MailOrder(.resetPassword, to: .holder(ofKey: email.key), token: text)
      try core.outbox.require(order, of: .source(source), expires: token.expires, in: tx)
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
      throw MailError.tokenInvalid
    }
    let record = shown.used == nil ? try await record(of: request.newPassword, for: userID) : nil
    let (core, now, caller) = (core, core.clock.now, call.caller.user)
    let newcomerID = core.identifiers.make(.user)
    let revoked = Lock<[Revocation]>([])
    let response = try await core.writeOnce(
      request.idempotencyKey,
      request.withoutPassword,
      call,
      caller: "password reset \(Base64URL.encode(shown.digest))"
    ) { tx in
      let (token, user) = try current(shown, in: tx)
      guard let record, token.isUsable(now: now), user.address.key == token.addressKey else {
        throw MailError.tokenInvalid
      }
      try MailTokenTable.markUsed(token.digest, now: now, in: tx)
      try AttemptTable.clear(core.attemptSubject(user.address), .password, in: tx)
      let isNew = !user.isEmailVerified && caller == nil
      let ended =
        isNew
        ? try core.replace(user, by: newcomerID, password: record, now: now, in: tx)
        : try core.reset(user, to: record, in: caller, now: now, in: tx)
      revoked.withLock { $0 = ended }
      return Auth_V1.ResetPasswordResponse(
        revokedSessions: UInt32(ended.count),
        newAccount: isNew
      )
    }
    core.countRevoked(revoked.withLock { $0 })
    core.outbox.wake()
    return response
  }

  /// The record of a new password; INVALID_ARGUMENT for one that the policy does not take.
  private func record(of password: String, for userID: String) async throws -> PasswordRecord {
    let core = core
    let user = try await core.store.read { tx in try UserTable.find(userID, in: tx) }
    guard let user else { throw MailError.tokenInvalid }
    if let objection = core.policy.objection(to: password, email: user.email) {
      throw PasswordError.refused(objection, field: "new_password")
    }
    let permit = try core.pool.reserve(.ordinary, for: HashShare(user: userID))
    return try await core.pool.run(permit) { try core.hasher.record(of: password) }
  }
}

extension AuthCore {
  /// Gives an account a new password, for a user who reads the mail of its proven address, or who is signed in
  /// to it; gives the sessions that ended.
  fileprivate func reset(
    _ user: UserRecord,
    to record: PasswordRecord,
    in caller: UserIdentity?,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let proof = caller.map { AccountProof.session($0) } ?? .none
    var ended = try proveAddress(of: user, by: proof, now: now, in: tx)
    ended += try endAllSessions(of: user.id, now: now, in: tx)
    try UserTable.changePassword(of: user.id, to: record.text, now: now, in: tx)
    // A person who has the token reads the mail of the address.
    try UserTable.changeEmail(of: user.id, to: user.address, isVerified: true, now: now, in: tx)
    try MailTokenTable.deleteUnused(.resetPassword, of: user.id, in: tx)
    // Moving to an address verifies it too, and leaves passkeys from before.
    try removeUnprovenPasskeys(of: user.id, in: tx)
    try outbox.queue(.notice(.passwordChanged, to: user, now: now), in: tx)
    try tx.audit("password.reset", of: user.id, ending: ended)
    return ended
  }

  /// Gives the address of an account that has not proven it to a new account of the person who reads its mail; gives
  /// the sessions of the old one, which ended.
  ///
  /// Nobody knows who made the old account (arXiv 2205.10174). So it lets nobody in from then on, and keeps what
  /// is in it to itself: documents, roles and purchases are not its successor's (docs/decisions/0188).
  fileprivate func replace(
    _ old: UserRecord,
    by newcomerID: String,
    password: PasswordRecord,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let ended = try endAllSessions(of: old.id, now: now, in: tx)
    try unlinkAllIdentities(of: old.id, in: tx)
    try removeUnprovenPasskeys(of: old.id, in: tx)
    try removeFactors(of: old.id, in: tx)
    // No record matches this one.
    try UserTable.changePassword(of: old.id, to: "", now: now, in: tx)
    try Self.freeAddress(of: old.id, now: now, in: tx)
    let newcomer = UserRecord(
      id: newcomerID,
      email: old.email,
      isEmailVerified: true,
      created: now,
      updated: now
    )
    try UserTable.insert(newcomer, password: password.text, in: tx)
    try tx.audit(
      "email.lose",
      object: old.id,
      detail: "revoked \(ended.count)",
      by: .user(newcomerID)
    )
    try tx.audit("user.sign_up", object: newcomerID, detail: "by a reset", by: .user(newcomerID))
    return ended
  }

  /// Ends what the proof of an account's address ends; gives the sessions that ended.
  ///
  /// A change of address that waits is void. The first proof in a session ends the others. One by the account's
  /// password or a passkey ends none: a person who has a session has shown one of these, or could again.
  func proveAddress(
    of user: UserRecord,
    by proof: AccountProof,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    try settle(proof, isNeeded: !user.isEmailVerified, now: now, in: tx)
    try MailTokenTable.deleteUnused(.changeEmail, of: user.id, in: tx)
    guard !user.isEmailVerified else { return [] }
    try PasskeyTable.markProven(of: user.id, in: tx)
    guard case .session(let identity) = proof else { return [] }
    return try endAllSessions(of: user.id, except: identity.sessionID, now: now, in: tx)
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
}

extension Auth_V1.ResetPasswordRequest {
  /// The request without the password, by which it differs from others under the same key: a used token is no secret, and must
  /// not be good for trying out which password was set with it.
  fileprivate var withoutPassword: Auth_V1.ResetPasswordRequest {
    var request = self
    request.newPassword = ""
    return request
  }
}
