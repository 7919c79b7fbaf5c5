internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// PINs of accounts and families: set, proved and removed by users who are signed in.
struct StepUpHandler: Auth_V1.StepUpService {
  let core: AuthCore
  let policy: PinPolicy

  func getPin(
    _ request: Auth_V1.GetPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.PinState {
    let user = try call.requireUser()
    let (policy, now) = (policy, core.clock.now)
    let (pin, isDisabled) = try await core.store.read { tx in
      let pin = try PinTable.find(user.userID, in: tx)
      let attempts = try pin.map {
        try Self.attempts($0, of: user.userID, policy, now: now, in: tx)
      }
      return (pin, attempts?.isDisabled(policy) == true)
    }
    return .init(isSet: pin != nil, disabled: isDisabled, digits: UInt32(policy.digitCount))
  }

  func setPin(
    _ request: Auth_V1.SetPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SetPinResponse {
    let user = try call.requireUser()
    if let objection = policy.objection(to: request.pin) {
      throw PinError.refused(objection, policy)
    }
    let (core, now) = (core, core.clock.now)
    let permit = try core.pool.reserve(.trusted, for: HashShare(user: user.userID))
    let old = try await core.store.read { tx in try PinTable.find(user.userID, in: tx)?.record }
    let record = try await record(of: request.pin, after: old, permit)
    try await core.store.write(call) { tx in
      try core.requireActiveSession(of: user, now: now, in: tx)
      // Another PIN was set in the meantime, which this one was not compared with.
      guard try PinTable.find(user.userID, in: tx)?.record == old else { throw AuthError.overtaken }
      try PinTable.set(record.text, of: user.userID, now: now, in: tx)
      try tx.audit("pin.set", object: user.userID)
      try queueNotice(to: user.userID, now: now, in: tx)
    }
    core.outbox.wake()
    return .init()
  }

  /// A record of a new PIN; throws PIN_REUSED when it is the old one, forwards or backwards.
  func record(
    of pin: String,
    after old: String?,
    _ permit: HashPool.Permit
  ) async throws -> PasswordRecord {
    let hasher = core.hasher
    let record = try await core.pool.run(permit) { () throws -> PasswordRecord? in
      if let old = old.flatMap({ PasswordRecord($0) }) {
        for known in [pin, String(pin.reversed())] where try hasher.check(known, against: old) {
          return nil
        }
      }
      return try hasher.record(of: pin)
    }
    guard let record else { throw PinError.refused(.reused, policy) }
    return record
  }

  /// Counts an attempt, then compares the PIN, then gives the token.
  func verifyPin(
    _ request: Auth_V1.VerifyPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.VerifyPinResponse {
    let user = try call.requireUser()
    let core = core
    // Before an attempt is counted, so that none is lost because nothing can be signed.
    let signer = try await core.signer()
    let permit = try core.pool.reserve(.trusted, for: HashShare(user: user.userID))
    let tried = try await reserve(of: user, call)
    let (hasher, pin) = (core.hasher, request.pin)
    let record = PasswordRecord(tried.record)
    let isRight = try await core.pool.run(permit) { try hasher.check(pin, against: record) }
    guard isRight else { throw try await refused(tried, user, call) }
    let (now, purpose) = (core.clock.now, request.purpose)
    let session = try await core.store.write(call) { tx in
      let session = try core.requireActiveSession(of: user, now: now, in: tx)
      guard try PinTable.find(user.userID, in: tx)?.record == tried.record else {
        throw AuthError.overtaken
      }
      try PinTable.update(PinAttempts(), of: user.userID, in: tx)
      try SessionTable.noteIssue(of: session.id, at: now, in: tx)
      try tx.audit("session.elevate", object: session.id, detail: "pin for \(purpose)")
      return session
    }
    core.metrics.stepUps.series("pin", "done").increment()
    return .init(
      token: elevatedToken(of: session, acr: "pin", for: purpose, by: signer, now: now)
    )
  }

  /// Counts an attempt; throws when there is no PIN, or none may be tried now.
  private func reserve(of user: UserIdentity, _ call: CallContext) async throws -> PinTable.Stored {
    let (core, policy, now) = (core, policy, core.clock.now)
    do {
      return try await core.store.write(call) { tx in
        try core.requireActiveSession(of: user, now: now, in: tx)
        guard var pin = try PinTable.find(user.userID, in: tx) else { throw PinError.notSet }
        var attempts = try Self.attempts(pin, of: user.userID, policy, now: now, in: tx)
        switch attempts.reserve(policy, now: now) {
        case .taken: pin.attempts = attempts
        case .early(let wait): throw PinError.tooManyAttempts(retryAfter: .milliseconds(wait))
        case .disabled: throw PinError.disabled
        }
        try PinTable.update(attempts, of: user.userID, in: tx)
        return pin
      }
    } catch let error as RPCError where error.code != .unavailable {
      core.metrics.stepUps.series("pin", "limited").increment()
      throw error
    }
  }

  /// The attempts counted against a PIN: none once a user has signed in after it was disabled.
  private static func attempts(
    _ pin: PinTable.Stored,
    of userID: String,
    _ policy: PinPolicy,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> PinAttempts {
    guard pin.attempts.isDisabled(policy) else { return pin.attempts }
    let hasSignedIn = try SessionTable.alive(of: userID, now: now, in: tx)
      .contains { $0.authenticated > pin.attempts.last }
    return hasSignedIn ? PinAttempts() : pin.attempts
  }

  private func refused(
    _ tried: PinTable.Stored,
    _ user: UserIdentity,
    _ call: CallContext
  ) async throws -> RPCError {
    let left = tried.attempts.left(policy)
    core.metrics.stepUps.series("pin", "refused").increment()
    try await core.store.write(call) { tx in
      try tx.audit(
        "session.elevate",
        object: user.sessionID,
        outcome: .refused,
        detail: left == 0 ? "wrong pin; disabled" : "wrong pin; \(left) attempts left"
      )
    }
    return PinError.invalid(attemptsLeft: left)
  }

  /// A token for one purpose, outside of those that the session is refreshed to; of an object, if one is
  /// given, and of what is below it.
  func elevatedToken(
    of session: SessionRecord,
    acr: String,
    for purpose: String,
    on object: String? = nil,
    by signer: SigningKey,
    now: Int64
  ) -> Auth_V1.AccessToken {
    core.accessToken(of: session, by: signer, now: now, lifetime: Self.tokenLifetime) { claims in
      claims.expires = min(claims.expires, session.end)
      (claims.acr, claims.methods, claims.purpose) = (acr, ["pin"], purpose)
      claims.object = object
      claims.authenticated = claims.issued
    }
  }

  /// In milliseconds.
  static let tokenLifetime: Int64 = 5 * 60_000

  func clearPin(
    _ request: Auth_V1.ClearPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ClearPinResponse {
    try await core.writeInSession(call) { user, now, tx in
      guard try PinTable.delete(user.userID, in: tx) else { return }
      try tx.audit("pin.clear", object: user.userID)
      try queueNotice(to: user.userID, now: now, in: tx)
    }
    core.outbox.wake()
    return .init()
  }

  /// Mails the user that the PIN was changed or removed.
  private func queueNotice(
    to userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let owner = try UserTable.require(userID, in: tx)
    try core.outbox.queue(.notice(.pinChanged, to: owner, now: now), in: tx)
  }
}
