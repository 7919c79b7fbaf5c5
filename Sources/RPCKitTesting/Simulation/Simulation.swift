internal import Glibc
public import RPCKit

/// One thread, no real time: event loops, tasks and a network that run in an order decided by a
/// seed.
///
/// Everything that could differ between two runs is drawn from one seeded generator: which loop
/// goes next, how much one turn does, how long bytes travel, which fault strikes. So the same seed
/// gives the same run, which `traceHash` proves, and another seed explores another interleaving.
///
/// ```swift
/// let simulation = Simulation(seed: 1)
/// let network = SimulatedNetwork(simulation)
/// let server = Server(configuration, services: […], on: simulation.group(loopCount: 1), network: network)
/// simulation.start { try await server.run() }
/// try simulation.settle()
/// ```
///
/// Tasks must be made by `start` or `run`, or with `Task(executorPreference:)`, so that nothing runs
/// on the global pool; a job that comes from another thread ends the process with a message.
/// Confined to the thread that is running it; `@unchecked Sendable` because every entry that a task
/// can reach checks that.
public final class Simulation: @unchecked Sendable {
  /// Decides everything.
  public let seed: UInt64
  /// The manual clock.
  ///
  /// It starts an hour after its origin and moves when nothing else can happen.
  public private(set) var now = MonotonicInstant(nanoseconds: 3_600_000_000_000)
  /// The one source of randomness; tests may draw their workload from it as well.
  public var random: SimulationRandom
  /// Digest of all that happened: equal for equal seeds.
  public var traceHash: UInt64 { trace.hash }
  /// Turns that were taken.
  public private(set) var turnCount = 0
  /// Turns after which a run counts as endless.
  public var turnCountMax = 2_000_000

  private(set) var currentLoop: SimulatedEventLoop?
  private(set) var loops: [SimulatedEventLoop] = []
  /// Kept between turns, which are many, for its memory.
  private var readyLoops: [SimulatedEventLoop] = []
  private var agenda = Agenda<Arrival>()
  private var trace = Trace()
  private var runningThread: pthread_t?
  /// How to cancel each task of `start` that has not ended.
  var tasks: [Int: () -> Void] = [:]
  private var taskCount = 0
  private(set) var networks: [Attached] = []

  private struct Arrival {
    var loop: SimulatedEventLoop
    var event: () -> Void
  }

  /// Makes a simulation without loops.
  public init(seed: UInt64) {
    self.seed = seed
    random = SimulationRandom(seed: seed)
    trace.note(seed)
    Teardown.add { [self] in try end() }
  }

  /// Adds a loop.
  public func loop(_ name: String = "loop") -> SimulatedEventLoop {
    let loop = SimulatedEventLoop(
      name: "\(name)-\(loops.count)",
      index: UInt64(loops.count),
      simulation: self
    )
    loops.append(loop)
    return loop
  }

  /// Adds loops for a server or a channel.
  public func group(_ name: String = "loop", loopCount: Int = 1) -> EventLoopGroup {
    EventLoopGroup((0..<loopCount).map { _ in loop(name) })
  }

  /// Timers set on all loops: zero when everything has been cleaned up.
  public var timerCount: Int { loops.reduce(0) { $0 + $1.timerCount } }

  /// The timers that are set, as lines for a message: empty when everything has been cleaned up.
  public var timerLines: [String] { loops.flatMap(\.timerLines) }

  // MARK: - Tasks

  /// Starts a task on a loop of the simulation; it runs when the simulation does.
  @discardableResult
  public func start<Success: Sendable>(
    on loop: SimulatedEventLoop? = nil,
    _ body: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    taskCount += 1
    let number = taskCount
    // Unstructured, because a simulation is run from outside of every task; `end` ends it.
    let task = Task(executorPreference: loop ?? mainLoop) { [self] in
      defer { tasks[number] = nil }
      return try await body()
    }
    tasks[number] = { task.cancel() }
    return task
  }

  /// Runs the simulation until a task has ended, and returns what it returned.
  ///
  /// Throws what the task throws, and `SimulationError` when it never ends.
  public func run<Success: Sendable>(
    on loop: SimulatedEventLoop? = nil,
    within limit: Duration = .seconds(3600),
    _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    let outcome = Outcome<Success>()
    start(on: loop) {
      do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
    }
    try run(within: limit) { outcome.result != nil }
    guard let result = outcome.result else { throw SimulationError.stuck(seed: seed) }
    return try result.get()
  }

  private lazy var mainLoop = loop("main")

  // MARK: - Running

  /// Runs until nothing is left to do but wait for timers: all that was sent has arrived, and every
  /// task is parked.
  ///
  /// Timers that become due on the way fire.
  public func settle() throws(SimulationError) {
    try running { () throws(SimulationError) in
      try takeTurns()
      while let time = agenda.firstTime {
        advance(to: min(time, nextTimer ?? .max))
        try takeTurns()
      }
    }
  }

