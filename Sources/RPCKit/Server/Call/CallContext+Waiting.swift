extension CallContext {
  /// Runs `body`, in which the handler only waits: for a change to tell, for its turn in a queue that
  /// has a bound of its own.
  ///
  /// The call's place in admission control is free in the meantime and is taken again afterwards, whatever
  /// runs by then: admission counts work, and a handler that has begun is not refused. The time does
  /// not count as latency of the server either. Response writers and request streams do the same by
  /// themselves while they wait for the client.
  ///
  /// For work, and for calls to other services, which should be pushed back when those are slow, this
  /// is the wrong place. Scopes may be nested and overlap in child tasks; the call waits while at
  /// least one of them does. Throws what `body` throws; cancellation is for `body` to notice.
  public nonisolated(nonsending) func waiting<Result, Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    beginWaiting()
    defer { endWaiting() }
    return try await body()
  }

  /// As `waiting`, for the call that the current task serves, if it serves one.
  public nonisolated(nonsending) static func waiting<Result, Failure: Error>(
    _ body: nonisolated(nonsending) () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard let call = current else { return try await body() }
    return try await call.waiting(body)
  }

  // Both keep the order of one task's scopes, because a loop runs its jobs in order.

  private func beginWaiting() {
    guard loop.isCurrent else { return loop.execute { [self] in beginWaiting() } }
    guard slot.beginWaiting(now: loop.preciseNow) else { return }
    connection.core.admission.beganWaiting()
    connection.resources.workingCount -= 1
    connection.core.observer.waitingHandlers(1)
  }

  private func endWaiting() {
    guard loop.isCurrent else { return loop.execute { [self] in endWaiting() } }
    guard slot.endWaiting(now: loop.preciseNow) else { return }
    connection.core.admission.endedWaiting()
    connection.resources.workingCount += 1
    connection.core.observer.waitingHandlers(-1)
  }
}
