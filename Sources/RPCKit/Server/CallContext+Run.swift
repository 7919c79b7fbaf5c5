extension CallContext {
  /// Starts the handler's task on the connection's loop. Loop only.
  ///
  /// The task is unstructured because it begins in an event and not in a task; the connection holds
  /// its handle, cancels it when the call is over, and counts it until it returns.
  func run(_ body: @escaping @Sendable (CallContext) async throws -> Void) {
    task = Task(executorPreference: connection.loop) { [self] in
      await runHandler(body)
    }
  }

  private func runHandler(_ body: @Sendable (CallContext) async throws -> Void) async {
    // A call whose deadline passed while the task waited for its turn is not worth starting.
    if !isOver {
      do {
        try await Self.$current.withValue(self) { try await body(self) }
      } catch {
        connection.finish(self, throwing: error)
      }
    }
    connection.handlerReturned(self)
  }
}
