/// Runs around the handler of every call of a server: authentication, logging, tracing.
///
/// Interceptors run in the order they were given, each inside the one before. They run on the
/// call's event loop unless they leave it, so they must not block.
public protocol ServerInterceptor: Sendable {
  /// Calls `next` at most once, or throws to refuse the call; what is thrown is the call's status.
  ///
  /// Cancelling the call cancels the task that this runs in.
  func intercept(_ call: CallContext, next: () async throws -> Void) async throws
}

/// Interceptors around a body, without an allocation for each.
struct InterceptorChain: Sendable {
  let interceptors: [any ServerInterceptor]

  func run(_ call: CallContext, _ body: () async throws -> Void) async throws {
    try await run(from: 0, call, body)
  }

  private func run(
    from index: Int,
    _ call: CallContext,
    _ body: () async throws -> Void
  ) async throws {
    guard index < interceptors.count else { return try await body() }
    try await interceptors[index].intercept(call) {
      try await run(from: index + 1, call, body)
    }
  }
}
