/// Pauses that grow from attempt to attempt, chosen at random below a growing bound.
///
/// "Full jitter": of the schemes compared in Marc Brooker, "Exponential Backoff And Jitter" (AWS
/// Architecture Blog, 2015), the one that spreads clients best after a common failure.
public struct BackOff: Hashable, Sendable {
  /// Bound of the first pause.
  public var initial: Duration
  /// Bound of all later pauses, which double up to here.
  public var maximum: Duration

  /// Makes a back-off.
  public init(initial: Duration = .milliseconds(100), maximum: Duration = .seconds(10)) {
    self.initial = initial
    self.maximum = maximum
  }

  /// The bound of the pause after `attempt` failures in a row, counted from one.
  func bound(attempt: Int) -> Duration {
    var bound = initial
    for _ in 1..<max(1, min(attempt, 64)) where bound < maximum { bound = bound * 2 }
    return min(bound, maximum)
  }

  /// A pause after `attempt` failures in a row, from zero up to its bound.
  package func pause(attempt: Int, random: UInt64) -> Duration {
    let bound = UInt64(max(0, bound(attempt: attempt).nanosecondsSaturated))
    return .nanoseconds(Int64(clamping: (random.multipliedFullWidth(by: bound &+ 1)).high))
  }
}
