internal import RPCKit

/// A piece of work for a thread of the store, and what to tell its caller when it is not done.
struct StoreJob<Turn, Answer>: Sendable {
  /// Tells it from the others of its queue.
  let id: UInt64
  /// Does it, on the thread that took it.
  let run: @Sendable (Turn) -> Answer
  /// Ends the caller's waiting without doing it.
  let refuse: @Sendable (any Error) -> Void
}

/// Bounded, first come, first served: where callers meet the threads that work for them.
final class WorkQueue<Turn, Answer>: Sendable {
  typealias Job = StoreJob<Turn, Answer>

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

  /// Adds a job, or refuses it.
  ///
  /// Must run in the caller's task: whether that was cancelled is looked at under the lock that
  /// `cancel` takes, so that a cancellation finds the job or is found.
  func add(_ job: Job) {
    let (refusal, wakes) = state.withLock { state -> ((any Error)?, Bool) in
      if Task.isCancelled { return (CancellationError(), false) }
      if state.isClosed { return (StoreError.unavailable("the store is closed"), false) }
      guard state.waitingCount < countMax else { return (StoreError.overloaded, false) }
      state.jobs.append(job)
      guard state.sleeperCount > 0 else { return (nil, false) }
      state.sleeperCount -= 1
      return (nil, true)
    }
    if let refusal { job.refuse(refusal) }
    if wakes { signal.post() }
  }

  /// Removes a job whose caller gave up, unless it was taken already.
  func cancel(_ id: UInt64) {
    let job = state.withLock { state -> Job? in
      guard let index = state.jobs[state.head...].firstIndex(where: { $0.id == id }) else {
        return nil
      }
      return state.jobs.remove(at: index)
    }
    job?.refuse(CancellationError())
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

extension WorkQueue {
  /// Waits for a job that `makeJob` builds around a continuation; a cancelled caller leaves.
  func perform<R: Sendable>(
    id: UInt64,
    _ makeJob: (CheckedContinuation<R, any Error>) -> Job
  ) async throws -> R {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { add(makeJob($0)) }
    } onCancel: {
      cancel(id)
    }
  }
}
