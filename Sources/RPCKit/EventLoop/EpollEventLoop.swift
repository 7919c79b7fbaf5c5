internal import Synchronization

/// The production event loop: one thread, one epoll, and a task executor.
///
/// A turn is: wait for readiness, run what became ready, fire due timers, run work that other
/// threads handed over, run the tasks that all this made runnable, and then let everyone who has
/// output write it (`atEndOfTurn`). A call that never leaves the loop's executor is read, decoded,
/// handled and answered within one turn and without a lock.
///
/// `@unchecked Sendable`: everything but `shared` is touched by the loop's own thread only, which
/// each loop-only member checks; `shared` is behind a mutex.
public final class EpollEventLoop: EventLoop, @unchecked Sendable {
  /// Called at the start of every turn; returns how long the loop may sleep at most, or nil for no
  /// opinion.
  ///
  /// For load generators, which must send at a given instant.
  public typealias TurnHook = () -> Int64?

  private struct Shared {
    var work: [@Sendable () -> Void] = []
    var jobs: [UnownedJob] = []
    var isWakePending = false
    var isStopping = false
    /// Whether the loop has let go of everything, and takes no more.
    var isOver = false
  }

  private struct Registration {
    var handler: (any ReadinessHandler)?
    var generation: UInt32 = 1
    var isNewcomer = false
  }

  private static let jobsPerTurnMax = 4096
  /// How often more events are fetched within a turn, so that no number of newcomers hides the others for long.
  private static let batchesPerTurnMax = 16

  /// Tells loops apart in logs and metrics.
  public let name: String

  private let shared = Lock(Shared())
  private let epoll: Epoll
  private var thread: LoopThread?
  /// Which thread the loop runs on; zero until it does, which is nobody's.
  private let threadIdentity = Atomic<UInt>(0)
  private let confinedTimers: Confined<TimerWheel>
  private let confinedDueTimers = Confined<[TimerWheel.Due]>([])
  private var dueIndex = 0
  private let confinedCancelledTimers = Confined<Set<TimerID>>([])
  private let confinedRegistrations = Confined<[Registration]>([])
  private let confinedFreeRegistrations = Confined<[UInt32]>([])
  private let confinedJobs = Confined<[UnownedJob]>([])
  private let confinedTurnEndTargets = Confined<[any TurnEndTarget]>([])
  private var turnStart: MonotonicInstant
  private var isRunning = true
  private var random = SystemRandomNumberGenerator()
  private var metrics: LoopMetrics?
  private var hook: TurnHook?
  /// Where every socket of this loop reads into: idle connections hold no buffer.
  private(set) var readBuffer: ByteBuffer
  private var readBudget = ReadBudget()
  private var newcomerBudget = NewcomerBudget()

  /// See `TurnHook`.
  ///
  /// Loop only.
  public var turnHook: TurnHook? {
    get { hook }
    set { hook = newValue }
  }

  /// When the next timer may be due: never later than it is, so that most turns need not look.
  private var timerDeadline: MonotonicInstant?

  /// Starts the loop's thread.
  public init(name: String = "loop") throws(SyscallError) {
    self.name = name
    epoll = try Epoll.make()
    turnStart = MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
    confinedTimers = Confined(TimerWheel(now: turnStart))
    var buffer = ByteBuffer()
    buffer.reserve(ReadBudget.byteCountMax)
    readBuffer = buffer
    thread = try LoopThread(name: name) { [self] in run() }
  }

  /// Ends the thread after the current turn.
  ///
  /// Work that is still queued does not run, and neither does what is handed over later. The loop lets
  /// go of its timers and handlers, so that what they hold can be freed. Returns when the thread has
  /// ended; must not be called on the loop.
  public func stop() {
    shared.withLock { $0.isStopping = true }
    epoll.wake()
    thread?.join()
  }

  /// Counts turns and lag from now on.
  ///
  /// Callable from anywhere.
  public func report(to metrics: LoopMetrics) {
    execute { [self] in self.metrics = metrics }
  }

  // MARK: - EventLoop

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool {
    threadIdentity.load(ordering: .relaxed) == LoopThread.currentIdentity
  }

