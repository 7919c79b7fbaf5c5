internal import RPCKit

/// Names of fields that most requests have, for which no text needs to be made.
enum HTTPFieldNames {
  private static let byLength: [[String]] = {
    let names = [
      "accept", "accept-encoding", "accept-language", "authorization", "cache-control",
      "content-encoding", "content-length", "content-type", "cookie", "grpc-accept-encoding",
      "grpc-encoding", "grpc-timeout", "host", "if-none-match", "idempotency-key", "origin",
      "referer", "te", "traceparent", "tracestate", "user-agent", "x-forwarded-for",
      "x-forwarded-proto", "x-request-id", ":authority", ":method", ":path", ":scheme",
    ]
    let longest = names.map(\.utf8.count).max() ?? 0
    return (0...longest).map { length in names.filter { $0.utf8.count == length } }
  }()

  /// The name that bytes in lower case are, if it is one of these.
  static func known(_ bytes: Span<UInt8>) -> String? {
    guard bytes.count < byLength.count else { return nil }
    for name in byLength[bytes.count] where bytes.isEqual(to: name.utf8.span) { return name }
    return nil
  }
}
