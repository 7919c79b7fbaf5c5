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
    let question = try question(request, asker, call)
    if !request.atLeastRevision.isEmpty { try await core.reach(atLeast: request.atLeastRevision) }
    let now = core.clock.now
    return message(
      try await core.knowingFeatures {
        let answer = core.engine.read { $0.answer(question, asker, now: now) }
        return try settled(answer, path: "")
      }
    )
  }

  func batchCheck(
    _ request: Tenancy_V1.BatchCheckRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.BatchCheckResponse {
    let asker = Asker(call, core)
    var questions: [Question] = []
    for check in request.checks { questions.append(try question(check, asker, call)) }
    for check in request.checks where !check.atLeastRevision.isEmpty {
      try await core.reach(atLeast: check.atLeastRevision)
    }
    let (now, asked) = (core.clock.now, questions)
    let answers = try await core.knowingFeatures { () throws(RPCError) in
      // One hold of the lock: all at one revision.
      let answers = core.engine.read { forest in
        var answers: [Answer?] = []
        for question in asked { answers.append(forest.answer(question, asker, now: now)) }
        return answers
      }
      let missing = Set(answers.compactMap { $0?.missing })
      guard missing.isEmpty else { throw TenancyError.featuresUnavailable(missing) }
      var settled: [Answer] = []
      for (index, answer) in answers.enumerated() {
        settled.append(try self.settled(answer, path: "checks[\(index)]."))
      }
      return settled
    }
    return Tenancy_V1.BatchCheckResponse(decisions: answers.map(message))
  }

  private func settled(_ answer: Answer?, path: String) throws(RPCError) -> Answer {
    guard let answer else {
      throw TenancyError.invalidField("\(path)action", "ACTION_UNKNOWN", "is no action")
    }
    guard let missing = answer.missing else { return answer }
    throw TenancyError.featuresUnavailable([missing])
  }

  private func question(
    _ request: Tenancy_V1.CheckRequest,
    _ asker: Asker,
    _ call: CallContext
  ) throws(RPCError) -> Question {
    let subject = try call.subject(request.subjectId)
    return Question(
      subject: subject,
      action: request.action,
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
    let (asker, now) = (Asker(call, core), core.clock.now)
    let (entities, revision) = try await core.knowingFeatures {
      // A few entities for each hold of the lock: each answer is of this revision or a later one.
      let revision = core.engine.revision
      var (entities, missing): ([Tenancy_V1.EntityActions], Set<FeatureHolder>) = ([], [])
      var rest = request.entityIds[...]
      while !rest.isEmpty {
        let ids = rest.prefix(8)
        let listed = core.engine.read { forest in
          var listed: [(message: Tenancy_V1.EntityActions, missing: FeatureHolder?)] = []
          for id in ids { listed.append(forest.actions(of: subject, on: id, asker, now: now)) }
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
    let subject = try call.subject(request.subjectId)
    let policy = core.policy
    guard policy.action(named: request.action) != nil else {
      throw TenancyError.invalidField("action", "ACTION_UNKNOWN", "is no action")
    }
    guard policy.type(named: request.entityType) != nil else {
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
  let action: String
  let entity: String
  let wantsAncestors: Bool
}

/// What is answered to a question.
struct Answer: Sendable {
  let evidence: Evidence
  /// What lies above the entity, if that was asked for.
  let ancestors: [String]
  /// Whose features have to be known before this is more than a guess.
  let missing: FeatureHolder?
}

/// Who asks, and what is known of the subject.
struct Asker: Sendable {
  /// A user asks about itself and learns nothing of what it may not know of.
  let isUser: Bool
  /// How it has proved itself.
  let acr: String?
  let features: any FeatureSource

  init(_ call: CallContext, _ core: TenancyCore) {
    isUser = call.caller.user != nil
    acr = call.caller.user?.acr
    features = core.features
  }
}

extension Forest {
  /// Every action that a subject may do on an entity, sorted; none on an unknown one.
  func actions(
    of subject: String,
    on id: String,
    _ asker: Asker,
    now: Int64
  ) -> (message: Tenancy_V1.EntityActions, missing: FeatureHolder?) {
    var actions: [String] = []
    var validUntil = now + Decision.lifetimeMax
    var missing: FeatureHolder?
    if let entity = entity(id) {
      let listed = listActions(
        subject: subjects.find(subject),
        entity: entity,
        context: policy.context(acr: asker.acr),
        now: now,
        asker.features
      )
      actions = listed.actions.map { policy[$0] }.sorted()
      validUntil = listed.validUntil
      missing = listed.missing
    }
    let message = Tenancy_V1.EntityActions(
      entityId: id,
      actions: actions,
      validUntil: .init(milliseconds: validUntil)
    )
    return (message, missing)
  }

  /// The answer to a question, as far as the asker may know; nil when there is no such action.
  func answer(_ question: Question, _ asker: Asker, now: Int64) -> Answer? {
    guard let action = policy.action(named: question.action) else { return nil }
    let context = policy.context(acr: asker.acr)
    let decision = decide(
      subject: question.subject,
      action: action,
      entity: question.entity,
      context: context,
      now: now
    )
    var missing: FeatureHolder?
    var settled = decision
    if decision.reason == .featureNotAvailable {
      let verdict = settle(
        decision,
        subject: subjects.find(question.subject),
        action: action,
        entity: entity(question.entity),
        context: context,
        now: now,
        asker.features
      )
      (settled, missing) = (verdict.decision, verdict.missing)
    }
    return Answer(
      evidence: evidence(of: settled, asker),
      ancestors: question.wantsAncestors ? ancestors(of: question.entity) : [],
      missing: missing
    )
  }

  private func evidence(of decision: Decision, _ asker: Asker) -> Evidence {
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
