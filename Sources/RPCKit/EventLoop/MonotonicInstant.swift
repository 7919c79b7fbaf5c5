/// A point on the monotonic clock, in nanoseconds since an arbitrary start.
///
/// Deadlines, timeouts, leases and caches use it; it never jumps and says nothing about the date.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  /// Makes an instant from nanoseconds since the clock's start.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Later than every instant a clock will show: "never".
  public static let distantFuture = MonotonicInstant(nanoseconds: .max)

  /// Adds a span, saturating at `distantFuture`.
  public func advanced(by duration: Duration) -> MonotonicInstant {
    advanced(byNanoseconds: duration.nanosecondsSaturated)
  }

  /// Adds nanoseconds, saturating at both ends.
  public func advanced(byNanoseconds span: Int64) -> MonotonicInstant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(span)
    return MonotonicInstant(nanoseconds: overflow ? (span > 0 ? .max : .min) : sum)
  }

  /// The span from here to `other`.
  public func duration(to other: MonotonicInstant) -> Duration {
    .nanoseconds(nanoseconds(to: other))
  }

  /// The span from here to `other` in nanoseconds, saturating.
  public func nanoseconds(to other: MonotonicInstant) -> Int64 {
    let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
    return overflow ? (other > self ? .max : .min) : difference
  }

  /// Whether `left` comes before `right`.
  public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }
}
