/// What a decision found: the one answer, of which "allowed" is a view.
///
/// The cases stand in the order of precedence, the first that applies is the reason. Association
/// comes before rules and conditions, so that nobody learns about the state of an object without
/// a role on it; what the subject can do something about now (a step-up) comes last, so that nobody
/// is asked for a PIN in vain.
public enum ReasonCode: String, CaseIterable, Sendable {
  /// No such entity, or one that was deleted.
  case entityUnknown = "ENTITY_UNKNOWN"
  /// The subject may do nothing at the moment.
  case subjectSuspended = "SUBJECT_SUSPENDED"
  /// The subject has no association with any entity.
  case noAssociation = "NO_ASSOCIATION"
  /// The subject has associations, but none that reaches this entity.
  case outOfScope = "OUT_OF_SCOPE"
  /// An association reaches the entity, but no role that the subject has there grants the action.
  case roleLacksAction = "ROLE_LACKS_ACTION"
  /// A role grants the action from a later instant on.
  case notYetValid = "NOT_YET_VALID"
  /// A role granted the action until an earlier instant.
  case expired = "EXPIRED"
  /// A role grants the action, a rule of the policy forbids it.
  case deniedByRule = "DENIED_BY_RULE"
  /// The action needs a feature that was not paid for.
  case featureNotAvailable = "FEATURE_NOT_AVAILABLE"
  /// The device is not to be operated from afar.
  case remoteOperationDisabled = "REMOTE_OPERATION_DISABLED"
  /// The device cannot be reached.
  case deviceOffline = "DEVICE_OFFLINE"
  /// The subject must first prove itself once more.
  case stepUpRequired = "STEP_UP_REQUIRED"
  /// Go ahead.
  case allowed = "ALLOWED"

  /// The place in the order of precedence; lower wins.
  var precedence: Int {
    switch self {
    case .entityUnknown: 0
    case .subjectSuspended: 1
    case .noAssociation: 2
    case .outOfScope: 3
    case .roleLacksAction: 4
    case .notYetValid: 5
    case .expired: 6
    case .deniedByRule: 7
    case .featureNotAvailable: 8
    case .remoteOperationDisabled: 9
    case .deviceOffline: 10
    case .stepUpRequired: 11
    case .allowed: 12
    }
  }

  /// The reasons that a policy may give to a condition on an attribute that does not hold.
  static let ofAttributes: [ReasonCode] = [.deniedByRule, .remoteOperationDisabled, .deviceOffline]
}
