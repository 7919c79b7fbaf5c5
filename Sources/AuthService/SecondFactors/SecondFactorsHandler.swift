internal import PeerContracts
internal import AuthContracts
internal import RPCKit
internal import ServiceKit

/// Authenticator apps and recovery codes of users who are signed in.
struct SecondFactorsHandler: Auth_V1.SecondFactorsService {
  let core: AuthCore
  /// The name that authenticator apps show beside the account.
  let issuer: String

  func get(
    _ request: Auth_V1.GetSecondFactorsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SecondFactorState {
    let user = try call.requireUser()
    return try await core.store.read { tx in
      let added = try TotpTable.find(user.userID, in: tx)?.confirmed
      return Auth_V1.SecondFactorState(
        hasTotp: added != nil,
        totpAddedAt: added.map { .init(milliseconds: $0) },
        recoveryCodesLeft: UInt32(try RecoveryCodeTable.count(of: user.userID, in: tx))
      )
    }
  }

  // MARK: - An authenticator app

  func enrollTotp(
    _ request: Auth_V1.EnrollTotpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.EnrollTotpResponse {
    let user = try call.requireUser()
    let (core, now) = (core, core.clock.now)
    let secret = core.random.bytes(TimeCode.secretByteCount)
    let id = core.identifiers.make(.authenticatorApp)
    let sealed = core.secrets.sealing.seal(
      secret,
      for: AuthCore.purpose(id, of: user.userID),
      random: core.random
    )
    let account = try await core.store.write(call) { tx in
      try core.requireActiveSession(of: user, now: now, in: tx)
      let account = try UserTable.require(user.userID, in: tx)
      guard try TotpTable.find(user.userID, in: tx)?.confirmed == nil else {
        throw SecondFactorError.totpExists
      }
      try TotpTable.insert(id, sealed: sealed, of: user.userID, now: now, in: tx)
      try tx.audit("totp.enroll", object: user.userID)
      return account
    }
    return .init(
      secret: Base32.encode(secret),
      uri: TimeCode(secret: secret).uri(
        issuer: issuer,
        account: account.email
      ),
      expiresAt: .init(milliseconds: now + TotpTable.Stored.confirmationMax)
    )
  }

  /// The outcome of a first code in the store.
  private struct Confirmed: Sendable {
    let session: SessionRecord
    let codes: [RecoveryCode]
    let revoked: [Revocation]
  }

  func confirmTotp(
    _ request: Auth_V1.ConfirmTotpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ConfirmTotpResponse {
    let user = try call.requireUser()
    let (core, now, code) = (core, core.clock.now, request.code)
    let signer = try await core.signer()
    // A wrong code is committed as an attempt before it becomes an error, or it could be tried forever.
    let confirmed = try await core.store.write(call) { tx -> Confirmed? in
      try core.requireActiveSession(of: user, now: now, in: tx)
      guard let account = try UserTable.find(user.userID, in: tx),
        let app = try TotpTable.find(user.userID, in: tx),
        app.confirmed != nil || app.isPending(now: now)
      else { throw SecondFactorError.totpNotEnrolled }
      guard app.confirmed == nil else { throw SecondFactorError.totpConfirmed }
      let origin = Array(user.sessionID.utf8)
      try core.reserveFactor(of: user.userID, from: origin, now: now, in: tx)
      let step = try core.timeCode(app, of: user.userID).step(of: code, at: now) {
        app.isFree($0, now: now)
      }
      guard let step else { return nil }
      try TotpTable.confirm(user.userID, now: now, in: tx)
      try core.use(.step(step), of: account, from: origin, now: now, in: tx)
      let codes = try core.makeRecoveryCodes(of: user.userID, in: tx)
      let session = try core.raise(user, now: now, in: tx)
      let revoked = try core.endAllSessions(
        of: user.userID,
        except: user.sessionID,
        now: now,
        in: tx
      )
      try core.outbox.queue(.notice(.totpAdded, to: account, now: now), in: tx)
      try tx.audit("totp.add", object: user.userID, detail: "revoked \(revoked.count)")
      return Confirmed(session: session, codes: codes, revoked: revoked)
    }
    core.count("totp", confirmed != nil)
    guard let confirmed else { throw SecondFactorError.codeInvalid }
    core.countRevoked(confirmed.revoked)
    core.outbox.wake()
    return .init(
      recoveryCodes: confirmed.codes.map(\.shown),
      revokedSessions: UInt32(confirmed.revoked.count),
      token: core.accessToken(of: confirmed.session, by: signer, now: now)
    )
  }

  func removeTotp(
    _ request: Auth_V1.RemoveTotpRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RemoveTotpResponse {
    try await core.writeInSession(call) { user, now, tx in
      let account = try UserTable.require(user.userID, in: tx)
      guard try TotpTable.delete(user.userID, in: tx) else { return }
      try RecoveryCodeTable.delete(of: user.userID, in: tx)
      try core.outbox.queue(.notice(.totpRemoved, to: account, now: now), in: tx)
      try tx.audit("totp.remove", object: user.userID)
    }
    core.outbox.wake()
    return .init()
  }

  // MARK: - Recovery codes

  func regenerateRecoveryCodes(
    _ request: Auth_V1.RegenerateRecoveryCodesRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.RegenerateRecoveryCodesResponse {
    let codes = try await core.writeInSession(call) { user, _, tx in
      guard try TotpTable.find(user.userID, in: tx)?.confirmed != nil else {
        throw SecondFactorError.totpNotEnrolled
      }
      try tx.audit("recovery_code.regenerate", object: user.userID)
      return try core.makeRecoveryCodes(of: user.userID, in: tx)
    }
    return .init(recoveryCodes: codes.map(\.shown))
  }

  // MARK: - Proving

  func verify(
    _ request: Auth_V1.VerifySecondFactorRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.VerifySecondFactorResponse {
    let user = try call.requireUser()
    let shown = try ShownFactor(code: request.code, recoveryCode: request.recoveryCode)
    let (core, now) = (core, core.clock.now)
    let signer = try await core.signer()
    let raised = try await core.store.write(call) { tx -> (session: SessionRecord, left: Int)? in
      try core.requireActiveSession(of: user, now: now, in: tx)
      let account = try UserTable.require(user.userID, in: tx)
      let origin = Array(user.sessionID.utf8)
      let attempt = try core.attempt(shown, of: user.userID, from: origin, now: now, in: tx)
      guard case .right(let proven) = attempt else { return nil }
      try core.use(proven, of: account, from: origin, now: now, in: tx)
      let session = try core.raise(user, now: now, in: tx)
      return (session, try RecoveryCodeTable.count(of: user.userID, in: tx))
    }
    core.count(shown.method, raised != nil)
    guard let raised else { throw SecondFactorError.codeInvalid }
    core.outbox.wake()
    return .init(
      token: core.accessToken(of: raised.session, by: signer, now: now),
      recoveryCodesLeft: UInt32(raised.left)
    )
  }
}

extension AuthCore {
  /// Gives the caller's session a second factor on top of what it has proved.
  fileprivate func raise(
    _ user: UserIdentity,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> SessionRecord {
    guard let session = try SessionTable.find(user.sessionID, in: tx) else {
      throw AuthError.sessionEnded
    }
    return try raise(user, to: session.proof.withOneTimeCode, now: now, in: tx)
  }

  /// Counts an attempt to prove a second factor.
  func count(_ method: String, _ isRight: Bool) {
    metrics.stepUps.series(method, isRight ? "done" : "refused").increment()
  }
}
