import RPCKit
import ServiceKit

/// A loop whose long timers wait for the test: what happens once a minute happens when it says so.
final class HeldTimers: EventLoop {
  /// `@unchecked Sendable`: targets are made and called on the loop alone.
  private struct Timer: @unchecked Sendable {
    let target: any TimerTarget
    let token: UInt64
  }

  private let base: any EventLoop
  private let held = Lock<[TimerID: Timer]>([:])

  /// The shortest timer that waits.
  private static let heldMin = Duration.seconds(30)

  init(_ base: any EventLoop) { self.base = base }

  /// Fires all that wait.
  func fire() {
    base.execute { [self] in
      let due = held.withLock { held in
        defer { held = [:] }
        return held
      }
      for (timer, waiting) in due {
        base.cancel(timer)
        waiting.target.timerFired(waiting.token)
      }
    }
  }

  var isCurrent: Bool { base.isCurrent }
  var now: MonotonicInstant { base.now }
  var preciseNow: MonotonicInstant { base.preciseNow }

  func execute(_ work: @escaping @Sendable () -> Void) { base.execute(work) }

  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    let timer = base.schedule(at: deadline, target: target, token: token)
    if base.preciseNow.duration(to: deadline) > Self.heldMin {
      held.withLock { $0[timer] = Timer(target: target, token: token) }
    }
    return timer
  }

  func cancel(_ timer: TimerID) {
    held.withLock { _ = $0.removeValue(forKey: timer) }
    base.cancel(timer)
  }

  func atEndOfTurn(_ target: any TurnEndTarget) { base.atEndOfTurn(target) }
  func randomNumber() -> UInt64 { base.randomNumber() }
  func enqueue(_ job: consuming ExecutorJob) { base.enqueue(job) }
}
