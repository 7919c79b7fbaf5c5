/// Wraps every call of a channel: adds credentials, measures, logs, refuses.
///
/// A channel without interceptors pays nothing for them.
public protocol ClientInterceptor: Sendable {
  /// Runs the call through `next`, with the same or changed options, and may look at its end.
  ///
  /// Call `next` at most once. When it is not called, this must throw. For calls with one response
  /// and for `bidirectional`, `next` returns when the call is over and throws its error; for a
  /// server stream it returns when the stream is open, and what the stream ends with is not seen.
  /// Retries happen inside `next`.
  func intercept(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    next: (CallOptions) async throws -> Void
  ) async throws
}
