internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Changing one's password.
extension UsersHandler {
  func changePassword(
    _ request: Auth_V1.ChangePasswordRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ChangePasswordResponse {
    let identity = try call.requireUser()
    let core = core
    // A name of their own: of how often an account signs in only those who sign in use anything up.
    let charge = try core.charge(account: Array(identity.userID.utf8))
    let proof: Proof
    do {
      proof = try await prove(request, identity, call)
    } catch {
      charge.giveBack()
      throw error
    }
    let (verified, now) = (proof.verified, core.clock.now)
    let settle = { @Sendable (tx: borrowing WriteTransaction) throws in
      try core.requireActiveSession(of: identity, now: now, in: tx)
      try verified.settle(in: tx)
    }
    let revoked = Lock<[Revocation]>([])
    let response = try await core.writeOnce(
      request.idempotencyKey,
      request,
      call,
      onReplay: settle
    ) { tx in
      // Who knows only the password that is asked for repeats a request, or guesses.
      guard let record = proof.record else { throw AuthError.invalidCredentials }
      try settle(tx)
      try UserTable.changePassword(of: identity.userID, to: record.text, now: now, in: tx)
      let others = try SessionTable.alive(of: identity.userID, now: now, in: tx).map(\.id)
        .filter { $0 != identity.sessionID }
      let ended = try SessionTable.revoke(others, of: identity.userID, now: now, in: tx)
      try core.outbox.queue(.notice(.passwordChanged, to: verified.user, now: now), in: tx)
      try tx.audit(
        "password.change",
        object: identity.userID,
        detail: "revoked \(ended.count)"
      )
      revoked.withLock { $0 = ended }
      return Auth_V1.ChangePasswordResponse(revokedSessions: UInt32(ended.count))
    }
    core.countRevoked(revoked.withLock { $0 })
    core.outbox.wake()
    return response
  }

  /// That the caller knows a password of the request.
  private struct Proof: Sendable {
    let verified: VerifiedPassword
    /// Of the new password; nil when the account has it already, as it has when a request is repeated.
    let record: PasswordRecord?
  }

  /// Finds the caller's password to be the one it says it has now, or, in a request that may be a
  /// repeated one, the one it asks for; throws when it is neither.
  ///
  /// Both are counted as attempts, since one request could carry two guesses otherwise.
  private func prove(
    _ request: Auth_V1.ChangePasswordRequest,
    _ identity: UserIdentity,
    _ call: CallContext
  ) async throws -> Proof {
    let (core, share) = (core, HashShare(user: identity.userID))
    let checkPermit = try core.pool.reserve(.trusted, for: share)
    let hashPermit = try core.pool.reserve(.trusted, for: share)
    let email = try await find(identity.userID).address
    if let objection = core.policy.objection(to: request.newPassword, email: email.text) {
      throw PasswordError.refused(objection, field: "new_password")
    }
    let subject = core.attemptSubject(session: identity.sessionID)
    func verify(
      _ password: String,
      _ permit: HashPool.Permit
    ) async throws -> VerifiedPassword? {
      let verified = try await core.verify(password, of: email, subject, permit, call)
      return verified?.user.id == identity.userID ? verified : nil
    }
    if let verified = try await verify(request.currentPassword, checkPermit) {
      let record = try await core.pool.run(hashPermit) {
        try core.hasher.record(of: request.newPassword)
      }
      return Proof(verified: verified, record: record)
    }
    guard !request.idempotencyKey.isEmpty,
      let verified = try await verify(request.newPassword, hashPermit)
    else { throw AuthError.invalidCredentials }
    return Proof(verified: verified, record: nil)
  }
}
