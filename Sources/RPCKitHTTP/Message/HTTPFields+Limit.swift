internal import RPCKit

extension HTTPFields {
  /// Adds when to try again, if an error says it (`Retry-After`, RFC 9110 section 10.2.3), and which limit a call
  /// was refused for (`RateLimit`, draft-ietf-httpapi-ratelimit-headers-10): nothing is left of it, and for how long.
  ///
  /// The name of the limit is the error's reason. Its size, which `RateLimit-Policy` would tell, is nothing that
  /// errors carry.
  mutating func appendLimit(of error: RPCError) {
    guard let delay = error.retryDelay, delay > .zero else { return }
    let seconds = delay.secondsRoundedUp
    append("retry-after", String(seconds))
    guard error.code == .resourceExhausted, let name = error.limitName else { return }
    append("ratelimit", "\"\(name)\";r=0;t=\(seconds)")
  }
}

extension RPCError {
  /// The reason among the details, if it can be a string of a structured field (RFC 9651 section 3.3.3).
  fileprivate var limitName: String? {
    let detail = details.first { $0.typeURL.hasSuffix("/google.rpc.ErrorInfo") }
    // What a peer sent unreadably is treated as not sent.
    guard let detail,
      let info = try? Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits()),
      !info.reason.isEmpty, info.reason.utf8.count <= 63,
      info.reason.utf8.allSatisfy({ Self.isOfReason($0) })
    else { return nil }
    return info.reason
  }

  /// Reasons are words in capitals with underscores (google/rpc/error_details.proto).
  private static func isOfReason(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension Duration {
  /// Whole seconds that are not shorter, as `retry-after` counts them.
  fileprivate var secondsRoundedUp: Int64 { (nanosecondsSaturated + 999_999_999) / 1_000_000_000 }
}
