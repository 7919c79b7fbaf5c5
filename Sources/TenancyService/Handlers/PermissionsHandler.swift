internal import Contracts
internal import RPCKit
internal import ServiceKit

/// `tenancy.v1.Permissions`: what the engine says, and what changes it.
struct PermissionsHandler: Tenancy_V1.PermissionsService {
  let core: TenancyCore

  func check(
    _ request: Tenancy_V1.CheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.Decision {
    let asker = Asker(call, core)
    let question = try question(request, asker, call, path: "")
    if !request.atLeastRevision.isEmpty { try await core.reach(atLeast: request.atLeastRevision) }
    let now = core.clock.now
    let answer = core.engine.read { $0.answer(question, asker, now: now) }
    return message(answer)
  }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse {
    let asker = Asker(call, core)
    var questions: [Question] = []
    for (index, check) in request.checks.enumerated() {
      questions.append(try question(check, asker, call, path: "checks[\(index)]."))
    }
    for check in request.checks where !check.atLeastRevision.isEmpty {
      try await core.reach(atLeast: check.atLeastRevision)
    }
    let (now, asked) = (core.clock.now, questions)
    // One hold of the lock: all at one revision.
    let answers = core.engine.read { forest in
      var answers: [Answer] = []
      for question in asked { answers.append(forest.answer(question, asker, now: now)) }
      return answers
    }
    return Tenancy_V1.BatchCheckResponse(decisions: answers.map(message))
  }

  private func question(
    _ request: Tenancy_V1.CheckRequest,
    _ asker: Asker,
    _ call: CallContext,
    path: String
  ) throws(RPCError) -> Question {
    let subject = try call.subject(request.subjectId)
    guard let action = core.policy.action(named: request.action) else {
      throw TenancyError.invalidField("\(path)action", "ACTION_UNKNOWN", "is no action")
    }
    return Question(
      subject: subject,
      action: action,
      entity: request.entityId,
      // For services: what lies above an object that it may not see is no user's business.
      wantsAncestors: request.forCache && !asker.isUser
    )
  }

  func listActions(
    _ request: Tenancy_V1.ListActionsRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.ListActionsResponse {
    let subject = try call.subject(request.subjectId)
    try await core.reach(atLeast: request.atLeastRevision)
    let (asker, now, policy) = (Asker(call, core), core.clock.now, core.policy)
    let (entities, revision) = core.engine.read { forest in
      let number = forest.subjects.find(subject)
      var entities: [Tenancy_V1.EntityActions] = []
      for id in request.entityIds {
        var actions: [String] = []
        var validUntil = now + Decision.lifetimeMax
        if let entity = forest.entity(id) {
          let listed = forest.listActions(
            subject: number,
            entity: entity,
            context: asker.context,
            now: now
          )
          actions = listed.actions.map { policy[$0] }.sorted()
          validUntil = listed.validUntil
        }
        entities.append(
          Tenancy_V1.EntityActions(
            entityId: id,
            actions: actions,
            validUntil: .init(milliseconds: validUntil)
          )
        )
      }
      return (entities, forest.revision)
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
    let subject = try call.subject(request.subjectId)
    guard core.policy.action(named: request.action) != nil else {
      throw TenancyError.invalidField("action", "ACTION_UNKNOWN", "is no action")
    }
    guard core.policy.type(named: request.entityType) != nil else {
      throw TenancyError.invalidField("entity_type", "TYPE_UNKNOWN", "is no type")
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
    let page = try core.page(
      list,
      subject: subject,
      context: Asker(call, core).context,
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

  private func message(_ answer: Answer) -> Tenancy_V1.Decision {
    let evidence = answer.evidence
    return Tenancy_V1.Decision(
      allowed: evidence.isAllowed,
      reason: Self.reason(evidence.reason),
      associationId: evidence.isAllowed ? evidence.associationID ?? "" : "",
      role: evidence.isAllowed ? evidence.role ?? "" : "",
      viaEntityId: evidence.isAllowed ? evidence.viaEntityID ?? "" : "",
      sufficientRoles: evidence.isAllowed ? [] : evidence.sufficientRoles,
      validUntil: .init(milliseconds: evidence.validUntil),
      revision: core.tokens.token(revision: evidence.revision),
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
    }
  }
}

/// One question to the engine.
struct Question: Sendable {
  let subject: String
  let action: ActionID
  let entity: String
  let wantsAncestors: Bool
}

/// What is answered to a question.
struct Answer: Sendable {
  let evidence: Evidence
  /// What lies above the entity, if that was asked for.
  let ancestors: [String]
}

/// Who asks, and what is known of the subject.
struct Asker: Sendable {
  /// A user asks about itself and learns nothing of what it may not know of.
  let isUser: Bool
  let context: DecisionContext

  init(_ call: CallContext, _ core: TenancyCore) {
    isUser = call.caller.user != nil
    context = call.caller.user.map { core.context(of: $0) } ?? .plain
  }
}

extension Forest {
  /// The answer to a question, as far as the asker may know.
  func answer(_ question: Question, _ asker: Asker, now: Int64) -> Answer {
    Answer(
      evidence: evidence(question, asker, now: now),
      ancestors: question.wantsAncestors ? ancestors(of: question.entity) : []
    )
  }

  private func evidence(_ question: Question, _ asker: Asker, now: Int64) -> Evidence {
    let decision = decide(
      subject: question.subject,
      action: question.action,
      entity: question.entity,
      context: asker.context,
      now: now
    )
    guard asker.isUser, !decision.isKnown, decision.reason != .subjectSuspended else {
      return evidence(of: decision)
    }
    return Evidence(
      reason: .entityUnknown,
      associationID: nil,
      role: nil,
      viaEntityID: nil,
      sufficientRoles: [],
      validUntil: decision.validUntil,
      revision: decision.revision
    )
  }
}
