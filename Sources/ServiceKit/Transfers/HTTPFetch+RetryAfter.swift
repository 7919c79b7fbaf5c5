internal import TextEncodings

extension HTTPFetch.Answer {
  /// How long the server asks to be left alone, in milliseconds, by `Retry-After`: seconds or a date (RFC 9110,
  /// section 10.2.3); nil if it does not say, or nothing that can be read.
  package func retryDelay(now: Int64) -> Int64? {
    guard let field = fields["retry-after"] else { return nil }
    if let instant = HTTPDate.milliseconds(field) { return max(0, instant - now) }
    guard !field.isEmpty, field.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    // More digits than a number has are many seconds.
    return (Int64(field) ?? .max / 1000).multipliedReportingOverflow(by: 1000).partialValue
  }
}
