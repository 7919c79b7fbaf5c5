internal import RPCKit

/// Why the bytes of a client are no valid request, and the answer to them.
///
/// After any of these nobody knows where the next request would begin, so the connection ends (RFC 9112
/// section 9.6).
package struct HTTP1Rejection: Error, Hashable {
  /// The status code of the answer.
  package let status: Int
  /// The client's mistake, for people.
  package let message: String

  /// Makes a rejection of its parts.
  package init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }

  /// The bytes are no request, or could be taken for different ones.
  package static func badRequest(_ message: String) -> HTTP1Rejection {
    HTTP1Rejection(400, message)
  }

  /// The same for clients that read errors of calls.
  var error: RPCError {
    switch status {
    case 405, 501, 505: RPCError(.unimplemented, .methodUnknown, message)
    case 408: RPCError(.deadlineExceeded, .deadlinePassed, message)
    case 413: RPCError(.resourceExhausted, .requestTooLarge, message)
    case 414, 431: RPCError(.resourceExhausted, .metadataTooLarge, message)
    case 429: RPCError(.resourceExhausted, .overloaded, message)
    case 500: RPCError(.internal, .internalError, message)
    default: RPCError(.invalidArgument, .malformedRequest, message)
    }
  }
}
