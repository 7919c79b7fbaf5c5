internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

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

  init(_ caller: Caller, _ core: TenancyCore) {
    isUser = caller.user != nil
    acr = caller.user?.acr
    features = core.features
  }
}

extension Caller {
  /// Whom a question is about: the calling user, or for a service whoever it names.
  ///
  /// PERMISSION_DENIED for users who ask about others.
  func subject(_ requested: String) throws(RPCError) -> String {
    switch self {
    case .user(let user):
      guard requested.isEmpty || requested == user.userID else { throw TenancyError.notSelf }
      return user.userID
    case .service:
      guard !requested.isEmpty else {
        throw TenancyError.invalidField(
          "subject",
          "REQUIRED",
          "must be set, because the caller is a service"
        )
      }
      return requested
    case .anonymous: throw IdentityError.unauthenticated
    }
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
        subject: self.subject(subject),
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
        subject: self.subject(question.subject),
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
