internal import CStoreSimulation
import RPCKitTesting

/// Runs the threads and tasks of simulated programs one at a time, in an order and by a clock that follow from a seed.
///
/// A thread gives its turn back whenever it waits: for a semaphore, for time, for the server (docs/maintainers/testing.md,
/// "Histories over a simulated server"). Tasks run on the thread of the simulation, from one suspension to the next.
final class Schedule: TaskExecutor, @unchecked Sendable {
  private struct Job {
    let job: UnownedJob
    let program: Program?
  }

  private struct Timer {
    let time: Int64
    let number: Int
    let program: Program?
    let body: () -> Void
  }

  /// Microseconds since the beginning.
  private(set) var now: Int64 = 0
  var random: SimulationRandom
  /// Of whom a thread or task runs; nil for the simulation itself.
  private(set) var program: Program?
  /// The thread that runs; nil while the simulation or a task does.
  private(set) var thread: SimulatedThread?
  private(set) var stepCount = 0
  /// Digest of all steps: equal for equal seeds.
  private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
  private var threads: [SimulatedThread] = []
  private var jobs: [Job] = []
  private var timers: [Timer] = []
  private var threadCount = 0
  private var timerCount = 0
  private let own = SimulatedThread(number: 0, program: nil)
  /// Asked for instants at which something else ends by itself.
  var deadline: () -> Int64? = { nil }
  /// Called whenever time has passed.
  var timePassed: () -> Void = {}

  init(seed: UInt64) { random = SimulationRandom(seed: seed) }

  private var sleeperCount = 0

  /// Whether no thread and no task is left.
  var isIdle: Bool { threads.isEmpty && jobs.isEmpty && sleeperCount == 0 }

  // MARK: Steps

  /// Runs until a condition holds; false when nothing can go on, or time is up.
  func run(until limit: Int64, while goesOn: () -> Bool) -> Bool {
    while goesOn() {
      guard now < limit, step() else { return false }
    }
    return true
  }

  private func step() -> Bool {
    stepCount += 1
    pass(to: now + Int64(random.skewedNumber(in: 1...400)))
    while true {
      let ready = threads.filter { isRunning($0.program) && $0.isReady(at: now) }
      let jobPlaces = jobs.indices.filter { isRunning(jobs[$0].program) }
      let count = ready.count + jobPlaces.count
      if count > 0 {
        let choice = random.number(in: 0...count - 1)
        note(UInt64(choice) &+ UInt64(now) << 8)
        if choice < ready.count {
          run(ready[choice])
        } else {
          runJob(jobPlaces[choice - ready.count])
        }
        return true
      }
      guard let next = nextInstant else { return false }
      pass(to: next)
    }
  }

  /// Adds to the digest (FNV-1a).
  func note(_ number: UInt64) { trace = (trace ^ number) &* 0x100_0000_01B3 }

  private func isRunning(_ program: Program?) -> Bool {
    guard let program else { return true }
    return program.isDead || program.stoppedUntil <= now
  }

  private var nextInstant: Int64? {
    var next: [Int64] = []
    if let first = timers.first { next.append(first.time) }
    for thread in threads {
      let stopped = thread.program.map { $0.isDead ? 0 : $0.stoppedUntil } ?? 0
      if let end = thread.end { next.append(max(end, stopped)) }
      if stopped > now { next.append(stopped) }
    }
    for job in jobs { if let stopped = job.program?.stoppedUntil { next.append(stopped) } }
    if let end = deadline() { next.append(end) }
    return next.filter { $0 > now }.min()
  }

  private func pass(to time: Int64) {
    now = max(now, time)
    timePassed()
    while let timer = timers.first, timer.time <= now {
      timers.removeFirst()
      self.as(timer.program, timer.body)
    }
  }

  private func run(_ thread: SimulatedThread) {
    thread.wait = .turn
    (self.thread, program) = (thread, thread.program)
    thread.wake()
    own.park()
    (self.thread, program) = (nil, nil)
    threads.removeAll { if case .over = $0.wait { true } else { false } }
  }

  private func runJob(_ place: Int) {
    let job = jobs.remove(at: place)
    self.as(job.program) { unsafe job.job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Does something in the name of a program.
  private func `as`(_ other: Program?, _ body: () -> Void) {
    let before = program
    program = other
    body()
    program = before
  }

  // MARK: For the simulation

  /// Does something later.
  func after(_ span: Int64, as program: Program? = nil, _ body: @escaping () -> Void) {
    timerCount += 1
    let timer = Timer(time: now + span, number: timerCount, program: program, body: body)
    let place = timers.firstIndex { $0.time > timer.time } ?? timers.endIndex
    timers.insert(timer, at: place)
  }

  /// Starts a task of a program.
  func start(_ program: Program?, _ body: @escaping @Sendable () async -> Void) {
    self.as(program) { Task { await body() } }
  }

  /// Lets a task of the present program wait.
  func sleep(_ span: Int64) async {
    let program = program
    sleeperCount += 1
    await withCheckedContinuation { continuation in
      after(span, as: program) { continuation.resume() }
    }
    sleeperCount -= 1
  }

  /// A number, for a chance that the seed decides.
  func chance(_ probability: Double) -> Bool { random.chance(probability) }

  func number(_ range: ClosedRange<Int>) -> Int { random.number(in: range) }

  func element<Element>(of elements: [Element]) -> Element { random.element(of: elements) }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  /// Takes a job of the program that runs.
  func add(_ job: UnownedJob) { jobs.append(Job(job: job, program: program)) }

  // MARK: Threads

  /// A thread is made by the program that runs.
  func makeThread() -> SimulatedThread {
    threadCount += 1
    let thread = SimulatedThread(number: threadCount, program: program)
    threads.append(thread)
    return thread
  }

  /// The calling thread has ended.
  func end(_ thread: SimulatedThread) {
    thread.wait = .over
    own.wake()
  }

  /// Lets others go first; called by a thread of a program.
  func pause(_ wait: SimulatedThread.Wait = .turn) {
    guard let thread else { preconditionFailure("only threads wait") }
    thread.wait = wait
    own.wake()
    thread.park()
  }
}
