internal import RPCKit

/// Carries the name of the request that a handler serves, and its trace, to the services that it calls.
///
/// A call that no handler makes, such as a watch, has neither, and gets a name where it arrives. While calls are
/// traced, each that a handler makes is a span of its trace; of a server stream the span is its opening.
struct CallPropagation: ClientInterceptor {
  private let identifiers: IdentifierFactory
  private let peer: String
  private let tracer: Tracer?

  /// For calls to `peer`, with a tracer if they are traced.
  init(_ identifiers: IdentifierFactory, peer: String = "", tracer: Tracer? = nil) {
    self.identifiers = identifiers
    self.peer = peer
    self.tracer = tracer
  }

  func intercept(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    next: (CallOptions) async throws -> Void
  ) async throws {
    guard let call = CallContext.current else { return try await next(options) }
    var options = options
    options.metadata[RequestIDMetadata.key] = identifiers.requestID(of: call)
    let span = call.span as? ServerSpan
    guard let parent = span?.context(of: call) ?? call.trace else { return try await next(options) }
    var random = SystemRandomNumberGenerator()
    let context = parent.child(using: &random)
    let traceState = call.trace.flatMap { _ in call.traceState?.text }
    options.metadata[TraceContext.metadataKey] = context.traceparent
    options.metadata[TraceState.metadataKey] = traceState
    guard let tracer, span != nil, context.isSampled else { return try await next(options) }

    let start = call.loop.preciseNow
    func record(_ code: StatusCode, _ reason: String?) {
      let outcome = CallSpan.Outcome(
        code: code,
        reason: reason,
        requestID: identifiers.requestID(of: call)
      )
      tracer.queue.add(
        .made(
          method,
          context,
          parent: parent,
          traceState: traceState,
          from: start,
          to: call.loop.preciseNow,
          peer: peer,
          outcome
        )
      )
    }
    do {
      try await next(options)
      record(.ok, nil)
    } catch {
      let status = error as? RPCError
      record(status?.code ?? (error is CancellationError ? .cancelled : .unknown), status?.reason)
      throw error
    }
  }
}
