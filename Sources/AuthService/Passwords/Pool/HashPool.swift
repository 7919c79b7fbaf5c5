internal import Glibc
public import RPCKit

/// Threads that hash passwords, and how much may wait for them.
///
/// Hashing takes tens of milliseconds and megabytes each, so it runs on as many threads as there are
/// cores, at a lower priority than the loops, and at most two seconds of it may wait: anyone who would
/// wait longer is refused before anything else is done for them. `HashQueue` says who goes first.
/// The trusted lane has four places for each thread even if those are more than two seconds: on a
/// machine so busy that a hash takes a second, two seconds are two places for each thread, and
/// strangers could keep them taken.
public final class HashPool: Sendable {
  /// A place in the queue.
  ///
  /// It belongs to the job that it is used for, and is free again when that has run: a client that
  /// goes away must not make room for the next one while its hash is still being computed.
  final class Permit: Sendable {
    private let pool: HashPool
    fileprivate let lane: HashLane
    fileprivate let share: HashShare
    private let isUsed = Lock(false)

    fileprivate init(_ pool: HashPool, _ lane: HashLane, _ share: HashShare) {
      self.pool = pool
      self.lane = lane
      self.share = share
    }

    deinit {
      if !isUsed.withLock({ $0 }) { pool.release(lane, share) }
    }

    fileprivate func use() {
      let wasUsed = isUsed.withLock { isUsed in
        defer { isUsed = true }
        return isUsed
      }
      precondition(!wasUsed, "a permit is good for one job")
    }
  }

  /// Work that may wait, as time that one thread would need.
  public static let waitMax = Duration.seconds(2)
  /// Places that the trusted lane always has, for each thread.
  static let trustedPerThreadMin = 4

  private struct State {
    var queue = HashQueue()
    var idle: [any EventLoop] = []
    /// The duration of a hash, in nanoseconds: a moving average.
    var jobNanoseconds: Int64
  }

  private let threads: EventLoopGroup
  private let threadCount: Int
  private let metrics: HashPoolMetrics
  private let state: Lock<State>

  /// Starts the threads; `threadCount` is as many as there are cores by default, and a hash is assumed
  /// to take `expectedDuration` until some have been computed.
  public init(
    threadCount: Int? = nil,
    expectedDuration: Duration = .milliseconds(40),
    metrics: MetricRegistry = MetricRegistry()
  ) throws {
    let count = max(1, threadCount ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    // An event loop is a thread with a queue that can be woken; there is nothing else on these.
    threads = try .epoll(count: count)
    self.threadCount = count
    self.metrics = HashPoolMetrics(metrics)
    var state = State(jobNanoseconds: expectedDuration.nanosecondsSaturated)
    state.idle = threads.loops
    self.state = Lock(state)
    for thread in threads.loops {
      // On Linux a priority belongs to a thread, whatever POSIX says (setpriority(2)).
      thread.execute { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10) }
    }
  }

  /// Ends the threads, when what waits has run.
  public func stop() { threads.stop() }

  /// Hashes that wait or run, and places that are reserved for some.
  public var count: Int { state.withLock { $0.queue.placeCount } }

  /// Hashes that wait for a thread.
  public var waitingCount: Int { state.withLock { $0.queue.waitingCount } }

  private func capacity(of state: borrowing State) -> Int {
    let perThread = Self.waitMax.nanosecondsSaturated / max(1, state.jobNanoseconds)
    return threadCount * Int(min(max(1, perThread), 100_000))
  }

  /// Takes a place for one job; throws RESOURCE_EXHAUSTED when the lane has none, or the share has
  /// its own already.
  func reserve(_ lane: HashLane, for share: HashShare) throws(RPCError) -> Permit {
    let (reservation, wait) = state.withLock { state -> (HashQueue.Reservation, Int64) in
      (
        state.queue.reserve(
          lane,
          for: share,
          capacity: capacity(of: state),
          trustedCountMin: Self.trustedPerThreadMin * threadCount
        ),
        Int64(state.queue.placeCount) * state.jobNanoseconds / Int64(threadCount)
      )
    }
    guard reservation != .taken else {
      metrics.reserved(lane)
      return Permit(self, lane, share)
    }
    metrics.refused(lane, reservation)
    throw PasswordError.overloaded(retryAfter: .nanoseconds(max(wait / 2, 100_000_000)))
  }

  /// Runs `job` on a thread of the pool.
  ///
  /// A cancelled caller waits on: its job is not taken back, and not started twice. The call that is
  /// served gives its place in admission control back in the meantime, because this queue has a bound of
  /// its own.
  func run<Result: Sendable>(
    _ permit: Permit,
    _ job: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    permit.use()
    return try await CallContext.waiting {
      try await withCheckedThrowingContinuation { add(job, permit, for: $0) }
    }
  }

  private func add<Result: Sendable>(
    _ job: @escaping @Sendable () throws -> Result,
    _ permit: Permit,
    for caller: CheckedContinuation<Result, any Error>
  ) {
    let job = HashQueue.Job(
      lane: permit.lane,
      share: permit.share,
      arrived: threads.loops[0].preciseNow
    ) {
      let result = Swift.Result { try job() }
      return { caller.resume(with: result) }
    }
    let thread = state.withLock { state -> (any EventLoop)? in
      state.queue.append(job)
      return state.idle.popLast()
    }
    if let thread { thread.execute { self.work(on: thread) } }
  }

  /// Runs jobs until there are none.
  private func work(on thread: any EventLoop) {
    while true {
      let job = state.withLock { state -> HashQueue.Job? in
        let job = state.queue.next()
        if job == nil { state.idle.append(thread) }
        return job
      }
      guard let job else { return }
      let started = thread.preciseNow
      metrics.began(job, at: started)
      let handOver = job.run()
      let taken = started.nanoseconds(to: thread.preciseNow)
      metrics.duration.observe(nanoseconds: taken)
      state.withLock { $0.jobNanoseconds += (taken - $0.jobNanoseconds) / 16 }
      release(job.lane, job.share)
      // Last, so that anyone who gets the result finds it counted and its place free.
      handOver()
    }
  }

  private func release(_ lane: HashLane, _ share: HashShare) {
    state.withLock { $0.queue.release(lane, share) }
    metrics.released(lane)
  }
}
