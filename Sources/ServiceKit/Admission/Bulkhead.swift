internal import Glibc
package import RPCKit

/// Threads of their own for work that anybody can ask for and that takes milliseconds, so that a flood
/// of it is slow by itself and nothing else is.
///
/// The threads are few and of a lower priority than the event loops; `FairQueue` says what waits for
/// them, how much, and who goes first. Calls that wait give their place in admission control back,
/// because this queue has a bound of its own.
package final class Bulkhead: Sendable {
  private struct Job: Sendable {
    let arrived: MonotonicInstant
    /// Does the work; what it returns hands the result over.
    let run: @Sendable () -> @Sendable () -> Void
  }

  private struct State {
    var queue: FairQueue<Job>
    var idle: [any EventLoop]
    var isStopped = false
  }

  private let threads: EventLoopGroup
  private let metrics: BulkheadMetrics
  private let state: Lock<State>

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - name: What the work is, for metrics: `signatures`.
  ///   - threadCount: Threads; half as many as there are cores by default.
  ///   - placeCount: Jobs that may wait or run; half of them for callers without credentials.
  ///   - placeCountPerOwner: Those of one caller.
  ///   - metrics: Where to count.
  /// - Throws: What the system says when it has no threads to give.
  package init(
    name: String,
    threadCount: Int? = nil,
    placeCount: Int = 128,
    placeCountPerOwner: Int = 16,
    metrics: MetricRegistry
  ) throws {
    let count = threadCount ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) / 2
    // An event loop is a thread with a queue that can be woken; there is nothing else on these.
    threads = try .epoll(count: max(1, count))
    self.metrics = BulkheadMetrics(metrics, name: name)
    state = Lock(
      State(
        queue: FairQueue(
          .init(placeCount: placeCount, placeCountPerOwner: placeCountPerOwner)
        ),
        idle: threads.loops
      )
    )
    for thread in threads.loops {
      // On Linux a priority belongs to a thread, whatever POSIX says (setpriority(2)).
      thread.execute { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10) }
    }
  }

  /// Ends the threads, when what runs has run; what comes afterwards is refused.
  ///
  /// Nothing may wait: the last call ended. A second time it does nothing.
  package func stop() {
    let wasStopped = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped
    }
    if !wasStopped { threads.stop() }
  }

  /// Jobs that wait or run.
  package var count: Int { state.withLock { $0.queue.placeCount } }

  /// Runs `job` on a thread of its own, in its turn.
  ///
  /// Throws RESOURCE_EXHAUSTED when `owner` or all have too much waiting already, and what `job`
  /// throws. A cancelled caller waits on: its place is taken until the job has run, so that a client
  /// that goes away does not make room for its next one.
  package func run<Result: Sendable>(
    for owner: CountedCaller,
    _ job: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await CallContext.waiting {
      try await withCheckedThrowingContinuation { add(job, of: owner, for: $0) }
    }
  }

  private func add<Result: Sendable>(
    _ job: @escaping @Sendable () throws -> Result,
    of owner: CountedCaller,
    for caller: CheckedContinuation<Result, any Error>
  ) {
    let job = Job(arrived: threads.loops[0].preciseNow) {
      let result = Swift.Result { try job() }
      return { caller.resume(with: result) }
    }
    let (refusal, thread, isStopped) = state.withLock { state in
      if state.isStopped { return (FairQueue<Job>.Refusal?.none, (any EventLoop)?.none, true) }
      let refusal = state.queue.append(job, of: owner)
      return (refusal, refusal == nil ? state.idle.popLast() : nil, false)
    }
    if isStopped {
      return caller.resume(throwing: RPCError.bulkheadStopped)
    }
    if let refusal {
      metrics.refused(refusal.rawValue)
      return caller.resume(throwing: RPCError.bulkheadFull(isOwner: refusal == .owner))
    }
    metrics.added()
    if let thread { thread.execute { self.work(on: thread) } }
  }

  /// Runs jobs until there are none.
  private func work(on thread: any EventLoop) {
    while true {
      let next = state.withLock { state -> (owner: CountedCaller, job: Job)? in
        let next = state.queue.next()
        if next == nil { state.idle.append(thread) }
        return next
      }
      guard let (owner, job) = next else { return }
      metrics.began(after: job.arrived.nanoseconds(to: thread.preciseNow))
      let handOver = job.run()
      state.withLock { $0.queue.finish(owner) }
      metrics.finished()
      // Last, so that anyone who gets the result finds its place free.
      handOver()
    }
  }
}

extension RPCError {
  private static let errors = ErrorCatalog(domain: "gatehouse")

  /// The error for a call whose work comes after the bulkhead was stopped.
  fileprivate static var bulkheadStopped: RPCError {
    errors.unavailable(
      "SERVICE_STOPPING",
      "the service is shutting down; retry elsewhere",
      retryAfter: .zero
    )
  }

  /// The error for a call whose work has no place in a bulkhead.
  fileprivate static func bulkheadFull(isOwner: Bool) -> RPCError {
    errors.limited(
      "TOO_MUCH_WAITING",
      isOwner
        ? "too many of your calls are waiting; send fewer at a time"
        : "too many calls of this kind are waiting; retry after the given delay",
      retryAfter: .milliseconds(500)
    )
  }
}

/// The metrics of a bulkhead.
private struct BulkheadMetrics: Sendable {
  private let waiting: Gauge
  private let wait: Histogram
  private let shed: MetricFamily<Counter>
  private let name: String

  init(_ registry: MetricRegistry, name: String) {
    self.name = name
    waiting = registry.gauges(
      "gatehouse_service_bulkhead_jobs",
      help: "Jobs waiting for, or running on, a thread of a bulkhead.",
      labels: ["work"]
    ).series(name)
    wait = registry.histograms(
      "gatehouse_service_bulkhead_wait_seconds",
      help: "Time a job waited for a thread of a bulkhead.",
      labels: ["work"],
      buckets: .duration
    ).series(name)
    shed = registry.counters(
      "gatehouse_service_bulkhead_shed_total",
      help: "Calls refused because too many jobs were waiting: owner, the caller's; full, all.",
      labels: ["work", "reason"]
    )
    for reason in ["owner", "full"] { _ = shed.series(name, reason) }
  }

  func added() { waiting.increment() }

  func finished() { waiting.decrement() }

  func refused(_ reason: String) { shed.series(name, reason).increment() }

  func began(after nanoseconds: Int64) { wait.observe(nanoseconds: nanoseconds) }
}
