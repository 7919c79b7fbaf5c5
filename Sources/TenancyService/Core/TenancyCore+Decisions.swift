internal import AccessEngine
internal import RPCKit
internal import ServiceKit

/// The holders whose features have to be asked for; the cause of an UNAVAILABLE that becomes none when they
/// are.
struct FeaturesMissing: Error {
  let holders: Set<FeatureHolder>
}

extension TenancyCore {
  /// The type that the name of a product's action begins with: `unit` of `unit.view`.
  ///
  /// What is asked about an object without naming its type is about one of this.
  static func type(of action: String) -> String { String(action.prefix { $0 != "." }) }

  // MARK: In a transaction, where nobody can wait

  /// The decision about a user and an object of a type.
  ///
  /// In a write, every change before it counts, those included that were not committed yet: it runs
  /// again when one of them could make a difference. Pass on what this throws. Without `needsFeatures` it is
  /// decided as if all were paid for: the one who had something may give it up without the plan for it.
  func decide(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity,
    needsFeatures: Bool = true,
    _ tx: borrowing some Queryable
  ) throws -> Explanation {
    let (explanation, grounds) = try currentRuling(
      action,
      on: id,
      type: type,
      user,
      needsFeatures: needsFeatures,
      tx
    )
    try grounds?.hold(for: user.userID, isDenial: !explanation.isAllowed, tx)
    return explanation
  }

  /// As `decide`; UNAVAILABLE when features are not known, which `write` and `read` then ask for.
  func ruling(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity,
    _ tx: borrowing some Queryable
  ) throws -> Explanation {
    let explanation = try decide(action, on: id, type: type, user, tx)
    try requireFeatures(explanation)
    return explanation
  }

  /// Throws unless a user may do something to an object: NOT_FOUND when it must not know of it.
  ///
  /// Decides as `decide` does. UNAVAILABLE when features are not known, which `write` and `read` then
  /// ask for before they try again.
  @discardableResult
  func require(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity,
    needsFeatures: Bool = true,
    _ tx: borrowing some Queryable
  ) throws -> Explanation {
    let explanation = try decide(
      action,
      on: id,
      type: type,
      user,
      needsFeatures: needsFeatures,
      tx
    )
    return try allowed(explanation, action, on: id, user)
  }

  /// Throws when a user may do nothing at all.
  func requireNotSuspended(_ user: UserIdentity, _ tx: borrowing WriteTransaction) throws {
    try tx.rely(on: .suspension(of: user.userID))
    try requireNotSuspended(user)
  }

  /// Throws when a user may do nothing at all; at the moment, so never for a write.
  func requireNotSuspended(_ user: UserIdentity) throws(RPCError) {
    guard engine.peek({ $0.isSuspended(user.userID) }) else { return }
    throw TenancyError.suspended
  }

  /// UNAVAILABLE when a decision is only a guess: no evidence is neither an allowance nor a denial.
  func requireFeatures(_ explanation: Explanation) throws(RPCError) {
    guard let holder = explanation.missing else { return }
    throw TenancyError.featuresUnavailable([holder])
  }

  private func allowed(
    _ explanation: Explanation,
    _ action: String,
    on id: String,
    _ user: UserIdentity
  ) throws(RPCError) -> Explanation {
    guard !explanation.isAllowed else {
      firstUses.note(user.userID, on: id)
      if explanation.viaEntityID == Forest.systemIdentifier, id != Forest.systemIdentifier {
        operatorLooks.note(user.userID, on: id) {
          engine.peek { $0.root(of: id) }
        }
      }
      return explanation
    }
    try requireFeatures(explanation)
    guard explanation.isKnown else {
      throw TenancyError.notFound.denying(action, on: id, because: explanation.reason)
    }
    throw denied(explanation, action, on: id)
  }

  /// As the other one, by a decision.
  func denied(_ explanation: Explanation, _ action: String, on id: String) -> RPCError {
    // One that the caller has does not suffice as it has it: through a link, or as a tenant-defined one.
    let names = explanation.decision.heldRoles.roles.map { explanation.policy[$0].name }
    let others = explanation.sufficientRoles.filter { !names.contains($0) }
    return denied(
      explanation.reason,
      action,
      on: id,
      sufficientRoles: others.isEmpty ? explanation.sufficientRoles : others,
      held: explanation.decision.heldRoles
    )
  }

  /// A known object, the reason against an action on it, and what would help: which step-up, or what
  /// would unlock a feature.
  func denied(
    _ reason: ReasonCode,
    _ action: String,
    on id: String,
    sufficientRoles: [String],
    held: RoleSet? = nil
  ) -> RPCError {
    var lacked: (feature: String, unlocking: [String: String])?
    var stepUps: [String] = []
    if reason == .stepUpRequired {
      stepUps = engine.peek { forest in
        guard let action = forest.policy.action(named: action), let entity = forest.held(id)
        else { return [] }
        return forest.policy.stepUps(of: action, on: forest.type(entity), held: held)
      }
    }
    if reason == .featureNotAvailable {
      let (now, features) = (clock.now, features)
      let found = engine.peek { forest -> (feature: String, holder: FeatureHolder)? in
        guard let action = forest.policy.action(named: action), let entity = forest.held(id)
        else { return nil }
        return forest.lackedFeature(action, on: entity, now: now, features)
      }
      lacked = found.map { ($0.feature, features.unlocking($0.feature, of: $0.holder)) }
    }
    return TenancyError.denied(
      reason,
      action: action,
      sufficientRoles: sufficientRoles,
      lacking: lacked,
      stepUps: stepUps
    ).denying(action, on: id, because: reason)
  }

