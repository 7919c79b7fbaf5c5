/// Why the library itself refuses a call or fails it: the reasons of the domain `rpckit`.
///
/// They travel as `google.rpc.ErrorInfo`, to stock peers too. docs/reference/errors.md lists them.
package enum LibraryReason: String, CaseIterable, Sendable {
  /// The domain of these reasons.
  package static let domain = "rpckit"

  /// The envelope, the metadata or the payload cannot be decoded.
  case malformedRequest = "MALFORMED_REQUEST"
  /// Fields of the request break rules of its contract.
  case fieldViolations = "FIELD_VIOLATIONS"
  /// The peer broke the rules of its protocol.
  case protocolViolation = "PROTOCOL_VIOLATION"
  /// The server has no such service.
  case serviceUnknown = "SERVICE_UNKNOWN"
  /// The service has no such method.
  case methodUnknown = "METHOD_UNKNOWN"
  /// The request is larger than the server takes, or inflates to more than that.
  case requestTooLarge = "REQUEST_TOO_LARGE"
  /// The answer is larger than a frame may be.
  case responseTooLarge = "RESPONSE_TOO_LARGE"
  /// There is more metadata than the server takes.
  case metadataTooLarge = "METADATA_TOO_LARGE"
  /// The server is shutting down.
  case serverDraining = "SERVER_DRAINING"
  /// More calls come than the server can do.
  case overloaded = "OVERLOADED"
  /// The connection has too many calls open.
  case tooManyCalls = "TOO_MANY_CALLS"
  /// The caller, the connection or the server has too many streaming calls open.
  case tooManyStreams = "TOO_MANY_STREAMS"
  /// Too many answers wait for the client to read them.
  case answersUnread = "ANSWERS_UNREAD"
  /// The messages of a stream were not consumed in time.
  case streamStalled = "STREAM_STALLED"
  /// The deadline passed.
  case deadlinePassed = "DEADLINE_PASSED"
  /// The call was cancelled.
  case cancelled = "CANCELLED"
  /// A bug of the server; its log has the details.
  case internalError = "INTERNAL"
}

extension RPCError {
  /// An error of the library, with the reason that programs can tell it by.
  package init(
    _ code: StatusCode,
    _ reason: LibraryReason,
    _ message: String,
    details: [Detail] = [],
    retryAfter: Duration? = nil,
    isNotProcessed: Bool = false,
    cause: (any Error)? = nil
  ) {
    var details = [Detail.errorInfo(reason)] + details
    if let retryAfter { details.append(.retryInfo(retryAfter)) }
    self.init(
      code,
      message,
      details: details,
      isNotProcessed: isNotProcessed,
      cause: cause
    )
  }
}

extension RPCError {
  /// A call of a service that the server does not have.
  package static func unknownService(_ service: String) -> RPCError {
    RPCError(.unimplemented, .serviceUnknown, "there is no service \(service)")
  }

  /// A call of a method that the service does not have.
  package static func unknownMethod(_ method: String, of service: String) -> RPCError {
    RPCError(.unimplemented, .methodUnknown, "\(service) has no method \(method)")
  }

  /// A request that is longer than its method takes.
  package static func requestTooLarge(_ byteCount: Int, max: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      .requestTooLarge,
      "the request of \(byteCount) bytes is larger than \(max) bytes; send less at a time"
    )
  }
}

extension RPCError.Detail {
  /// `google.rpc.ErrorInfo { string reason=1; string domain=2; }`.
  package static func errorInfo(_ reason: LibraryReason) -> RPCError.Detail {
    var body = ByteBuffer()
    body.append(field: 1, utf8: reason.rawValue)
    body.append(field: 2, utf8: LibraryReason.domain)
    return RPCError.Detail(
      typeURL: "type.googleapis.com/google.rpc.ErrorInfo",
      value: body.withBytes { Array($0) }
    )
  }
}
