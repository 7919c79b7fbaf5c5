/// The part of their surroundings that outgoing calls inherit.
///
/// Inside a handler that is the call being served: a client call takes the earlier of its own and
/// the inherited deadline, so that a chain of services gives up together, and passes the trace on.
/// Elsewhere (jobs, commands) `with` sets them.
public struct CallScope: Sendable {
  /// When the outgoing calls must be over; nil means no deadline.
  public var deadline: MonotonicInstant?
  /// The W3C trace context, sent as the metadata `traceparent`.
  public var traceparent: String?
  /// The trace state of that context, sent as the metadata `tracestate`.
  public var tracestate: String?

  @TaskLocal private static var explicit: CallScope?

  /// The scope of the current task.
  public static var current: CallScope {
    if let explicit { return explicit }
    guard let call = CallContext.current else { return CallScope() }
    let metadata = call.metadata
    let traceparent = metadata.traceparent
    return CallScope(
      deadline: call.deadline == .distantFuture ? nil : call.deadline,
      traceparent: traceparent,
      tracestate: traceparent.flatMap { _ in
        TraceState(metadata.values(TraceState.metadataKey))?.text
      }
    )
  }

  /// Makes calls inside `body` inherit these instead of the served call's.
  public static func with<Result>(
    deadline: MonotonicInstant? = nil,
    traceparent: String? = nil,
    tracestate: String? = nil,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = CallScope(deadline: deadline, traceparent: traceparent, tracestate: tracestate)
    return try await $explicit.withValue(scope, operation: body)
  }

  /// Makes calls inside `body` inherit the trace of the current task and no deadline: for what several calls
  /// wait for.
  public static func withoutDeadline<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = current
    return try await with(
      traceparent: scope.traceparent,
      tracestate: scope.tracestate,
      body
    )
  }
}
