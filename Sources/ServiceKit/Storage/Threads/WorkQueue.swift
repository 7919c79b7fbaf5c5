internal import RPCKit

/// A piece of work for a thread of the store, and who waits for it.
struct StoreJob<Turn>: WaitingJob {
  let id: UInt64
  /// Nil for the service's own work.
  let owner: CountedCaller?
  /// The rows that it is about, if it writes.
  let heads: WriteHeads
  /// Whether it only wants memory to follow what other programs have committed.
  let isCatchUp: Bool
  /// Does it, on the thread that took it.
  let work: @Sendable (Turn) throws -> Void
  /// Told once, that it is done or why it is not.
  let caller: CheckedContinuation<Void, any Error>
}

/// Where callers meet the threads of the store that work for them; `WaitingJobs` says who is next, and who
/// may wait.
final class WorkQueue<Turn>: Sendable {
  typealias Job = StoreJob<Turn>

  private struct State {
    var jobs: WaitingJobs<Job>
    var sleeperCount = 0
    var isClosed = false
  }

  private let state: Lock<State>
  private let signal = WorkSignal()

  init(countMax: Int, unsharedCountMax: Int? = nil) {
    state = Lock(State(jobs: WaitingJobs(countMax: countMax, unsharedCountMax: unsharedCountMax)))
  }

  /// Jobs that nobody has taken.
  var waitingCount: Int { state.withLock { $0.jobs.count } }

  /// Has `work` done by the thread that takes it, and returns when it has told so; a caller who is
  /// cancelled before that leaves.
  func perform(
    id: UInt64,
    of owner: CountedCaller? = nil,
    heads: WriteHeads = .unknown,
    isCatchUp: Bool = false,
    _ work: @escaping @Sendable (Turn) throws -> Void
  ) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        add(
          Job(
            id: id,
            owner: owner,
            heads: heads,
            isCatchUp: isCatchUp,
            work: work,
            caller: $0
          )
        )
      }
    } onCancel: {
      cancel(id, of: owner)
    }
  }

  /// Adds a job, or refuses it.
  ///
  /// Must run in the caller's task: whether that was cancelled is looked at under the lock that
  /// `cancel` takes, so that a cancellation finds the job or is found.
  private func add(_ job: Job) {
    let (refusal, wakes) = state.withLock { state -> ((any Error)?, Bool) in
      if Task.isCancelled { return (CancellationError(), false) }
      return append(job, to: &state)
    }
    if let refusal { job.caller.resume(throwing: refusal) }
    if wakes { signal.post() }
  }

  /// Takes over a job that another queue has had, or refuses it.
  func pass(_ job: Job) {
    let (refusal, wakes) = state.withLock { state -> ((any Error)?, Bool) in
      append(job, to: &state)
    }
    if let refusal { job.caller.resume(throwing: refusal) }
    if wakes { signal.post() }
  }

  /// Why a job was not added, and whether a thread is to be woken for it.
  private func append(_ job: Job, to state: inout State) -> ((any Error)?, Bool) {
    if state.isClosed { return (StoreError.unavailable("the store is closed"), false) }
    if let refusal = state.jobs.append(job) { return (refusal, false) }
    guard state.sleeperCount > 0 else { return (nil, false) }
    state.sleeperCount -= 1
    return (nil, true)
  }

  /// Removes a job whose caller gave up, unless it was taken already.
  private func cancel(_ id: UInt64, of owner: CountedCaller?) {
    let job = state.withLock { $0.jobs.remove(id, of: owner) }
    job?.caller.resume(throwing: CancellationError())
  }

  /// The next job, if there is one.
  func take() -> Job? {
    state.withLock { $0.jobs.take() }
  }

  /// The next job; sleeps until there is one, nil once the queue is closed and empty.
  func wait() -> Job? {
    while true {
      let (job, isOver) = state.withLock { state -> (Job?, Bool) in
        if let job = state.jobs.take() { return (job, false) }
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
