/// A connection that speaks HTTP/2 (RFC 9113).
final class HTTP2Connection: HTTPConnection, @unchecked Sendable {}
