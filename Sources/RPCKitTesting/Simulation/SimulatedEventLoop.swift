public import RPCKit

/// An event loop without a thread: its turns are taken by a `Simulation`, on a manual clock.
///
/// A turn has the order of the production loop: what became ready, timers, work handed over, the
/// tasks that all this made runnable, output. How many of the ready events and tasks one turn takes
/// is decided by the simulation's seed.
///
/// `@unchecked Sendable`: touched only by the thread that runs the simulation, which checks itself.
public final class SimulatedEventLoop: EventLoop, @unchecked Sendable {
  /// Tells loops apart in messages.
  public let name: String

  private static let jobsPerTurnMax = 4096

  private unowned let simulation: Simulation
  private let index: UInt64
  private var events: [() -> Void] = []
  private var work: [@Sendable () -> Void] = []
  private var jobs: [UnownedJob] = []
  private var turnEndTargets: [any TurnEndTarget] = []
  private var timers: TimerWheel
  /// Timers that are due in this turn and were cancelled by one that fired before them.
  private var cancelledDueTimers: Set<TimerID> = []
  private var firesTimers = false
  private var knownDeadline: MonotonicInstant?
  private var isDeadlineKnown = false
  /// How long this turn has taken, in nanoseconds.
  private var spentNanoseconds: Int64 = 0

  init(name: String, index: UInt64, simulation: Simulation) {
    self.name = name
    self.index = index
    self.simulation = simulation
    timers = TimerWheel(now: simulation.now)
  }

  /// Timers that are set: zero when everything has been cleaned up.
  public var timerCount: Int { timers.count }

  /// The timers that are set, as lines for a message: the loop, whose timer it is, and its token.
  var timerLines: [String] {
    timers.waiting.map { "\(name): \(type(of: $0.target)), token \($0.token)" }
  }

  // MARK: - EventLoop

  /// Whether the simulation is running something of this loop.
  public var isCurrent: Bool { simulation.currentLoop === self }

  /// The manual clock.
  ///
  /// Stands still within a turn.
  public var now: MonotonicInstant { simulation.now }

  /// The manual clock, and what was spent since the turn began.
  public var preciseNow: MonotonicInstant { now.advanced(byNanoseconds: spentNanoseconds) }

  /// Says that what runs on this loop now takes `span` of processor time: the turn becomes as much
  /// longer, and nothing else happens on this loop in the meantime.
  public func spend(_ span: Duration) {
    preconditionOnLoop()
    spentNanoseconds += span.nanosecondsSaturated
  }

  /// Queues `work` behind what this loop has to do; from the simulation only.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    simulation.checkThread()
    self.work.append(work)
  }

  /// Queues a task's job.
  public func enqueue(_ job: consuming ExecutorJob) {
    simulation.checkThread()
    jobs.append(UnownedJob(job))
  }

  /// Adds a timer on the manual clock.
  public func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    preconditionOnLoop()
    isDeadlineKnown = false
    return timers.schedule(at: deadline, target: target, token: token)
  }

  /// Forgets a timer.
  public func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    isDeadlineKnown = false
    timers.cancel(timer)
    if firesTimers { cancelledDueTimers.insert(timer) }
  }

  /// Calls `target` when everything ready in this turn has run.
  public func atEndOfTurn(_ target: any TurnEndTarget) {
    preconditionOnLoop()
    turnEndTargets.append(target)
  }

  /// The simulation's seeded random numbers.
  public func randomNumber() -> UInt64 {
    preconditionOnLoop()
    return simulation.random.next()
  }

  // MARK: - Turns

  /// Whether a turn would do anything now.
  var isReady: Bool {
    if !events.isEmpty || !jobs.isEmpty || !work.isEmpty || !turnEndTargets.isEmpty { return true }
    guard let deadline = nextDeadline else { return false }
    return deadline <= now
  }

  /// When the next timer may be due.
  ///
  /// Remembered until the wheel changes: every turn of any loop asks.
  var nextDeadline: MonotonicInstant? {
    if !isDeadlineKnown {
      knownDeadline = timers.count > 0 ? timers.nextDeadline() : nil
      isDeadlineKnown = true
    }
    return knownDeadline
  }

  /// Adds something that became ready, like a socket in epoll.
  func becameReady(_ event: @escaping () -> Void) {
    events.append(event)
  }

  /// Takes one turn.
  ///
  /// The simulation has made this loop the current one.
  func takeTurn() {
    simulation.note(index)
    runEvents()
    fireTimers()
    runWork()
    runJobs()
    endTurn()
  }

  /// Forgets everything that would have called somebody, as a stopped loop does.
  ///
  /// Moved out first, because what is freed may still cancel its timers.
  func letGo() {
    let held = (events, work, timers, turnEndTargets)
    events = []
    work = []
    timers = TimerWheel(now: now)
    isDeadlineKnown = false
    turnEndTargets = []
    simulation.on(self) { withExtendedLifetime(held) {} }
  }

  private func runEvents() {
    guard !events.isEmpty else { return }
    let takesAll = simulation.random.chance(0.5)
    let count = takesAll ? events.count : simulation.random.number(in: 1...events.count)
    simulation.note(UInt64(count))
    let ready = Array(events.prefix(count))
    events.removeFirst(count)
    for event in ready { event() }
  }

  private func fireTimers() {
    guard let deadline = nextDeadline, deadline <= now else { return }
    isDeadlineKnown = false
    var due: [TimerWheel.Due] = []
    timers.popDue(at: now, into: &due)
    firesTimers = true
    // One timer can cancel another that is due in the same turn.
    for timer in due where !cancelledDueTimers.contains(timer.timer) {
      simulation.note(timer.token)
      timer.target.timerFired(timer.token)
    }
    firesTimers = false
    cancelledDueTimers = []
  }

  private func runWork() {
    guard !work.isEmpty else { return }
    let items = work
    work = []
    simulation.note(UInt64(items.count))
    for item in items { item() }
  }

  private func runJobs() {
    guard !jobs.isEmpty else { return }
    let executor = unsafe asUnownedTaskExecutor()
    // Mostly everything runs in one turn, as in production; sometimes the turn ends early, as it
    // does there after many tasks or when another thread hands one over late.
    let runsAll = simulation.random.chance(0.75)
    let limit = runsAll ? Self.jobsPerTurnMax : simulation.random.number(in: 1...4)
    var count = 0
    while count < jobs.count, count < limit {
      let job = jobs[count]
      count += 1
      unsafe job.runSynchronously(on: executor)
    }
    jobs.removeFirst(count)
    simulation.note(UInt64(count))
  }

  private func endTurn() {
    var index = 0
    while index < turnEndTargets.count {
      turnEndTargets[index].turnEnded()
      index += 1
    }
    turnEndTargets.removeAll(keepingCapacity: true)
    guard spentNanoseconds > 0 else { return }
    let end = preciseNow.nanoseconds
    spentNanoseconds = 0
    simulation.advance(to: end)
  }

  private func preconditionOnLoop() {
    precondition(isCurrent, "this must be called on simulated loop \(name)")
  }
}
