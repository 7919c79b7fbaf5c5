/// What outgoing calls inherit from where they are made.
///
/// Inside a handler that is the call being served: a client call takes the earlier of its own and
/// the inherited deadline, so that a chain of services gives up together, and passes the trace on.
/// Elsewhere (jobs, commands) `with` sets both.
public struct CallScope: Sendable {
  /// When the outgoing calls must be over; nil means no deadline.
  public var deadline: MonotonicInstant?
  /// The W3C trace context, sent as the metadata `traceparent`.
  public var traceparent: String?

  @TaskLocal private static var explicit: CallScope?

  /// What applies to the current task.
  public static var current: CallScope {
    if let explicit { return explicit }
    guard let call = CallContext.current else { return CallScope() }
    return CallScope(
      deadline: call.deadline == .distantFuture ? nil : call.deadline,
      traceparent: call.metadata["traceparent"]
    )
  }

  /// Makes calls inside `body` inherit these instead of the served call's.
  public static func with<Result>(
    deadline: MonotonicInstant? = nil,
    traceparent: String? = nil,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = CallScope(deadline: deadline, traceparent: traceparent)
    return try await $explicit.withValue(scope, operation: body)
  }
}
