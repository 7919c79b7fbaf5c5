/// A request as the admin port understands it: no body, and of the header only what matters.
public struct HTTPRequest: Sendable, Hashable {
  /// The methods that are understood.
  public enum Method: String, Sendable, Hashable {
    /// The answer with its body.
    case get = "GET"
    /// The same without the body.
    case head = "HEAD"
  }

  /// What to send back.
  public var method: Method
  /// The path, not percent-decoded: `/metrics`.
  public var path: String
  /// What follows the question mark, or nil if there is none.
  public var query: String?
  /// The value of the header field `Accept`, or empty.
  ///
  /// Several are joined with commas.
  public var accept: String
  /// Whether the connection stays open for another request.
  public var isKeepAlive: Bool
}

/// Why a request is refused.
///
/// After any of these the connection is closed.
public enum HTTPRejection: Error, Sendable, Hashable {
  /// The bytes are not a request as RFC 9112 has it, or use a part of it that is refused here.
  case badRequest
  /// The method is none of GET and HEAD.
  case methodNotAllowed
  /// The request did not arrive in time.
  case timedOut
  /// There is a body.
  case bodyNotAllowed
  /// The request line is too long.
  case targetTooLong
  /// The header is too long or has too many lines.
  case headerTooLarge
  /// The version is neither 1.0 nor 1.1.
  case versionNotSupported

  /// The status code of the answer.
  public var status: Int {
    switch self {
    case .badRequest: 400
    case .methodNotAllowed: 405
    case .timedOut: 408
    case .bodyNotAllowed: 413
    case .targetTooLong: 414
    case .headerTooLarge: 431
    case .versionNotSupported: 505
    }
  }
}
