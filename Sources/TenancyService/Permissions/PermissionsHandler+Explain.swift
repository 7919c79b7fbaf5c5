internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

extension PermissionsHandler {
  func explain(
    _ request: Tenancy_V1.ExplainRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation {
    if let asOf = request.asOf {
      return try await explainPast(request, PastQuestion(request, asOf: asOf), call)
    }
    guard core.policy.action(named: request.action) != nil else {
      throw PermissionError.actionUnknown()
    }
    try await core.reach(atLeast: request.atLeastRevision)
    if let user = call.caller.user, !["", user.userID].contains(request.subjectId) {
      return try await explain(request, to: user, call)
    }
    return try await explain(
      request,
      of: try call.caller.subject(request.subjectId),
      CheckContext(call.caller, core)
    )
  }

  /// Explains a decision to a service, or to the user whom it is about.
  private func explain(
    _ request: Tenancy_V1.ExplainRequest,
    of subject: String,
    _ context: CheckContext
  ) async throws -> Tenancy_V1.Explanation {
    try await core.retrying {
      let ruling = try ruling(of: request, subject, context)
      guard let reasoning = ruling.reasoning else {
        return Tenancy_V1.Explanation(decision: ruling.decision)
      }
      // Users learn no more than Check tells them: of what they may not know, and while they may do
      // nothing, that alone.
      guard !context.isUser || reasoning.isReached && !reasoning.isSuspended else {
        return Tenancy_V1.Explanation(decision: ruling.decision)
      }
      try requireFeatures(reasoning)
      let level = context.isUser ? reasoning.explanation.accessLevel : .max
      return ReasoningMapping(accessLevel: level).message(reasoning, ruling.decision)
    }
  }

  /// Explains a decision about somebody to a user who may list the roles on the entity, or as a whole to a support
  /// person.
  private func explain(
    _ request: Tenancy_V1.ExplainRequest,
    to user: UserIdentity,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation {
    let core = core
    do {
      return try await core.read { tx in
        let held = try core.requireListing(on: request.entityId, user, tx)
        return try explain(request, to: user, held, tx)
      }
    } catch let refusal as RPCError where [.notFound, .permissionDenied].contains(refusal.code) {
      try await requireSupport(for: request, user, call, otherwise: refusal)
      let context = CheckContext(isUser: false, assurance: nil, features: core.features)
      let explanation = try await explain(request, of: request.subjectId, context)
      guard explanation.decision?.reason != .entityUnknown else { throw refusal }
      try await record(request, call)
      return explanation
    }
  }

  private func explainPast(
    _ request: Tenancy_V1.ExplainRequest,
    _ question: PastQuestion,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Explanation {
    guard let user = call.caller.user, !["", user.userID].contains(request.subjectId) else {
      return try await past(question, asker: call.caller.user, call)
    }
    do {
      return try await past(question, asker: user, call)
    } catch let refusal as RPCError where [.notFound, .permissionDenied].contains(refusal.code) {
      try await requireSupport(for: request, user, call, otherwise: refusal)
      let explanation = try await past(question, asker: nil, call)
      guard explanation.decision?.reason != .entityUnknown else { throw refusal }
      try await record(request, call)
      return explanation
    }
  }

  /// Throws `refusal` unless a support person or an operator asks about anything but the system: who administers
  /// everything is nobody's to read.
  private func requireSupport(
    for request: Tenancy_V1.ExplainRequest,
    _ user: UserIdentity,
    _ call: CallContext,
    otherwise refusal: RPCError
  ) async throws {
    guard request.entityId != Forest.systemIdentifier else { throw refusal }
    try await core.requireSupport(user, call, otherwise: refusal)
  }

  /// Writes down that a support person got an explanation.
  private func record(_ request: Tenancy_V1.ExplainRequest, _ call: CallContext) async throws {
    let look = core.engine.peek { forest in
      forest.root(of: request.entityId).map {
        OperatorLooks.Look(entityID: request.entityId, rootID: $0)
      }
    }
    try await core.recordExplanation(of: request.subjectId, look, call)
  }

  /// Explains a decision about somebody to a user who may list the roles on the entity.
  private func explain(
    _ request: Tenancy_V1.ExplainRequest,
    to user: UserIdentity,
    _ held: HeldEntity,
    _ tx: borrowing ReadTransaction
  ) throws -> Tenancy_V1.Explanation {
    let context = CheckContext(isUser: false, assurance: nil, features: core.features)
    let ruling = try ruling(of: request, request.subjectId, context)
    // The entity is there, or listing its roles would have been refused; unless it has gone since.
    guard let reasoning = ruling.reasoning else { throw TenancyError.notFound }
    try requireFeatures(reasoning)
    return try told(
      Ruling(decision: ruling.decision, reasoning: reasoning),
      accessLevel: held.explanation.accessLevel
    ) { id, type in
      try core.mayList(on: id, type: type, user, tx)
    }
  }

  /// A decision about somebody, and why.
  struct Ruling {
    var decision: Tenancy_V1.Decision
    var reasoning: Reasoning
  }

  /// The part of a ruling about somebody for a user who may list the roles on the entity.
  func told(
    _ ruling: Ruling,
    accessLevel: Int,
    mayList: (String, String) throws -> Bool
  ) throws -> Tenancy_V1.Explanation {
    var (decision, reasoning) = (ruling.decision, ruling.reasoning)
    if !reasoning.isReached {
      // What somebody has elsewhere is not the caller's to know, nor whether they are suspended.
      let explanation = reasoning.explanation
      reasoning.roles = []
      decision = Tenancy_V1.Decision(
        reason: explanation.reason == .outOfScope
          ? .noAssociation : Tenancy_V1.Reason(explanation.reason),
        sufficientRoles: explanation.sufficientRoles,
        validUntil: decision.validUntil.map { _ in .init(milliseconds: explanation.validUntil) },
        revision: decision.revision,
        // Which of its roles allows it is not reported, only that one does.
        details: decision.details.map {
          .init(assumedStepUps: $0.assumedStepUps, assumedFeatures: $0.assumedFeatures)
        }
      )
    }
    var listed: Set<String> = []
    for role in reasoning.roles where try mayList(role.entityID, role.entityType) {
      listed.insert(role.entityID)
    }
    if !listed.contains(decision.viaEntityId) {
      decision.viaEntityId = ""
      decision.associationId = ""
    }
    let mapping = ReasoningMapping(accessLevel: accessLevel, listed: listed)
    return mapping.message(reasoning, decision)
  }

  /// The ruling that Check answers by, of one instant and revision.
  private func ruling(
    of request: Tenancy_V1.ExplainRequest,
    _ subject: String,
    _ context: CheckContext
  ) throws -> (decision: Tenancy_V1.Decision, reasoning: Reasoning?) {
    let (now, features) = (core.clock.now, core.features)
    let check = PermissionCheck(
      subject: subject,
      action: request.action,
      entity: request.entityId,
      wantsAncestors: false
    )
    var decision = Tenancy_V1.Decision()
    let (outcome, reasoning) = try core.engine.read { forest in
      let reasoning = forest.policy.action(named: request.action).flatMap { action in
        forest.reasoning(
          subject: subject,
          action: action,
          entity: request.entityId,
          context: forest.context(context.assurance),
          now: now,
          features
        )
      }
      return (forest.decide(check, context, now: now, into: &decision), reasoning)
    }
    try settle(&decision, outcome, path: "")
    return (decision, reasoning)
  }

  private func requireFeatures(_ reasoning: Reasoning) throws(RPCError) {
    guard let holder = reasoning.missing else { return }
    throw TenancyError.featuresUnavailable([holder])
  }
}
