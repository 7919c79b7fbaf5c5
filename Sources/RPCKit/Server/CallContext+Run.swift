extension CallContext {
  /// Starts the handler on the connection's loop. Loop only.
  func run(_ body: @escaping @Sendable (CallContext) async throws -> Void) {
    connection.resources.workers.start(self, body)
  }

  /// Runs the handler to its end; what it throws is the call's status.
  func runHandler(_ body: @Sendable (CallContext) async throws -> Void) async {
    if isOver {
      // A call whose deadline passed while it waited for its turn is not worth starting.
      connection.core.observer.expiredBeforeStart()
    } else {
      do {
        try await Self.$current.withValue(self) { try await body(self) }
      } catch {
        connection.finish(self, throwing: error)
      }
    }
    connection.handlerReturned(self)
  }
}
