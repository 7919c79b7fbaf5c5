package import RPCKit
internal import Synchronization

/// Both clocks of a machine, which stand still until they are advanced.
package final class ManualClock: WallClock {
  private let milliseconds: Atomic<Int64>
  private let uptimeMilliseconds = Atomic<Int64>(0)

  /// Makes clocks that begin at an instant, in milliseconds since 1970.
  package init(_ milliseconds: Int64 = 1_800_000_000_000) {
    self.milliseconds = Atomic(milliseconds)
  }

  /// The date, in milliseconds since 1970.
  package var now: Int64 { milliseconds.load(ordering: .sequentiallyConsistent) }

  /// The monotonic one.
  package var uptime: MonotonicInstant {
    let elapsed = uptimeMilliseconds.load(ordering: .sequentiallyConsistent)
    return MonotonicInstant(nanoseconds: elapsed * 1_000_000)
  }

  /// Time passes.
  package func advance(_ span: Int64) {
    milliseconds.wrappingAdd(span, ordering: .sequentiallyConsistent)
    uptimeMilliseconds.wrappingAdd(span, ordering: .sequentiallyConsistent)
  }

  /// Sets the wall clock forward or back.
  package func jump(_ span: Int64) {
    milliseconds.wrappingAdd(span, ordering: .sequentiallyConsistent)
  }
}
