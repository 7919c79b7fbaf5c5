/// The subject's state that decisions depend on.
public struct DecisionContext: Hashable, Sendable {
  /// Ways in which the subject has proved itself lately; bits of the policy's step-ups.
  var stepUps: UInt64 = 0
  /// The same for one action alone.
  var purposeStepUps: UInt64 = 0
  /// The action that those are for; only looked at if there are any.
  var purpose = ActionID.any
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

  /// Whether the subject has done a step-up, for an action.
  func hasStepUp(_ bit: UInt64, for action: ActionID) -> Bool {
    stepUps & bit != 0 || purposeStepUps & bit != 0 && purpose == action
  }
}
