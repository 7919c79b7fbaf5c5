internal import RPCKit

extension RPCError {
  /// The status that HTTP has for the error: that of its code, but for fields that are too many or too large
  /// (RFC 6585 section 5).
  var httpStatus: Int {
    guard code == .resourceExhausted, details.contains(.errorInfo(.metadataTooLarge)) else {
      return code.httpStatus
    }
    return 431
  }
}

extension StatusCode {
  /// The status that HTTP has for a call that failed with this code, by every way of calling that uses statuses.
  var httpStatus: Int {
    switch self {
    case .cancelled: 499
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .unimplemented: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    default: 500
    }
  }
}
