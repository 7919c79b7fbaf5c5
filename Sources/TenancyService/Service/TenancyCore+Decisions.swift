internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// A decision with all that its numbers refer to.
struct Ruling: Sendable {
  let decision: Decision
  let evidence: Evidence
  /// The policy that decided.
  let policy: Policy
  /// Whose features have to be known before this is more than a guess.
  let missing: FeatureHolder?
  /// When the association ends that allows it, in milliseconds since 1970; the largest number is never.
  let grantedUntil: Int64

  var isAllowed: Bool { decision.isAllowed }
  var reason: ReasonCode { decision.reason }

  /// Whether a role of the subject's grants the action, if its conditions hold.
  var isGranted: Bool { decision.association != nil }

  /// Whether the subject may know of the object, or that it may do nothing at all.
  var isKnown: Bool { decision.isKnown || decision.reason == .subjectSuspended }

  /// How much of the object its roles show: a place in the policy's access levels.
  var accessLevel: Int { policy.accessLevel(of: decision.heldRoles) }
}

/// Whose features have to be asked for; the cause of an UNAVAILABLE that becomes none when they are.
struct FeaturesMissing: Error {
  let holders: Set<FeatureHolder>
}

extension TenancyCore {
  // MARK: In a transaction, where nobody can wait

  /// What is said about a user and an object of a type.
  ///
  /// In a write, every change before it counts, those included that were not committed yet: it runs
  /// again when one of them could make a difference. Pass on what this throws.
  func decide(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Ruling {
    let (ruling, grounds) = atTheMoment(
      action,
      on: id,
      type: type,
      user,
      wantsGrounds: tx.mayConflict
    )
    try grounds?.hold(for: user.userID, isDenial: !ruling.isAllowed, tx)
    return ruling
  }

  /// Throws unless a user may do something to an object: NOT_FOUND when it must not know of it.
  ///
  /// Decides as `decide` does. UNAVAILABLE when features are not known, which `write` and `read` then
  /// ask for before they try again.
  @discardableResult
  func require(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Ruling {
    let ruling = try decide(action, on: id, type: type, user, tx)
    return try allowed(ruling, action, on: id, user)
  }

  /// Throws when a user may do nothing at all.
  func requireNotSuspended(_ user: UserIdentity, _ tx: borrowing WriteTransaction) throws {
    try tx.rely(on: .suspension(of: user.userID))
    guard engine.read({ $0.isSuspended(user.userID) }) else { return }
    throw TenancyError.suspended
  }

  /// UNAVAILABLE when a decision is only a guess: no evidence is neither an allowance nor a denial.
  func requireFeatures(_ ruling: Ruling) throws(RPCError) {
    guard let holder = ruling.missing else { return }
    throw TenancyError.featuresUnavailable([holder])
  }

  private func allowed(
    _ ruling: Ruling,
    _ action: String,
    on id: String,
    _ user: UserIdentity
  ) throws(RPCError) -> Ruling {
    guard !ruling.isAllowed else { return ruling }
    try requireFeatures(ruling)
    let answer =
      ruling.isKnown ? TenancyError.denied(ruling.evidence, action: action) : TenancyError.notFound
    throw answer.denying(action, on: id, because: ruling.reason.rawValue)
  }

  /// What the engine says, and what that rests on.
  ///
  /// Private, so that nothing else decides on memory while a transaction is open.
  private func atTheMoment(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity,
    wantsGrounds: Bool = false
  ) -> (ruling: Ruling, grounds: Grounds?) {
    let (now, features) = (clock.now, features)
    return engine.read { forest in
      let policy = forest.policy
      let (actionID, typeID) = (policy.action(named: action), policy.type(named: type))
      // An object of another type is as good as none, and so is an action that the policy lost.
      let entity = forest.entity(id).flatMap { entity in
        actionID != nil && forest.type(entity) == typeID ? entity : nil
      }
      let verdict = forest.decide(
        subject: forest.subject(user.userID),
        action: actionID ?? ActionID.any,
        entity: entity,
        context: policy.context(acr: user.acr),
        now: now,
        features
      )
      let ruling = Ruling(
        decision: verdict.decision,
        evidence: forest.evidence(of: verdict.decision),
        policy: policy,
        missing: verdict.missing,
        grantedUntil: forest.grantEnd(of: verdict.decision)
      )
      return (ruling, wantsGrounds ? Grounds(of: id, forest) : nil)
    }
  }

  // MARK: Where one can wait

  /// As `decide`, once the features that matter are known; at the moment, so never for a write.
  func ruling(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity
  ) async throws -> Ruling {
    try await knowingFeatures {
      let ruling = atTheMoment(action, on: id, type: type, user).ruling
      try requireFeatures(ruling)
      return ruling
    }
  }

  /// As `require`, once the features that matter are known; at the moment, so never for a write.
  @discardableResult
  func permit(
    _ action: String,
    on id: String,
    type: String,
    _ user: UserIdentity
  ) async throws -> Ruling {
    try await knowingFeatures {
      let ruling = atTheMoment(action, on: id, type: type, user).ruling
      return try allowed(ruling, action, on: id, user)
    }
  }

  /// Runs `body` again once the features that it was missing are known.
  ///
  /// More than once, because they may change meanwhile; UNAVAILABLE when they cannot be asked for.
  func knowingFeatures<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    var attempts = 0
    while true {
      do {
        return try await body()
      } catch let error as RPCError {
        guard let missing = error.cause as? FeaturesMissing else { throw error }
        attempts += 1
        guard attempts <= 3 else { throw error }
        try await fetch(missing.holders, or: error)
      }
    }
  }

  private func fetch(_ holders: Set<FeatureHolder>, or unavailable: RPCError) async throws {
    do {
      // A few at a time: an operator's list may need those of every portfolio.
      var rest = Array(holders)[...]
      while !rest.isEmpty {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for holder in rest.prefix(16) {
            group.addTask { [features] in try await features.fetch(holder) }
          }
          try await group.waitForAll()
        }
        rest = rest.dropFirst(16)
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      var unavailable = unavailable
      unavailable.cause = error
      throw unavailable
    }
  }
}
