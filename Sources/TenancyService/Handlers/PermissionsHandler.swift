internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Permissions`: what the engine says, and what changes it.
struct PermissionsHandler: Tenancy_V1.PermissionsService {
  let core: TenancyCore

  /// Answers from memory, unless a later revision is asked for or a feature has to be.
  func check(
    _ request: Tenancy_V1.CheckRequest,
    _ call: CallContext
  ) throws -> Reply<Tenancy_V1.Decision> {
    let caller = call.caller
    let context = CheckContext(caller, core)
    let check = try check(request, context, caller)
    if request.atLeastRevision.isEmpty {
      let now = core.clock.now
      let answer = core.engine.read { $0.explain(check, context, now: now) }
      if let answer, answer.explanation.missing == nil { return .now(message(answer)) }
    }
    return .later {
      try await core.reach(atLeast: request.atLeastRevision)
      return message(
        try await core.retryingWithFeatures {
          let answer = core.engine.read { $0.explain(check, context, now: core.clock.now) }
          return try settled(answer, path: "")
        }
      )
    }
  }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse {
    let caller = call.caller
    let context = CheckContext(caller, core)
    var checks: [PermissionCheck] = []
    for requested in request.checks { checks.append(try check(requested, context, caller)) }
    for check in request.checks where !check.atLeastRevision.isEmpty {
      try await core.reach(atLeast: check.atLeastRevision)
    }
    let (now, asked) = (core.clock.now, checks)
    let answers = try await core.retryingWithFeatures { () throws(RPCError) in
      // One hold of the lock: all at one revision.
      let answers = core.engine.read { forest in
        var answers: [Checked?] = []
        for check in asked { answers.append(forest.explain(check, context, now: now)) }
        return answers
      }
      let missing = Set(answers.compactMap { $0?.explanation.missing })
      guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
      var settled: [Checked] = []
      for (index, answer) in answers.enumerated() {
        settled.append(try self.settled(answer, path: "checks[\(index)]."))
      }
      return settled
    }
    return Tenancy_V1.BatchCheckResponse(decisions: answers.map(message))
  }

  /// What is answered to a check.
  private typealias Checked = (explanation: Explanation, ancestors: [String])

  private func settled(_ answer: Checked?, path: String) throws(RPCError) -> Checked {
    guard let answer else {
      throw TenancyError.invalidField(
        "\(path)action",
        "ACTION_UNKNOWN",
        "is not an action of the policy"
      )
    }
    guard let missing = answer.explanation.missing else { return answer }
    throw TenancyError.featuresUnavailable([missing])
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
    let (context, now) = (CheckContext(call.caller, core), core.clock.now)
    let (entities, revision) = try await core.retryingWithFeatures {
      // A few entities for each hold of the lock: each answer is of this revision or a later one.
      let revision = core.engine.revision
      var (entities, missing): ([Tenancy_V1.EntityActions], Set<FeatureHolder>) = ([], [])
      var rest = request.entityIds[...]
      while !rest.isEmpty {
        let ids = rest.prefix(8)
        let listed = core.engine.read { forest in
          var listed: [(message: Tenancy_V1.EntityActions, missing: FeatureHolder?)] = []
          for id in ids { listed.append(forest.actions(of: subject, on: id, context, now: now)) }
          return listed
        }
        entities += listed.map(\.message)
        missing.formUnion(listed.compactMap(\.missing))
        rest = rest.dropFirst(8)
        if !rest.isEmpty { await Task.yield() }
      }
      guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
      return (entities, revision)
    }
    return Tenancy_V1.ListActionsResponse(
      entities: entities,
      revision: core.tokens.token(revision: revision)
    )
  }

  func listAccessible(
    _ request: Tenancy_V1.ListAccessibleRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListAccessibleResponse {
    let subject = try call.caller.subject(request.subjectId)
    let policy = core.policy
    guard policy.action(named: request.action) != nil else {
      throw TenancyError.invalidField("action", "ACTION_UNKNOWN", "is not an action of the policy")
    }
    guard policy.type(named: request.entityType) != nil else {
      throw TenancyError.invalidField("entity_type", "TYPE_UNKNOWN", "is not a type of the policy")
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
      acr: call.caller.user?.acr,
      TokenSealer.PageBinding(
        caller: call.caller.description,
        filter: ["ListAccessible", subject, request.action, request.entityType, "\(list.limit)"]
      )
    )
    return Tenancy_V1.ListAccessibleResponse(
      entityIds: page.ids,
      nextPageToken: page.nextToken,
      revision: core.tokens.token(revision: revision)
    )
  }

  private func message(_ answer: Checked) -> Tenancy_V1.Decision {
    let explanation = answer.explanation
    return Tenancy_V1.Decision(
      allowed: explanation.isAllowed,
      reason: Self.reason(explanation.reason),
      associationId: explanation.isAllowed ? explanation.associationID ?? "" : "",
      role: explanation.isAllowed ? explanation.role ?? "" : "",
      viaEntityId: explanation.isAllowed ? explanation.viaEntityID ?? "" : "",
      sufficientRoles: explanation.isAllowed ? [] : explanation.sufficientRoles,
      validUntil: .init(milliseconds: explanation.validUntil),
      revision: core.tokens.token(revision: explanation.revision),
      ancestorIds: answer.ancestors
    )
  }

  static func reason(_ code: ReasonCode) -> Tenancy_V1.Reason {
    switch code {
    case .allowed: .allowed
    case .subjectSuspended: .subjectSuspended
    case .entityUnknown: .entityUnknown
    case .deniedByRule: .deniedByRule
    case .notYetValid: .notYetValid
    case .expired: .expired
    case .roleLacksAction: .roleLacksAction
    case .outOfScope: .outOfScope
    case .noAssociation: .noAssociation
    case .featureNotAvailable: .featureNotAvailable
    case .stepUpRequired: .stepUpRequired
    case .deviceOffline: .deviceOffline
    case .remoteOperationDisabled: .remoteOperationDisabled
    case .operationNotSupported: .operationNotSupported
    }
  }
}
