/// What an object would do if calls came one after the other.
protocol SequentialModel {
  associatedtype State: Hashable
  associatedtype Operation: Sendable
  associatedtype Answer: Sendable

  /// The state before the first call.
  var initial: State { get }

  /// The state after an operation that was answered so; nil when it could not be answered so.
  ///
  /// An answer of nil was lost: the operation does whatever it does.
  func state(after state: State, _ call: RecordedCall<Operation, Answer>) -> State?

  /// Whether a call changes nothing in any state in which it can be answered so.
  func isInert(_ call: RecordedCall<Operation, Answer>) -> Bool
}

/// One call of a history.
struct RecordedCall<Operation: Sendable, Answer: Sendable>: Sendable {
  /// Tells it from the others of its history.
  let id: Int
  var operation: Operation
  /// Nil when it was lost, so that nobody knows whether the call has happened.
  var answer: Answer?
  /// When it began and ended, as ticks of one counter; a call without an answer has no end.
  var began: Int
  var ended: Int?
}