  /// The start of the turn on the loop, CLOCK_MONOTONIC elsewhere.
  public var now: MonotonicInstant {
    isCurrent ? turnStart : MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
  }

  /// CLOCK_MONOTONIC, read at once.
  public var preciseNow: MonotonicInstant {
    MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
  }

  /// The threads that Swift has for all tasks, as many as there are cores.
  public var executorOfLongWork: (any TaskExecutor)? { globalConcurrentExecutor }

  /// Runs `work` in the next turn; wakes the loop if it sleeps.
  ///
  /// Callable from anywhere.
  public func execute(_ work: @escaping @Sendable () -> Void) {
    let wakes = shared.withLock { shared in
      guard !shared.isOver else { return false }
      shared.work.append(work)
      defer { shared.isWakePending = true }
      return !shared.isWakePending
    }
    if wakes { epoll.wake() }
  }

  /// Takes a task's job: into this turn when called on the loop, into the next otherwise.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      jobs.append(job)
      return
    }
    let wakes = shared.withLock { shared in
      shared.jobs.append(job)
      defer { shared.isWakePending = true }
      return !shared.isWakePending
    }
    if wakes { epoll.wake() }
  }

  /// Adds a timer; it fires at most one millisecond late if the loop is not busy.
  ///
  /// Loop only.
  public func schedule(
    at deadline: MonotonicInstant,
    target: any TimerTarget,
    token: UInt64
  ) -> TimerID {
    preconditionOnLoop()
    let firing = timers.firing(of: deadline)
    timerDeadline = min(timerDeadline ?? firing, firing)
    return timers.schedule(at: deadline, target: target, token: token)
  }

  /// Forgets a timer.
  ///
  /// Loop only.
  public func cancel(_ timer: TimerID) {
    preconditionOnLoop()
    timers.cancel(timer)
    if dueIndex < dueTimers.count { cancelledDueTimers.insert(timer) }
  }

  /// Calls `target` once when everything ready in this turn has run.
  ///
  /// Loop only.
  public func atEndOfTurn(_ target: any TurnEndTarget) {
    preconditionOnLoop()
    turnEndTargets.append(target)
  }

  /// The system's random numbers.
  ///
  /// Loop only.
  public func randomNumber() -> UInt64 {
    preconditionOnLoop()
    return random.next()
  }

  // MARK: - DescriptorReadiness

  /// Registers a descriptor; that of a newcomer waits in long turns (`NewcomerBudget`).
  ///
  /// The name that comes back is for `modify` and `remove`.
  func register(
    _ descriptor: borrowing FileDescriptor,
    _ interest: DescriptorReadiness,
    isNewcomer: Bool = false,
    handler: any ReadinessHandler
  ) throws(SyscallError) -> UInt64 {
    preconditionOnLoop()
    let index: UInt32
    if let free = freeRegistrations.popLast() {
      index = free
    } else {
      index = UInt32(registrations.count)
      registrations.append(Registration())
    }
    let name = UInt64(registrations[Int(index)].generation) << 32 | UInt64(index)
    do {
      try epoll.add(descriptor.number, interest, name: name)
    } catch {
      freeRegistrations.append(index)
      throw error
    }
    registrations[Int(index)].handler = handler
    registrations[Int(index)].isNewcomer = isNewcomer
    return name
  }

  /// A registered descriptor is a newcomer's no more.
  func noteKnown(_ name: UInt64) {
    preconditionOnLoop()
    registrations[Int(UInt32(truncatingIfNeeded: name))].isNewcomer = false
  }

  /// Changes what a registered descriptor is watched for.
  func modify(
    _ descriptor: borrowing FileDescriptor,
    _ interest: DescriptorReadiness,
    name: UInt64
  ) throws(SyscallError) {
    try epoll.modify(descriptor.number, interest, name: name)
  }

  /// Ends a registration; events for it that were already fetched are dropped.
  func unregister(_ descriptor: borrowing FileDescriptor, name: UInt64) {
    preconditionOnLoop()
    // Failure means that it is gone already; the registration ends either way.
    try? epoll.remove(descriptor.number)
    let index = Int(UInt32(truncatingIfNeeded: name))
    registrations[index].handler = nil
    registrations[index].generation &+= 1
    if registrations[index].generation == .max { registrations[index].generation = 1 }
    freeRegistrations.append(UInt32(index))
  }

  /// Reads into the loop's own buffer and shows what arrived.
  ///
  /// The buffer is free again afterwards.
  func withReadBuffer(
    _ fill: (UnsafeMutableRawBufferPointer) -> Int,
    _ body: (Span<UInt8>) -> Void
  ) {
    // Moved out while it is in use: a handler that reads again gets a buffer of its own.
    var buffer = ByteBuffer()
    swap(&buffer, &readBuffer)
    _ = unsafe buffer.appendUpTo(readBudget.byteCount, fill)
    buffer.withBytes(body)
    buffer.consume(buffer.byteCount)
    swap(&buffer, &readBuffer)
  }

  // MARK: - The turn

  private func run() {
    threadIdentity.store(LoopThread.currentIdentity, ordering: .relaxed)
    while isRunning {
      waitForReadiness()
      fireTimers()
      takeSharedWork()
      runJobs()
      endTurn()
    }
    letGo()
    // The system may give the thread's identity to another thread.
    threadIdentity.store(0, ordering: .relaxed)
  }

  /// Forgets everything that would have called somebody.
  ///
  /// Anyone who waits for a timer or for a socket holds the loop, and the loop holds them: without this
  /// neither would ever be freed. All of it is moved out first, because what is freed may still cancel
  /// its timers and end its registrations.
  private func letGo() {
    let work = shared.withLock { shared in
      defer { shared.work = [] }
      shared.isOver = true
      return shared.work
    }
    let handlers = registrations.compactMap(\.handler)
    let held = (work, timers, dueTimers, turnEndTargets, handlers, hook)
    timers = TimerWheel(now: turnStart)
    timerDeadline = nil
    dueTimers = []
    dueIndex = 0
    turnEndTargets = []
    hook = nil
    for index in registrations.indices {
      registrations[index].handler = nil
      registrations[index].generation &+= 1
    }
    for handler in handlers { handler.loopStopped() }
    withExtendedLifetime(held) {}
  }

  private func waitForReadiness() {
    let hookLimit = hook?()
    var limit = minimum(sleepNanoseconds(), hookLimit)
    var batchCount = 0
    var isFull = false
    repeat {
      isFull = epoll.wait(nanoseconds: limit) { [self] name, readiness in
        // The clock is read after the wait and before the first event of the turn.
        if turnIsStale {
          beginTurn()
        }
        deliver(name, readiness)
      }
      limit = 0
      batchCount += 1
      // Others may be ready behind newcomers that wait for the next turn.
    } while isFull && newcomerBudget.isSpent && batchCount < Self.batchesPerTurnMax
    if turnIsStale { beginTurn() }
    turnIsStale = true
  }

  private var turnIsStale = true

  private func beginTurn() {
    turnStart = MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
    turnIsStale = false
  }

  private func minimum(_ left: Int64?, _ right: Int64?) -> Int64? {
    guard let left else { return right }
    guard let right else { return left }
    return min(left, right)
  }

  private func sleepNanoseconds() -> Int64? {
    guard jobs.isEmpty, turnEndTargets.isEmpty else { return 0 }
    guard let deadline = timerDeadline else { return nil }
    let now = MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
    return max(0, now.nanoseconds(to: deadline))
  }

  private func deliver(_ name: UInt64, _ readiness: DescriptorReadiness) {
    guard name != Epoll.wakeName else {
      epoll.clearWake()
      return
    }
    let registration = registrations[Int(UInt32(truncatingIfNeeded: name))]
    guard UInt64(registration.generation) == name >> 32 else { return }
    guard registration.isNewcomer else {
      registration.handler?.becameReady(readiness)
      return
    }
    // What is skipped stays ready: epoll reports it again, behind those that were not looked at (epoll(7)).
    guard newcomerBudget.takes() else { return }
    let start = preciseNow
    registration.handler?.becameReady(readiness)
    newcomerBudget.took(nanoseconds: start.nanoseconds(to: preciseNow))
  }

  private func fireTimers() {
    guard let deadline = timerDeadline, deadline <= turnStart else { return }
    timers.popDue(at: turnStart, into: &dueTimers)
    timerDeadline = timers.nextDeadline()
    guard !dueTimers.isEmpty else { return }
    metrics?.lag.observe(nanoseconds: deadline.nanoseconds(to: turnStart))
    // One timer can cancel another that is due in the same turn.
    while dueIndex < dueTimers.count {
      let due = dueTimers[dueIndex]
      dueIndex += 1
      if !cancelledDueTimers.contains(due.timer) { due.target.timerFired(due.token) }
    }
    dueTimers.removeAll(keepingCapacity: true)
    cancelledDueTimers.removeAll(keepingCapacity: true)
    dueIndex = 0
  }

  private func takeSharedWork() {
    let (work, newJobs, isStopping) = shared.withLock { shared in
      shared.isWakePending = false
      guard !shared.work.isEmpty || !shared.jobs.isEmpty else {
        return ([] as [@Sendable () -> Void], [] as [UnownedJob], shared.isStopping)
      }
      defer {
        shared.work = []
        shared.jobs = []
      }
      return (shared.work, shared.jobs, shared.isStopping)
    }
    if isStopping { isRunning = false }
    if !newJobs.isEmpty { jobs.append(contentsOf: newJobs) }
    for item in work { item() }
  }

  private func runJobs() {
    guard !jobs.isEmpty else { return }
    let executor = unsafe asUnownedTaskExecutor()
    var index = 0
    // Jobs that these jobs make runnable belong to the same turn, up to a bound that keeps
    // readiness and output from starving.
    while index < jobs.count, index < Self.jobsPerTurnMax {
      let job = jobs[index]
      index += 1
      unsafe job.runSynchronously(on: executor)
    }
    if index == jobs.count {
      jobs.removeAll(keepingCapacity: true)
    } else {
      jobs.removeFirst(index)
    }
  }

  private func endTurn() {
    let outputStart = newcomerBudget.isUsed ? preciseNow : nil
    var index = 0
    while index < turnEndTargets.count {
      let target = turnEndTargets[index]
      index += 1
      target.turnEnded()
    }
    turnEndTargets.removeAll(keepingCapacity: true)
    let end = MonotonicInstant(nanoseconds: Syscall.monotonicNanoseconds())
    let span = turnStart.nanoseconds(to: end)
    readBudget.turnTook(nanoseconds: span)
    newcomerBudget.turnTook(
      nanoseconds: span,
      outputNanoseconds: outputStart?.nanoseconds(to: end) ?? 0
    )
    metrics?.turnDuration.observe(nanoseconds: span)
  }

  // MARK: - What the turn works on

  private var timers: TimerWheel {
    _read { yield confinedTimers.value }
    _modify { yield &confinedTimers.value }
  }

  private var dueTimers: [TimerWheel.Due] {
    _read { yield confinedDueTimers.value }
    _modify { yield &confinedDueTimers.value }
  }

  private var cancelledDueTimers: Set<TimerID> {
    _read { yield confinedCancelledTimers.value }
    _modify { yield &confinedCancelledTimers.value }
  }

  private var registrations: [Registration] {
    _read { yield confinedRegistrations.value }
    _modify { yield &confinedRegistrations.value }
  }

  private var freeRegistrations: [UInt32] {
    _read { yield confinedFreeRegistrations.value }
    _modify { yield &confinedFreeRegistrations.value }
  }

  private var jobs: [UnownedJob] {
    _read { yield confinedJobs.value }
    _modify { yield &confinedJobs.value }
  }

  private var turnEndTargets: [any TurnEndTarget] {
    _read { yield confinedTurnEndTargets.value }
    _modify { yield &confinedTurnEndTargets.value }
  }

  private func preconditionOnLoop() {
    precondition(isCurrent, "this must be called on event loop \(name)")
  }
}

/// The handler that a registered descriptor calls.
///
/// Loop only.
protocol ReadinessHandler: AnyObject {
  /// The descriptor is ready for something.
  func becameReady(_ readiness: DescriptorReadiness)

  /// The loop has stopped: nothing becomes ready.
  func loopStopped()
}

extension ReadinessHandler {
  /// For those that hold nobody who holds them.
  func loopStopped() {}
}
