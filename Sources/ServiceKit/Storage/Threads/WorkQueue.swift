internal import RPCKit

/// A piece of work for a thread of the store, and who waits for it.
struct StoreJob<Turn>: Sendable {
  /// Tells it from the others of its queue.
  let id: UInt64
  /// Does it, on the thread that took it.
  let work: @Sendable (Turn) throws -> Void
  /// Told once, that it is done or why it is not.
  let caller: CheckedContinuation<Void, any Error>
}

/// Bounded, first come, first served: where callers meet the threads that work for them.
final class WorkQueue<Turn>: Sendable {
  typealias Job = StoreJob<Turn>

  private struct State {
    var jobs: [Job] = []
    /// The jobs before this one were taken already.
    var head = 0
    var sleeperCount = 0
    var isClosed = false

    var waitingCount: Int { jobs.count - head }

    mutating func take() -> Job? {
      guard head < jobs.count else { return nil }
      let job = jobs[head]
      head += 1
      if head == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head * 2 >= jobs.count {
        jobs.removeFirst(head)
        head = 0
      }
      return job
    }
  }

  private let state = Lock(State())
  private let signal = WorkSignal()
  private let countMax: Int

  init(countMax: Int) {
    precondition(countMax > 0, "a queue without room")
    self.countMax = countMax
  }

  /// Jobs that nobody has taken.
  var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// Has `work` done by the thread that takes it, and returns when it has told so; a caller who is
  /// cancelled before that leaves.
  func perform(id: UInt64, _ work: @escaping @Sendable (Turn) throws -> Void) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { add(Job(id: id, work: work, caller: $0)) }
    } onCancel: {
      cancel(id)
    }
  }

  /// Adds a job, or refuses it.
  ///
  /// Must run in the caller's task: whether that was cancelled is looked at under the lock that
  /// `cancel` takes, so that a cancellation finds the job or is found.
  private func add(_ job: Job) {
    let (refusal, wakes) = state.withLock { state -> ((any Error)?, Bool) in
      if Task.isCancelled { return (CancellationError(), false) }
      if state.isClosed { return (StoreError.unavailable("the store is closed"), false) }
      guard state.waitingCount < countMax else { return (StoreError.overloaded, false) }
      state.jobs.append(job)
      guard state.sleeperCount > 0 else { return (nil, false) }
      state.sleeperCount -= 1
      return (nil, true)
    }
    if let refusal { job.caller.resume(throwing: refusal) }
    if wakes { signal.post() }
  }

  /// Removes a job whose caller gave up, unless it was taken already.
  private func cancel(_ id: UInt64) {
    let job = state.withLock { state -> Job? in
      guard let index = state.jobs[state.head...].firstIndex(where: { $0.id == id }) else {
        return nil
      }
      return state.jobs.remove(at: index)
    }
    job?.caller.resume(throwing: CancellationError())
  }

  /// The next job, if there is one.
  func take() -> Job? {
    state.withLock { $0.take() }
  }

  /// The next job; sleeps until there is one, nil once the queue is closed and empty.
  func wait() -> Job? {
    while true {
      let (job, isOver) = state.withLock { state -> (Job?, Bool) in
        if let job = state.take() { return (job, false) }
        if state.isClosed { return (nil, true) }
        state.sleeperCount += 1
        return (nil, false)
      }
      if job != nil || isOver { return job }
      signal.wait()
    }
  }

  /// Takes no more jobs; those that wait are still done.
  func close() {
    let sleeperCount = state.withLock { state in
      state.isClosed = true
      defer { state.sleeperCount = 0 }
      return state.sleeperCount
    }
    for _ in 0..<sleeperCount { signal.post() }
  }
}
