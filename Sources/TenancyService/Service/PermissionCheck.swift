internal import AccessEngine
internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What is asked: may this subject do this to that.
struct PermissionCheck: Sendable {
  let subject: String
  let action: String
  let entity: String
  /// Whether what lies above the entity is to be told as well.
  let wantsAncestors: Bool
}

/// What is known of the caller of checks.
struct CheckContext: Sendable {
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
  /// Whom a check is about: the calling user, or for a service whoever it names.
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
    _ context: CheckContext,
    now: Int64
  ) -> (message: Tenancy_V1.EntityActions, missing: FeatureHolder?) {
    var actions: [String] = []
    var validUntil = now + Decision.lifetimeMax
    var missing: FeatureHolder?
    if let entity = entity(id) {
      let listed = listActions(
        subject: self.subject(subject),
        entity: entity,
        context: policy.context(acr: context.acr),
        now: now,
        context.features
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

  /// What is decided on a check, as far as the caller may know, and the entities above the entity if it
  /// asks for them; nil when there is no such action.
  func explain(
    _ check: PermissionCheck,
    _ context: CheckContext,
    now: Int64
  ) -> (explanation: Explanation, ancestors: [String])? {
    guard let action = policy.action(named: check.action) else { return nil }
    let known = policy.context(acr: context.acr)
    var decision = decide(
      subject: check.subject,
      action: action,
      entity: check.entity,
      context: known,
      now: now
    )
    if decision.reason == .featureNotAvailable {
      decision = settle(
        decision,
        subject: subject(check.subject),
        action: action,
        entity: entity(check.entity),
        context: known,
        now: now,
        context.features
      )
    }
    let holding = decision.lacksFeatures ? entity(check.entity) : nil
    let explanation = explanation(of: decision, on: holding)
    return (
      context.isUser && !explanation.isKnown ? explanation.hidden : explanation,
      check.wantsAncestors ? ancestors(of: check.entity) : []
    )
  }
}
