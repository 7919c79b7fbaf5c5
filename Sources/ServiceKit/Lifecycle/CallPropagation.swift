internal import RPCKit

/// Carries the name of the request that a handler serves, and its trace, to the services that it calls.
///
/// A call that no handler makes, such as a watch, has neither, and gets a name where it arrives.
struct CallPropagation: ClientInterceptor {
  private let identifiers: IdentifierFactory

  init(_ identifiers: IdentifierFactory) { self.identifiers = identifiers }

  func intercept(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    next: (CallOptions) async throws -> Void
  ) async throws {
    guard let call = CallContext.current else { return try await next(options) }
    var options = options
    options.metadata[RequestIDMetadata.key] = identifiers.requestID(of: call)
    if let trace = call.trace {
      var random = SystemRandomNumberGenerator()
      options.metadata[TraceContext.metadataKey] = trace.child(using: &random).traceparent
      options.metadata[TraceState.metadataKey] = call.traceState?.text
    }
    try await next(options)
  }
}
