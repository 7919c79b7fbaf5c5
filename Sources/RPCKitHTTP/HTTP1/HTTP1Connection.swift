/// A connection that speaks HTTP/1.1 or HTTP/1.0 (RFC 9112).
final class HTTP1Connection: HTTPConnection, @unchecked Sendable {}