  /// The engine's ruling in a transaction, and what that rests on; an entity that the same write has made is not there
  /// yet.
  private func currentRuling(
    _ action: String,
    on id: String,
    type: String?,
    _ user: UserIdentity,
    needsFeatures: Bool,
    _ tx: borrowing some Queryable
  ) throws -> (explanation: Explanation, grounds: DecisionDependencies?) {
    do {
      return try currentRuling(
        action,
        on: id,
        type: type,
        user,
        needsFeatures: needsFeatures,
        wantsDependencies: tx.mayConflict
      )
    } catch let error as RPCError where error.cause is TreesMissing {
      guard tx.hasTouched(.creation(of: id)) else { throw error }
      return try currentRuling(
        action,
        on: id,
        type: type,
        user,
        needsFeatures: needsFeatures,
        wantsDependencies: tx.mayConflict,
        isNew: true
      )
    }
  }

  /// The engine's ruling, and what that rests on.
  ///
  /// Private, so that nothing else decides on memory while a transaction is open.
  private func currentRuling(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity,
    needsFeatures: Bool = true,
    wantsDependencies: Bool = false,
    isNew: Bool = false
  ) throws -> (explanation: Explanation, grounds: DecisionDependencies?) {
    let (now, features) = (clock.now, features)
    return try engine.read { forest in
      let policy = forest.policy
      let actionID = policy.action(named: action)
      let typeID = policy.type(named: type ?? Self.type(of: action))
      // An object of another type is ignored, and so is an action that the policy lost.
      let found = isNew ? forest.held(id) : forest.entity(id)
      let entity = found.flatMap { entity in
        actionID != nil && forest.type(entity) == typeID ? entity : nil
      }
      let context = forest.context(user.assurance(at: now))
      let decision = forest.decide(
        subject: forest.subject(user.userID),
        action: actionID ?? ActionID.any,
        entity: entity,
        context: needsFeatures ? context : context.withAllFeatures,
        now: now,
        features
      )
      if !isNew { forest.lack(for: decision, subject: user.userID, entity: id) }
      let explanation = forest.explanation(of: decision, on: entity)
      return (explanation, wantsDependencies ? DecisionDependencies(of: id, forest) : nil)
    }
  }

  // MARK: Where one can wait

  /// As `decide`, once the features that matter are known; at the moment, so never for a write.
  func explanation(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity
  ) async throws -> Explanation {
    try await retrying {
      let explanation = try currentRuling(action, on: id, type: type, user).explanation
      try requireFeatures(explanation)
      return explanation
    }
  }

  /// As `require`, once the features that matter are known; at the moment, so never for a write.
  @discardableResult
  func permit(
    _ action: String,
    on id: String,
    type: String? = nil,
    _ user: UserIdentity
  ) async throws -> Explanation {
    try await retrying {
      let explanation = try currentRuling(action, on: id, type: type, user).explanation
      return try allowed(explanation, action, on: id, user)
    }
  }

  /// Throws unless a user may view what bounds a list, or has a role on something below it: the list has what the
  /// user may see there, and what is foreign is refused like what is not there.
  func permitBound(_ id: String, type: String, _ user: UserIdentity) async throws {
    let action = "\(type).view"
    let explanation = try await explanation(action, on: id, type: type, user)
    guard !explanation.isAllowed,
      try await !retrying({ try hasRoleBelow(id, type: type, user) })
    else { return }
    _ = try allowed(explanation, action, on: id, user)
  }

  /// Whether a user has a role that is not over below an entity, which is of a type if that is given.
  func hasRoleBelow(_ id: String, type: String? = nil, _ user: UserIdentity) throws -> Bool {
    let now = clock.now
    return try engine.read { forest in
      guard let entity = forest.entity(id),
        type.map({ forest.policy.type(named: $0) == forest.type(entity) }) != false
      else { return false }
      return forest.hasRole(user.userID, below: entity, now: now)
    }
  }

  /// Runs `body` again once the features and limits that it was missing are known, and the trees in memory.
  ///
  /// More than once, because they may change in the meantime, and what it needs may show only step by step;
  /// UNAVAILABLE when they are not available. A refusal for a limit gets what would allow the request.
  func retrying<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    var (attempts, repetitions) = (0, 0)
    var (loaded, pinned): (Set<Missing>, [String]) = ([], [])
    defer { engine.unpin(pinned) }
    while true {
      do {
        return try await body()
      } catch let error as RPCError {
        if let exceeded = error.cause as? LimitExceeded { throw await answer(exceeded) }
        if let trees = error.cause as? TreesMissing, repetitions < Self.repetitionCountMax {
          // A page of a hundred trees may lack them one by one; only what was loaded before is a repetition.
          if trees.missing.isSubset(of: loaded) { repetitions += 1 }
          loaded.formUnion(trees.missing)
          pinned += try await loader.load(trees.missing)
          continue
        }
        guard let missing = error.cause as? FeaturesMissing else { throw error }
        attempts += 1
        guard attempts <= 3 else { throw error }
        try await fetch(missing.holders, or: error)
      }
    }
  }

  /// Times that one question has trees loaded that it had loaded before: changes overtake what was read.
  private static let repetitionCountMax = 16

  private func answer(_ exceeded: LimitExceeded) async -> RPCError {
    exceeded.answer(
      await features.raising(
        exceeded.limit,
        of: exceeded.holder,
        count: exceeded.count,
        requested: exceeded.requested
      )
    )
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
