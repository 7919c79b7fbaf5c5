import RPCKit
import Synchronization

/// A date that moves when a test says so.
final class StoreClock: WallClock {
  private let milliseconds: Atomic<Int64>

  init(_ milliseconds: Int64 = 1_800_000_000_000) { self.milliseconds = Atomic(milliseconds) }

  var now: Int64 { milliseconds.load(ordering: .relaxed) }

  func advance(by span: Int64) { milliseconds.add(span, ordering: .relaxed) }
}
