/// Runs around the handler of every call of a server: authentication, logging, tracing.
///
/// Interceptors run in the order they were given, each inside the one before. They run on the
/// call's event loop unless they leave it, so they must not block.
public protocol ServerInterceptor: Sendable {
  /// Calls `next` at most once, or throws to refuse the call; what is thrown is the call's status.
  ///
  /// Cancelling the call cancels the task that this runs in.
  func intercept(_ call: CallContext, next: () async throws -> Void) async throws

  /// As `intercept`, for a call that may be answered without a task (`ServiceDefinition.withFastPath`).
  ///
  /// Returns what `next` returns, which is called at most once: whether the call is answered. Returns
  /// false without calling it when `intercept` has to be asked, which then begins anew, so nothing may
  /// have happened or been counted that `intercept` does again. What is thrown is the call's status.
  func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool
}

extension ServerInterceptor {
  /// No call gets past an interceptor that knows of no fast path.
  public func interceptFastPath(_ call: CallContext, next: () throws -> Bool) throws -> Bool {
    false
  }
}

extension CallContext {
  /// Runs `body` inside the server's interceptors, without a heap allocation for any of them.
  @usableFromInline
  func intercepted(_ body: () async throws -> Void) async throws {
    try await intercepted(from: 0, body)
  }

  /// The server's interceptor when it has exactly one, which then needs no chain.
  @usableFromInline
  var onlyInterceptor: (any ServerInterceptor)? {
    let interceptors = connection.core.interceptors
    return interceptors.count == 1 ? interceptors[0] : nil
  }

  private func intercepted(
    from index: Int,
    _ body: () async throws -> Void
  ) async throws {
    let interceptors = connection.core.interceptors
    guard index < interceptors.count else { return try await body() }
    try await interceptors[index].intercept(self) {
      try await intercepted(from: index + 1, body)
    }
  }
}
