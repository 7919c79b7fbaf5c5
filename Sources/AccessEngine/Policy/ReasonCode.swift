/// The finding of a decision: the one answer, of which "allowed" is a view.
///
/// The cases after `allowed` stand in the order of precedence: when several hold, the first is the
/// reason. It is the order of `tenancy.v1.Reason`.
public enum ReasonCode: String, CaseIterable, Sendable {
  /// Go ahead; nothing else holds.
  case allowed = "ALLOWED"
  /// The subject may do nothing at the moment.
  case subjectSuspended = "SUBJECT_SUSPENDED"
  /// No such entity, or one that was deleted.
  case entityUnknown = "ENTITY_UNKNOWN"
  /// A rule of the policy forbids it, whatever roles would grant it.
  case deniedByRule = "DENIED_BY_RULE"
  /// A role that reaches the entity grants the action from a later instant on.
  case notYetValid = "NOT_YET_VALID"
  /// A role that reaches the entity granted the action until an earlier instant.
  case expired = "EXPIRED"
  /// An association reaches the entity, but no role that the subject has there grants the action.
  case roleLacksAction = "ROLE_LACKS_ACTION"
  /// A role that would grant the action is held on something else only.
  case outOfScope = "OUT_OF_SCOPE"
  /// The subject has no role that could matter.
  case noAssociation = "NO_ASSOCIATION"
  /// The action needs a feature that was not paid for.
  case featureNotAvailable = "FEATURE_NOT_AVAILABLE"
  /// The subject must first prove itself once more.
  case stepUpRequired = "STEP_UP_REQUIRED"
  /// The device cannot be reached.
  case deviceOffline = "DEVICE_OFFLINE"
  /// The device is not to be operated from afar.
  case remoteOperationDisabled = "REMOTE_OPERATION_DISABLED"
  /// The operation is for other kinds of devices.
  case operationNotSupported = "OPERATION_NOT_SUPPORTED"

  /// The place in the order of precedence; lower wins.
  var precedence: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  /// The reasons that a policy may give to a condition on an attribute that does not hold.
  static let ofAttributes: [ReasonCode] = [.deniedByRule, .remoteOperationDisabled, .deviceOffline]
}
