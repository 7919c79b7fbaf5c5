internal import AccessEngine
internal import PeerContracts
internal import ServiceKit

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
        context: self.context(context.assurance),
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

  /// Decides a check and says so in `message`, as far as the caller may know.
  ///
  /// Written into a message and not by way of an `Explanation`: on the hottest path there is, each copy
  /// of what holds so many texts is felt.
  func decide(
    _ check: PermissionCheck,
    _ context: CheckContext,
    now: Int64,
    into message: inout Tenancy_V1.Decision
  ) -> CheckOutcome {
    guard let action = policy.action(named: check.action) else { return .actionUnknown }
    let known = self.context(context.assurance)
    var decision = decide(
      subject: check.subject,
      action: action,
      entity: check.entity,
      context: known,
      now: now
    )
    if decision.reason == .featureNotAvailable {
      let entity = entity(check.entity)
      decision = settle(
        decision,
        subject: subject(check.subject),
        action: action,
        entity: entity,
        context: known,
        now: now,
        context.features
      )
      if decision.lacksFeatures, let holder = entity.flatMap({ featureHolder(of: $0) }) {
        return .missing(holder)
      }
    }
    explain(decision, isShown: !context.isUser || decision.isShown, in: &message)
    if check.wantsAncestors { message.ancestorIds = ancestors(of: check.entity) }
    return .decided(revision: decision.revision)
  }

  private func explain(
    _ decision: Decision,
    isShown: Bool,
    in message: inout Tenancy_V1.Decision
  ) {
    message.reason = Tenancy_V1.Reason(isShown ? decision.reason : .entityUnknown)
    message.validUntil = .init(milliseconds: decision.validUntil)
    guard isShown else { return }
    guard decision.isAllowed else {
      message.sufficientRoles = decision.sufficientRoles.roles.map { name(of: $0) }
      return
    }
    message.allowed = true
    if let association = decision.association {
      message.associationId = identifier(ofAssociation: association)
      if let custom = variantName(ofAssociation: association) {
        message.details = .init(customRole: custom)
      }
    }
    if let role = decision.role { message.role = name(of: role) }
    if let via = decision.via { message.viaEntityId = identifier(of: via) }
  }
}

extension Tenancy_V1.Reason {
  /// The reason as contracts have it.
  init(_ code: ReasonCode) {
    self =
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