  /// Runs for a span of simulated time.
  public func run(for span: Duration) throws(SimulationError) {
    try run(within: span) { false }
  }

  /// Runs until `condition` holds, `limit` has passed, or nothing is left that could happen.
  public func run(
    within limit: Duration,
    until condition: () -> Bool
  ) throws(SimulationError) {
    let end = now.advanced(by: limit).nanoseconds
    try running { () throws(SimulationError) in
      try takeTurns(until: condition)
      while !condition() {
        let next = min(agenda.firstTime ?? .max, nextTimer ?? .max)
        guard next <= end else {
          if end != .max { advance(to: end) }
          return
        }
        guard next != .max else { return }
        advance(to: next)
        try takeTurns(until: condition)
      }
    }
  }

  /// Calls `body` as if a loop did: for tests that use loop-only members directly.
  public func on<Result>(_ loop: SimulatedEventLoop, _ body: () throws -> Result) rethrows -> Result
  {
    let outer = currentLoop
    currentLoop = loop
    defer { currentLoop = outer }
    return try body()
  }

  private var nextTimer: Int64? {
    var first: Int64?
    for loop in loops {
      guard let deadline = loop.nextDeadline?.nanoseconds else { continue }
      first = min(first ?? deadline, deadline)
    }
    return first
  }

  /// Moves the clock and hands over what arrives until then.
  func advance(to time: Int64) {
    now.nanoseconds = max(now.nanoseconds, time)
    note(UInt64(bitPattern: now.nanoseconds))
    while let arrival = agenda.popFirst(dueAt: now.nanoseconds) {
      arrival.loop.becameReady(arrival.event)
    }
  }

  /// Takes turns, of a random loop each, until none has anything to do.
  private func takeTurns(until condition: () -> Bool = { false }) throws(SimulationError) {
    while !condition() {
      readyLoops.removeAll(keepingCapacity: true)
      for loop in loops where loop.isReady { readyLoops.append(loop) }
      guard !readyLoops.isEmpty else { return }
      turnCount += 1
      guard turnCount <= turnCountMax else { throw .endless(seed: seed) }
      let loop = random.element(of: readyLoops)
      currentLoop = loop
      loop.takeTurn()
      currentLoop = nil
    }
  }

  private func running(
    _ body: () throws(SimulationError) -> Void
  ) throws(SimulationError) {
    precondition(runningThread == nil, "a simulation is run from one place at a time")
    runningThread = pthread_self()
    defer { runningThread = nil }
    try body()
  }

  // MARK: - For loops and networks

  /// Makes `event` ready on `loop` after a span of simulated time.
  func schedule(
    after span: Duration,
    on loop: SimulatedEventLoop,
    _ event: @escaping () -> Void
  ) {
    schedule(at: now.advanced(by: span).nanoseconds, on: loop, event)
  }

  /// Makes `event` ready on `loop` at a time.
  func schedule(at time: Int64, on loop: SimulatedEventLoop, _ event: @escaping () -> Void) {
    agenda.insert(Arrival(loop: loop, event: event), at: time)
  }

  /// Forgets everything that was to happen at some time.
  func forgetArrivals() {
    // Moved out first, because what is freed may still send something.
    let held = agenda
    agenda = Agenda()
    withExtendedLifetime(held) {}
  }

  /// Notes a network, to end it with the simulation.
  func attach(_ network: SimulatedNetwork) { networks.append(Attached(network: network)) }

  /// Adds to the digest of all that happened.
  func note(_ value: UInt64) { trace.note(value) }

  /// A task that left the simulation would make runs differ, and races would make them crash.
  func checkThread() {
    guard let runningThread else { return }
    precondition(
      pthread_equal(runningThread, pthread_self()) != 0,
      "something of simulation seed \(seed) runs on another thread: a task without its preference?"
    )
  }
}

/// Why a simulation gave up.
///
/// The descriptions name the seed, to replay it.
public enum SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Something continues forever without time passing.
  case endless(seed: UInt64)
  /// The awaited event can no longer happen: nothing is ready, due or in progress.
  case stuck(seed: UInt64)

  /// One line for a failing test.
  public var description: String {
    switch self {
    case .endless(let seed): "simulation seed \(seed) does not come to rest"
    case .stuck(let seed): "simulation seed \(seed) is stuck: a task waits for ever"
    }
  }
}

/// The outcome of a task of `Simulation.run`; written and read on the simulation's thread.
private final class Outcome<Success: Sendable>: @unchecked Sendable {
  var result: Result<Success, any Error>?
}

/// A running digest (FNV-1a over 64-bit words, with a rotation so that high bits reach low ones).
private struct Trace {
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func note(_ value: UInt64) {
    hash = (hash ^ value) &* 0x0000_0100_0000_01b3
    hash = hash << 23 | hash >> 41
  }
}
