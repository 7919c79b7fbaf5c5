@testable import RPCKit

/// An event loop without a thread: the test calls it, and time stands still until told otherwise.
// Confined to the one test that made it, which runs on one thread at a time.
final class ManualLoop: EventLoop, @unchecked Sendable {
  private struct Timer {
    var deadline: MonotonicInstant
    var target: any TimerTarget
    var token: UInt64
  }

  private(set) var now = MonotonicInstant(nanoseconds: 0)
  private var timers: [TimerID: Timer] = [:]
  private var turnEnds: [any TurnEndTarget] = []
  private var work: [@Sendable () -> Void] = []
  private var generation: UInt32 = 0

  var isCurrent: Bool { true }

  /// Timers that were neither fired nor cancelled.
  var timerCount: Int { timers.count }

  func enqueue(_ job: consuming ExecutorJob) {
    preconditionFailure("no tasks run on this loop")
  }

  func execute(_ work: @escaping @Sendable () -> Void) {
    self.work.append(work)
  }

  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    generation += 1
    let timer = TimerID(index: 0, generation: generation)
    timers[timer] = Timer(deadline: deadline, target: target, token: token)
    return timer
  }

  func cancel(_ timer: TimerID) {
    timers[timer] = nil
  }

  func atEndOfTurn(_ target: any TurnEndTarget) {
    turnEnds.append(target)
  }

  func randomNumber() -> UInt64 { 4 }

  /// Ends a turn; false when nothing was waiting for that.
  func endTurn() -> Bool {
    let targets = turnEnds
    let work = work
    turnEnds = []
    self.work = []
    for item in work { item() }
    for target in targets { target.turnEnded() }
    return !targets.isEmpty || !work.isEmpty
  }

  /// Forgets everything that waits.
  func abandon() {
    timers = [:]
    turnEnds = []
    work = []
  }

  /// Moves the clock and fires what is due.
  func advance(by duration: Duration) {
    now = now.advanced(by: duration)
    for (timer, entry) in timers where entry.deadline <= now {
      timers[timer] = nil
      entry.target.timerFired(entry.token)
    }
  }
}
