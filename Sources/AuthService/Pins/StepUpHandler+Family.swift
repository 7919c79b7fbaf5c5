internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The one PIN of a family: set by its organizers, proved on every device of it.
extension StepUpHandler {
  private typealias Place = FamilyPinTable.Place

  func getFamilyPin(
    _ request: Auth_V1.GetFamilyPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.FamilyPinState {
    let user = try call.requireUser()
    let family = request.familyId
    let standing = try await member(user, of: family)
    let (core, policy, now) = (core, policy, core.clock.now)
    let (isSet, isClosed) = try await core.store.read { tx in
      let session = try core.requireActiveSession(of: user, now: now, in: tx)
      let attempts = try Self.attempts(
        at: Self.place(of: session, family),
        standing.parents,
        policy,
        now: now,
        in: tx
      )
      return (
        try FamilyPinTable.record(of: family, in: tx) != nil, attempts.isDisabled(policy)
      )
    }
    return .init(isSet: isSet, closed: isClosed, digits: UInt32(policy.digitCount))
  }

  func setFamilyPin(
    _ request: Auth_V1.SetFamilyPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SetFamilyPinResponse {
    let (user, family) = (try call.requireUser(), request.familyId)
    if let objection = policy.objection(to: request.pin) {
      throw PinError.refused(objection, policy)
    }
    let standing = try await organizer(user, of: family)
    let (core, now) = (core, core.clock.now)
    let permit = try core.pool.reserve(.trusted, for: HashShare(user: user.userID))
    let old = try await core.store.read { tx in try FamilyPinTable.record(of: family, in: tx) }
    let record = try await record(of: request.pin, after: old, permit)
    try await core.store.write(call) { tx in
      try core.requireActiveSession(of: user, now: now, in: tx)
      // The family was deleted since it was asked for.
      guard try !core.secrets.tombstones.contains(.holder(family), in: tx) else {
        throw FamilyPinError.familyUnknown
      }
      // Another PIN was set in the meantime, which this one was not compared with.
      guard try FamilyPinTable.record(of: family, in: tx) == old else { throw AuthError.overtaken }
      try FamilyPinTable.set(record.text, of: family, now: now, in: tx)
      try tx.audit("family_pin.set", object: family)
      try tell(standing.parents, .familyPinChanged, now: now, in: tx)
    }
    core.outbox.wake()
    return .init()
  }

  func clearFamilyPin(
    _ request: Auth_V1.ClearFamilyPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ClearFamilyPinResponse {
    let family = request.familyId
    let standing = try await organizer(try call.requireUser(), of: family)
    try await core.writeInSession(call) { _, now, tx in
      guard try FamilyPinTable.delete(family, in: tx) else { return }
      try tx.audit("family_pin.clear", object: family)
      try tell(standing.parents, .familyPinChanged, now: now, in: tx)
    }
    core.outbox.wake()
    return .init()
  }

  /// Counts an attempt, then compares the PIN, then gives the token.
  func verifyFamilyPin(
    _ request: Auth_V1.VerifyFamilyPinRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.VerifyFamilyPinResponse {
    let (user, family) = (try call.requireUser(), request.familyId)
    let core = core
    // Before an attempt is counted, so that none is lost because nothing can be signed or nobody told.
    let signer = try await core.signer()
    let standing = try await member(user, of: family)
    let permit = try core.pool.reserve(.trusted, for: HashShare(user: user.userID))
    let tried = try await reserve(of: user, family, standing, call)
    let (hasher, pin) = (core.hasher, request.pin)
    let record = PasswordRecord(tried.record)
    let isRight = try await core.pool.run(permit) { try hasher.check(pin, against: record) }
    guard isRight else { throw try await refused(tried, user, standing, call) }
    let now = core.clock.now
    let session = try await core.store.write(call) { tx in
      let session = try core.requireActiveSession(of: user, now: now, in: tx)
      guard try FamilyPinTable.record(of: family, in: tx) == tried.record else {
        throw AuthError.overtaken
      }
      try FamilyPinTable.forgetAttempts(at: tried.place, in: tx)
      try SessionTable.noteIssue(of: session.id, at: now, in: tx)
      try tx.audit("session.elevate", object: session.id, detail: "family pin of \(family)")
      return session
    }
    core.metrics.stepUps.series("family_pin", "done").increment()
    return .init(
      token: elevatedToken(
        of: session,
        acr: "family_pin",
        for: FamilyAction.enterParentMode,
        on: family,
        by: signer,
        now: now
      )
    )
  }

  // MARK: Who

  /// Throws FAMILY_UNKNOWN unless a role of the user leads into parent mode.
  private func member(_ user: UserIdentity, of family: String) async throws -> FamilyStanding {
    let standing = try await core.contexts.standing(of: user.userID, in: family)
    guard standing.entersParentMode else { throw FamilyPinError.familyUnknown }
    return standing
  }

  /// Throws unless the user may set the family's PIN.
  private func organizer(_ user: UserIdentity, of family: String) async throws -> FamilyStanding {
    let standing = try await core.contexts.standing(of: user.userID, in: family)
    guard standing.setsPin else {
      throw standing.entersParentMode ? FamilyPinError.notOrganizer : FamilyPinError.familyUnknown
    }
    return standing
  }

  // MARK: Attempts

  /// A counted attempt.
  private struct Tried: Sendable {
    let place: Place
    let record: String
    let left: Int
    /// The name of the device, for the mail to the parents.
    let device: String
  }

  private static func place(of session: SessionRecord, _ family: String) -> Place {
    Place(familyID: family, userID: session.userID, device: session.childDevice)
  }

  /// Counts an attempt; throws when there is no PIN, or none may be tried now.
  private func reserve(
    of user: UserIdentity,
    _ family: String,
    _ standing: FamilyStanding,
    _ call: CallContext
  ) async throws -> Tried {
    let (core, policy, now) = (core, policy, core.clock.now)
    do {
      return try await core.store.write(call) { tx in
        let session = try core.requireActiveSession(of: user, now: now, in: tx)
        guard let record = try FamilyPinTable.record(of: family, in: tx) else {
          throw FamilyPinError.notSet
        }
        let place = Self.place(of: session, family)
        var attempts = try Self.attempts(at: place, standing.parents, policy, now: now, in: tx)
        switch attempts.reserve(policy, now: now) {
        case .taken: break
        case .early(let wait): throw PinError.tooManyAttempts(retryAfter: .milliseconds(wait))
        case .disabled: throw FamilyPinError.closed
        }
        try FamilyPinTable.save(attempts, at: place, in: tx)
        return Tried(
          place: place,
          record: record,
          left: attempts.left(policy),
          device: session.device.name
        )
      }
    } catch let error as RPCError where error.code != .unavailable {
      core.metrics.stepUps.series("family_pin", "limited").increment()
      throw error
    }
  }

  /// The attempts counted at a place: none once a parent has signed in after it was closed.
  private static func attempts(
    at place: Place,
    _ parents: [String],
    _ policy: PinPolicy,
    now: Int64,
    in tx: borrowing some Queryable
  ) throws -> PinAttempts {
    let attempts = try FamilyPinTable.attempts(at: place, in: tx)
    guard attempts.isDisabled(policy) else { return attempts }
    for parent in parents {
      let hasSignedIn = try SessionTable.alive(of: parent, now: now, in: tx)
        .contains { $0.authenticated > attempts.last }
      if hasSignedIn { return PinAttempts() }
    }
    return attempts
  }

  /// Records a wrong PIN; the last one that may be tried closes parent mode, and the parents get a mail.
  private func refused(
    _ tried: Tried,
    _ user: UserIdentity,
    _ standing: FamilyStanding,
    _ call: CallContext
  ) async throws -> RPCError {
    let now = core.clock.now
    core.metrics.stepUps.series("family_pin", "refused").increment()
    try await core.store.write(call) { tx in
      try tx.audit(
        "session.elevate",
        object: user.sessionID,
        outcome: .refused,
        detail: tried.left == 0
          ? "wrong family pin; parent mode closed" : "wrong family pin; \(tried.left) attempts left"
      )
      guard tried.left == 0 else { return }
      try tx.audit("family_pin.close", object: tried.place.familyID, detail: user.userID)
      let name = try UserTable.find(user.userID, in: tx)?.displayName ?? ""
      try tell(
        standing.parents,
        .parentModeClosed,
        values: ["person": name, "device": tried.device],
        now: now,
        in: tx
      )
    }
    core.outbox.wake()
    return FamilyPinError.invalid(attemptsLeft: tried.left)
  }

  /// Mails the parents of a family.
  private func tell(
    _ parents: [String],
    _ kind: MailKind,
    values: [String: String] = [:],
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    for parent in parents {
      guard let user = try UserTable.find(parent, in: tx), !user.email.isEmpty else { continue }
      try core.outbox.queue(.notice(kind, to: user, now: now, values: values), in: tx)
    }
  }
}
