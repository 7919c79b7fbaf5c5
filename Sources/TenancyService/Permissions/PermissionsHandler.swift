internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Permissions`: what the engine says, and what changes it.
struct PermissionsHandler: Tenancy_V1.PermissionsService {
  let core: TenancyCore
  let pastPolicies: PastPolicies

  /// Answers from memory, unless a later revision is asked for or a feature has to be.
  func check(
    _ request: Tenancy_V1.CheckRequest,
    _ call: CallContext
  ) throws -> Reply<Tenancy_V1.Decision> {
    if let asOf = request.asOf {
      let question = PastQuestion(request, asOf: asOf)
      return .later { try await past(question, asker: call.caller.user, call).decision ?? .init() }
    }
    let caller = call.caller
    let context = CheckContext(caller, core)
    let check = try check(request, context, caller)
    if try core.hasReached(request.atLeastRevision) {
      var decision = Tenancy_V1.Decision()
      if case .decided(let revision)? = try? decide(check, context, into: &decision) {
        decision.revision = core.tokens.token(revision: revision)
        return .now(decision)
      }
    }
    return .later {
      try await core.reach(atLeast: request.atLeastRevision)
      return try await core.retrying {
        var (outcome, decision) = try await core.ask(PartQuestion([check])) { forest, now in
          var decision = Tenancy_V1.Decision()
          let outcome = forest.decide(check, context, now: now, into: &decision)
          return (outcome, decision)
        }
        try settle(&decision, outcome, path: "")
        return decision
      }
    }
  }

  private func decide(
    _ check: PermissionCheck,
    _ context: CheckContext,
    into decision: inout Tenancy_V1.Decision
  ) throws -> CheckOutcome {
    let now = core.clock.now
    return try core.engine.read { $0.decide(check, context, now: now, into: &decision) }
  }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse {
    let caller = call.caller
    let context = CheckContext(caller, core)
    var checks: [PermissionCheck] = []
    for (index, requested) in request.checks.enumerated() {
      guard requested.asOf == nil else { throw PermissionError.asOfInBatch(index) }
      checks.append(try check(requested, context, caller))
    }
    for check in request.checks where !check.atLeastRevision.isEmpty {
      try await core.reach(atLeast: check.atLeastRevision)
    }
    let asked = checks
    let decisions = try await core.retrying {
      // One hold of the lock, or one part of a snapshot: all at one revision.
      var (outcomes, decisions) = try await core.ask(PartQuestion(asked)) { forest, now in
        var outcomes: [CheckOutcome] = []
        var decisions = [Tenancy_V1.Decision](repeating: .init(), count: asked.count)
        for (index, check) in asked.enumerated() {
          outcomes.append(forest.decide(check, context, now: now, into: &decisions[index]))
        }
        return (outcomes, decisions)
      }
      let missing = Set(
        outcomes.compactMap { if case .missing(let holder) = $0 { holder } else { nil } }
      )
      guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
      for (index, outcome) in outcomes.enumerated() {
        try settle(&decisions[index], outcome, path: "checks[\(index)].")
      }
      return decisions
    }
    return Tenancy_V1.BatchCheckResponse(decisions: decisions)
  }

  /// Finishes a decision, or throws why there is none.
  func settle(
    _ decision: inout Tenancy_V1.Decision,
    _ outcome: CheckOutcome,
    path: String
  ) throws(RPCError) {
    switch outcome {
    case .decided(let revision): decision.revision = core.tokens.token(revision: revision)
    case .missing(let holder): throw TenancyError.featuresUnavailable([holder])
    case .actionUnknown:
      throw PermissionError.actionUnknown("\(path)action")
    }
  }

  private func check(
    _ request: Tenancy_V1.CheckRequest,
    _ context: CheckContext,
    _ caller: Caller
  ) throws(RPCError) -> PermissionCheck {
    let subject = try caller.subject(request.subjectId)
    return PermissionCheck(
      subject: subject,
      action: request.action,
      entity: request.entityId,
      // For services: what lies above an object that it may not see is no user's business.
      wantsAncestors: request.forCache && !context.isUser
    )
  }

  func listActions(
    _ request: Tenancy_V1.ListActionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListActionsResponse {
    let subject = try call.caller.subject(request.subjectId)
    try await core.reach(atLeast: request.atLeastRevision)
    let context = CheckContext(call.caller, core)
    let (entities, revision) = try await core.retrying {
      // A few entities for each hold of the lock: each answer is of the first one's revision or a later one.
      var first: Int64?
      var (entities, missing): ([Tenancy_V1.EntityActions], Set<FeatureHolder>) = ([], [])
      var rest = request.entityIds[...]
      while !rest.isEmpty {
        let ids = rest.prefix(8)
        let question = PartQuestion(subjects: [subject], entities: Set(ids))
        let (listed, revision) = try await core.ask(question) { forest, now in
          var listed: [(message: Tenancy_V1.EntityActions, missing: FeatureHolder?)] = []
          for id in ids { listed.append(forest.actions(of: subject, on: id, context, now: now)) }
          return (listed, forest.revision)
        }
        first = first ?? revision
        entities += listed.map(\.message)
        missing.formUnion(listed.compactMap(\.missing))
        rest = rest.dropFirst(8)
        if !rest.isEmpty { await Task.yield() }
      }
      guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
      return (entities, first ?? core.engine.revision)
    }
    return .init(entities: entities, revision: core.tokens.token(revision: revision))
  }

  func listAccessible(
    _ request: Tenancy_V1.ListAccessibleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAccessibleResponse {
    let subject = try call.caller.subject(request.subjectId)
    let policy = core.policy
    guard policy.action(named: request.action) != nil else {
      throw PermissionError.actionUnknown()
    }
    guard policy.type(named: request.entityType) != nil else {
      throw ErrorCatalog.tenancy.invalid(
        "entity_type",
        "TYPE_UNKNOWN",
        "is not a type of the policy"
      )
    }
    try await core.reach(atLeast: request.atLeastRevision)
    let list = EntityList(
      action: request.action,
      type: request.entityType,
      sortBy: "id",
      pageSize: request.pageSize,
      pageToken: request.pageToken
    )
    let revision = core.engine.revision
    let page = try await core.page(
      list,
      subject: subject,
      assurance: call.caller.user?.assurance(at: core.clock.now),
      TokenSealer.PageBinding(
        caller: call.caller.description,
        filter: ["ListAccessible", subject, request.action, request.entityType]
      )
    )
    return Tenancy_V1.ListAccessibleResponse(
      entityIds: page.ids,
      nextPageToken: page.nextToken,
      revision: core.tokens.token(revision: revision)
    )
  }
}
