package import RPCKit

/// How long it is accepted that nothing has changed unheard: for a while after each sign of life.
///
/// A value: anyone who keeps it says what time it is, on a monotonic clock.
package struct Lease: Hashable, Sendable {
  /// How long one sign of life counts.
  package let duration: Duration
  /// When the lease ends; before any other instant as long as there was no sign of life.
  package private(set) var end = MonotonicInstant(nanoseconds: .min)

  /// Makes a lease that has not begun.
  package init(_ duration: Duration) { self.duration = duration }

  /// Whether the last sign of life still counts.
  package func isLive(at now: MonotonicInstant) -> Bool { now < end }

  /// There was a sign of life.
  ///
  /// One that arrives late does not shorten the lease.
  package mutating func extend(at now: MonotonicInstant) {
    end = max(end, now.advanced(by: duration))
  }

  /// The lease ends before its time.
  package mutating func cancel() { end = MonotonicInstant(nanoseconds: .min) }
}
