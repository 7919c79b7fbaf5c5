internal import AccessEngine
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// A check: may this subject do this to that.
struct PermissionCheck: Sendable {
  let subject: String
  let action: String
  let entity: String
  /// Whether what lies above the entity is to be reported as well.
  let wantsAncestors: Bool
}

/// The outcome of a check.
enum CheckOutcome: Sendable {
  /// It is decided at this revision, whose token is not in the message yet: making one takes a lock.
  case decided(revision: Int64)
  /// It takes features that have to be asked for first.
  case missing(FeatureHolder)
  /// There is no such action.
  case actionUnknown
}

/// The caller of checks.
struct CheckContext: Sendable {
  /// A user asks about itself and learns nothing of what it may not know of.
  let isUser: Bool
  /// How it has proved itself.
  let assurance: Assurance?
  let features: any FeatureSource

  init(isUser: Bool, assurance: Assurance?, features: any FeatureSource) {
    self.isUser = isUser
    self.assurance = assurance
    self.features = features
  }

  init(_ caller: Caller, _ core: TenancyCore) {
    self.init(
      isUser: caller.user != nil,
      assurance: caller.user?.assurance,
      features: core.features
    )
  }
}

extension Caller {
  /// The subject of a check: the calling user, or for a service the user that it names.
  ///
  /// PERMISSION_DENIED for users who ask about others.
  func subject(_ requested: String) throws(RPCError) -> String {
    switch self {
    case .user(let user):
      guard requested.isEmpty || requested == user.userID else { throw TenancyError.notSelf }
      return user.userID
    case .service:
      guard !requested.isEmpty else {
        throw ErrorCatalog.tenancy.invalid(
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
        context: policy.context(context.assurance),
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
    let known = policy.context(context.assurance)
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
