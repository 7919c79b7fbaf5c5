import Foundation
import Synchronization

/// Runs the jobs of all tasks of this process on one thread, in an order that follows from a seed.
///
/// Tasks that others start come by the hook of Swift's runtime, which is the whole process's: a test that uses it runs
/// in a process of its own. Tasks by `start` stop at each return from an actor as well.
final class SeededExecutor: TaskExecutor {
  private enum Job: Sendable {
    case job(UnownedJob)
    case wake(CheckedContinuation<Void, Never>)
  }

  private struct State: Sendable {
    var jobs: [Job] = []
    var numbers: SeededNumbers
  }

  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(numbers: SeededNumbers(seed: seed))) }

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  private func add(_ job: UnownedJob) { state.withLock { $0.jobs.append(.job(job)) } }

  /// A number from 0 up to below a bound.
  func number(below bound: Int) -> Int {
    state.withLock { Int.random(in: 0..<bound, using: &$0.numbers) }
  }

  /// Stops a task some times, so that others come first.
  ///
  /// `Task.yield` goes to the pool of threads without asking the hook.
  func pause() async {
    for _ in 0..<number(below: 5) {
      await withCheckedContinuation { wake in state.withLock { $0.jobs.append(.wake(wake)) } }
    }
  }

  /// Starts a task.
  func start(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self, operation: body)
  }

  /// Runs jobs until none is left.
  func drain() {
    while let job = next() {
      switch job {
      case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .wake(let wake): wake.resume()
      }
    }
  }

  private func next() -> Job? {
    state.withLock { state in
      guard !state.jobs.isEmpty else { return nil }
      let place = Int.random(in: state.jobs.indices, using: &state.numbers)
      return state.jobs.remove(at: place)
    }
  }

  // MARK: - The hook

  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Enqueue) -> Void

  private static let present = Mutex<SeededExecutor?>(nil)

  /// Has all jobs of the process's shared pool run here, as long as a body does.
  func takingAll(_ body: () throws -> Void) rethrows {
    let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook")
    guard let place = unsafe symbol?.assumingMemoryBound(to: Hook?.self) else {
      fatalError("the runtime has no hook for jobs")
    }
    Self.present.withLock { $0 = self }
    unsafe place.pointee = { job, _ in
      guard let executor = SeededExecutor.present.withLock({ $0 }) else {
        fatalError("a job without an executor")
      }
      executor.add(job)
    }
    defer {
      unsafe place.pointee = nil
      Self.present.withLock { $0 = nil }
    }
    try body()
  }
}
