import RPCKit
import Synchronization

/// A loop of which the clock can be put forward, so that what must end after minutes ends now.
final class ShiftedLoop: EventLoop {
  private let base: any EventLoop
  private let shift = Atomic<Int64>(0)

  init(_ base: any EventLoop) { self.base = base }

  /// Puts the clock forward by milliseconds.
  func advance(by milliseconds: Int64) {
    shift.add(milliseconds, ordering: .sequentiallyConsistent)
  }

  private var difference: Duration { .milliseconds(shift.load(ordering: .sequentiallyConsistent)) }

  var isCurrent: Bool { base.isCurrent }
  var now: MonotonicInstant { base.now.advanced(by: difference) }
  var preciseNow: MonotonicInstant { base.preciseNow.advanced(by: difference) }

  func execute(_ work: @escaping @Sendable () -> Void) { base.execute(work) }

  /// Waits as long as it would without the shift: pauses are no part of what is tested.
  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    base.schedule(at: deadline.advanced(by: .zero - difference), target: target, token: token)
  }

  func cancel(_ timer: TimerID) { base.cancel(timer) }
  func atEndOfTurn(_ target: any TurnEndTarget) { base.atEndOfTurn(target) }
  func randomNumber() -> UInt64 { base.randomNumber() }
  func enqueue(_ job: consuming ExecutorJob) { base.enqueue(job) }
}
