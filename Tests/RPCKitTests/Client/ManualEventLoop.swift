import Synchronization

@testable import RPCKit

/// An event loop without a thread: a test runs its turns and moves its clock.
///
/// `@unchecked Sendable`: loop state is touched only inside `turn`, under `isTurning`; what other
/// threads hand over is behind the mutex.
final class ManualEventLoop: EventLoop, @unchecked Sendable {
  private struct Shared {
    var work: [@Sendable () -> Void] = []
    var jobs: [UnownedJob] = []
    var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  }

  private let shared = Mutex(Shared())
  private let turningThread = Atomic<UInt>(0)
  private var timers:
    [(id: TimerID, deadline: MonotonicInstant, target: any TimerTarget, token: UInt64)] = []
  private var lastTimer: UInt32 = 0
  private var turnEndTargets: [any TurnEndTarget] = []
  /// What `randomNumber` returns next, and then once more.
  var randomNumbers: [UInt64] = []

  var isCurrent: Bool { turningThread.load(ordering: .relaxed) == LoopThread.currentIdentity }

  var now: MonotonicInstant { shared.withLock { $0.now } }

  func execute(_ work: @escaping @Sendable () -> Void) {
    shared.withLock { $0.work.append(work) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    shared.withLock { $0.jobs.append(job) }
  }

  func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    precondition(isCurrent, "timers belong to the loop")
    lastTimer += 1
    let id = TimerID(index: lastTimer, generation: 1)
    timers.append((id, deadline, target, token))
    return id
  }

  func cancel(_ timer: TimerID) {
    precondition(isCurrent, "timers belong to the loop")
    timers.removeAll { $0.id == timer }
  }

  func atEndOfTurn(_ target: any TurnEndTarget) {
    precondition(isCurrent, "the end of a turn belongs to the loop")
    turnEndTargets.append(target)
  }

  func randomNumber() -> UInt64 { randomNumbers.isEmpty ? .max : randomNumbers.removeFirst() }

  /// Deadlines of the timers that are set, in order.
  var timerDeadlines: [MonotonicInstant] { timers.map(\.deadline).sorted() }

  /// Runs `body` as if on the loop, then turns until nothing is left to do.
  func run(_ body: () -> Void = {}) {
    let outer = turningThread.exchange(LoopThread.currentIdentity, ordering: .relaxed)
    body()
    while turn() {}
    turningThread.store(outer, ordering: .relaxed)
  }

  /// Moves the clock, firing timers on the way.
  func advance(by span: Duration) {
    let end = now.advanced(by: span)
    while let next = timers.map(\.deadline).min(), next <= end {
      shared.withLock { $0.now = max($0.now, next) }
      run {
        let due = timers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
        timers.removeAll { $0.deadline <= now }
        for timer in due { timer.target.timerFired(timer.token) }
      }
    }
    shared.withLock { $0.now = end }
    run()
  }

  /// Forgets its timers, as a stopped loop does; what is freed may still cancel some.
  func letGo() {
    let held = timers
    timers = []
    run { withExtendedLifetime(held) {} }
  }

  /// One turn; false when there was nothing to do.
  private func turn() -> Bool {
    let (work, jobs) = shared.withLock { shared in
      defer {
        shared.work = []
        shared.jobs = []
      }
      return (shared.work, shared.jobs)
    }
    for item in work { item() }
    let executor = unsafe asUnownedTaskExecutor()
    for job in jobs { unsafe job.runSynchronously(on: executor) }
    let targets = turnEndTargets
    turnEndTargets = []
    for target in targets { target.turnEnded() }
    return !work.isEmpty || !jobs.isEmpty || !targets.isEmpty
  }
}
