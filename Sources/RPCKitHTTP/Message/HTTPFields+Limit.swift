internal import RPCKit
internal import TextEncodings

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
    guard let reason = detail(Google_Rpc.ErrorInfo.self)?.reason, !reason.isEmpty,
      reason.utf8.count <= 63, reason.utf8.allSatisfy({ Self.isOfReason($0) })
    else { return nil }
    return reason
  }

  /// Reasons are words in capitals with underscores (google/rpc/error_details.proto).
  private static func isOfReason(_ byte: UInt8) -> Bool {
    byte.isASCIIUppercase || byte.isASCIIDigit || byte == UInt8(ascii: "_")
  }
}

extension Duration {
  /// Whole seconds that are not shorter, as `retry-after` counts them.
  fileprivate var secondsRoundedUp: Int64 { (nanosecondsSaturated + 999_999_999) / 1_000_000_000 }
}
