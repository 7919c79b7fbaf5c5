/// The surroundings of every call: interceptors, observation, retries.
extension Channel {
  /// Runs a call through the interceptors, the first one outermost.
  func intercepted<Result>(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    _ call: (CallOptions) async throws -> Result
  ) async throws -> Result {
    guard !configuration.interceptors.isEmpty else { return try await call(options) }
    var result: Result?
    try await intercept(method, options, from: 0) { options in
      result = try await call(options)
    }
    guard let result else {
      throw RPCError(.internal, "an interceptor neither made the call nor threw an error")
    }
    return result
  }

  private func intercept(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    from index: Int,
    _ call: (CallOptions) async throws -> Void
  ) async throws {
    guard index < configuration.interceptors.count else {
      try await call(options)
      return
    }
    try await configuration.interceptors[index].intercept(method, options) { [self] options in
      try await intercept(method, options, from: index + 1, call)
    }
  }

  /// Tells the observer of a call's start and end.
  func observed<Result>(
    _ method: MethodDescriptor,
    _ call: () async throws -> Result
  ) async throws -> Result {
    guard let observer = configuration.observer else { return try await call() }
    let start = pool.homeLoop.now
    observer.callStarted(method)
    do {
      let result = try await call()
      observer.callEnded(method, .ok, duration: start.duration(to: pool.homeLoop.now))
      return result
    } catch {
      let code = (error as? RPCError)?.code ?? .unknown
      observer.callEnded(method, code, duration: start.duration(to: pool.homeLoop.now))
      throw error
    }
  }

  /// Tells the observer of a stream's start, and returns what tells it of the end.
  ///
  /// Returns nil without an observer.
  func observation(of method: MethodDescriptor) -> (@Sendable (StatusCode) -> Void)? {
    guard let observer = configuration.observer else { return nil }
    let loop = pool.homeLoop
    let start = loop.now
    observer.callStarted(method)
    return { observer.callEnded(method, $0, duration: start.duration(to: loop.now)) }
  }

  /// Sends a call, again if that is allowed.
  func retrying<Success>(
    _ method: MethodDescriptor,
    _ plan: CallPlan,
    _ attempt: () async -> Result<Success, RPCError>
  ) async throws(RPCError) -> Success {
    if configuration.retry.attemptCountMax > 1 { budget.deposit() }
    var attemptCount = 0
    while true {
      attemptCount += 1
      switch await attempt() {
      case .success(let success):
        return success
      case .failure(let error):
        guard
          let pause = pauseBeforeRetry(method, plan, after: error, attemptCount: attemptCount),
          await sleep(pause)
        else { throw plan.outcome(error) }
        configuration.observer?.callRetried(method, after: error.code)
      }
    }
  }

  /// How long to wait before the next attempt; nil when there is none.
  private func pauseBeforeRetry(
    _ method: MethodDescriptor,
    _ plan: CallPlan,
    after error: RPCError,
    attemptCount: Int
  ) -> Duration? {
    guard
      configuration.retry.permits(
        error,
        attempt: attemptCount,
        isIdempotent: method.isIdempotent
      ),
      !Task.isCancelled
    else { return nil }
    let now = pool.homeLoop.now
    let random = pool.state.withLock { $0.picker.nextRandom() }
    let pause = max(
      configuration.retry.backOff.pause(attempt: attemptCount, random: random),
      error.retryDelay ?? .zero
    )
    guard now.advanced(by: pause) < plan.deadline else { return nil }
    // A server that shuts down refuses without any work, and only for as long as that takes:
    // counting those would fail calls in every restart. Refusals of an overloaded server do count.
    let isFree = error.isNotProcessed && error.code == .unavailable
    guard isFree || budget.withdraw(now: now) else {
      configuration.observer?.retryBudgetExhausted(method)
      return nil
    }
    return pause
  }

  /// Waits on the channel's clock; false when the task was cancelled.
  private func sleep(_ pause: Duration) async -> Bool {
    guard pause > .zero else { return !Task.isCancelled }
    return await RetryPause.wait(pause, on: pool.homeLoop)
  }
}
