internal import Synchronization

/// Counts the parts of a whole that are not done yet.
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) { remaining = Atomic(count) }

  /// Notes that a part is done; true for the last one.
  func reachesZero() -> Bool {
    remaining.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
