internal import RPCKit

/// A value that is made when it is asked for the first time, and kept.
///
/// Safe to use from any thread; anyone who asks while it is being made waits.
final class MadeWhenNeeded<Value: Sendable>: Sendable {
  private let make: @Sendable () -> Value
  private let made = Lock<Value?>(nil)

  /// Makes nothing yet; `make` must not ask for the value itself.
  init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// Whether it was asked for.
  var isMade: Bool { made.withLock { $0 != nil } }

  /// The value.
  var value: Value {
    made.withLock { made in
      if let made { return made }
      let value = make()
      made = value
      return value
    }
  }
}
