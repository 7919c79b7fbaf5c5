/// The subject's state that decisions depend on.
public struct DecisionContext: Hashable, Sendable {
  /// Ways in which the subject has proved itself lately; bits of the policy's step-ups.
  var stepUps: UInt64 = 0
  /// The same for one action alone.
  var purposeStepUps: UInt64 = 0
  /// The action that those are for; only looked at if there are any.
  var purpose = ActionID.any
  /// The entity at or below which step-ups count; nil is everywhere.
  package var scope: UInt32?
  /// Features that are paid for; bits of the policy's features.
  var features: UInt64 = 0
  /// Whether the account may do nothing at the moment.
  var isSuspended = false

  /// Nothing beyond who the subject is.
  public static let plain = DecisionContext()

  /// A subject that has proved itself in every way there is.
  package static let proven = DecisionContext(stepUps: .max)

  /// The subject that meets every condition nobody has kept: step-ups, and features that were paid for.
  package static let assumed = DecisionContext(stepUps: .max, features: .max)

  /// The same as if every feature were paid for.
  package var withAllFeatures: DecisionContext {
    var context = self
    context.features = .max
    return context
  }

  /// The same without any step-up.
  var withoutStepUps: DecisionContext {
    DecisionContext(features: features, isSuspended: isSuspended)
  }

  /// Whether the subject has done any step-up.
  var hasStepUps: Bool { stepUps | purposeStepUps != 0 }

  /// Whether the subject has done a step-up, for an action or for a mode that covers it.
  func hasStepUp(_ bit: UInt64, for action: ActionID, _ policy: Policy) -> Bool {
    if stepUps & bit != 0 { return true }
    guard purposeStepUps & bit != 0 else { return false }
    return purpose == action || policy.modes[Int(action.index)] == purpose
  }
}
