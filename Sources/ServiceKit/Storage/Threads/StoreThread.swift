internal import RPCKit

/// A thread of the store: starts, says whether it could, works until its queue closes, and ends.
final class StoreThread: Sendable {
  private struct State {
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state: SharedLock<State>

  private final class SharedLock<Value>: Sendable {
    let lock: Lock<Value>

    init(_ value: sending Value) { lock = Lock(value) }
  }

  /// Runs `prepare` and then `work` on a thread of its own, and returns once `prepare` has.
  ///
  /// What `prepare` makes never leaves the thread, and is gone before `ended` returns.
  static func start<Resource>(
    name: String,
    prepare: @escaping @Sendable () throws(StoreError) -> Resource,
    work: @escaping @Sendable (Resource) -> Void
  ) async throws(StoreError) -> StoreThread {
    let thread = StoreThread()
    let result = await withCheckedContinuation { continuation in
      do {
        _ = try LoopThread(name: name) {
          run(prepare, work) { continuation.resume(returning: $0) }
          thread.end()
        }
      } catch {
        let reason = "no thread can be started: \(error)"
        continuation.resume(returning: Result<Void, StoreError>.failure(.unavailable(reason)))
      }
    }
    try result.get()
    return thread
  }

  /// Runs `body` on a thread of its own, and returns what it returns once the thread has let go of everything.
  static func result<Result: Sendable>(
    name: String,
    of body: @escaping @Sendable () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    let made = SharedLock<Result?>(nil)
    let thread = try await start(name: name) { () throws(StoreError) in
      let result = try body()
      made.lock.withLock { $0 = result }
    } work: {
    }
    await thread.ended()
    guard let result = made.lock.withLock({ $0 }) else {
      preconditionFailure("a body that has returned has a result")
    }
    return result
  }

  private static func run<Resource>(
    _ prepare: () throws(StoreError) -> Resource,
    _ work: (Resource) -> Void,
    started: (Result<Void, StoreError>) -> Void
  ) {
    let resource: Resource
    do {
      resource = try prepare()
    } catch {
      return started(.failure(error))
    }
    started(.success(()))
    work(resource)
  }

  private init() { state = SharedLock(State()) }

  /// Waits until the thread has let go of everything.
  func ended() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.lock.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  private func end() {
    let waiters = state.lock.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
