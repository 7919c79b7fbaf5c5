public import RPCKit
internal import TextEncodings

extension IdentifierPrefix {
  /// Calls whose caller did not name them.
  static let request = IdentifierPrefix("req")
}

/// How a request is named in metadata.
enum RequestIDMetadata {
  /// The key.
  static let key = "x-request-id"
}

extension IdentifierFactory {
  /// The name of a call in audit records, log lines and errors, at most 64 bytes; the same however often it is
  /// asked.
  ///
  /// Kept forever and written by the caller, so only what is well formed is taken over: `x-request-id`
  /// of 1 to 64 letters, digits, `.`, `_` and `-`, or else the trace of a W3C `traceparent`. Any other
  /// call gets a new identifier.
  public func requestID(of call: CallContext) -> String {
    call.requestID {
      Self.requestID(in: call.metadata) ?? call.trace?.traceID.description ?? make(.request)
    }
  }

  /// The name of a request that a gateway asks about: its own header if that is well formed, or else like
  /// the call.
  package func requestID(ofGateway header: String?, _ call: CallContext) -> String {
    guard let header, Self.isRequestID(header) else { return requestID(of: call) }
    return header
  }

  /// The caller's name of its request, if that is well formed.
  static func requestID(in metadata: Metadata) -> String? {
    metadata[RequestIDMetadata.key].flatMap { isRequestID($0) ? $0 : nil }
  }

  private static func isRequestID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
  }
}

extension CallContext {
  /// The trace that the call belongs to; nil when it names none, or not as W3C Trace Context says.
  public var trace: TraceContext? {
    metadata.traceparent.flatMap { TraceContext(traceparent: $0) }
  }

  /// The state that came with `trace` for other tracing systems; only for calls that have a trace.
  var traceState: TraceState? { TraceState(metadata.values(TraceState.metadataKey)) }
}
