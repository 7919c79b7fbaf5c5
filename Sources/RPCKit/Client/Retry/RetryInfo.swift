/// `google.rpc.RetryInfo`: how long a server wants to be left alone.
extension RPCError {
  private static var retryInfoName: String { "google.rpc.RetryInfo" }

  /// The delay that the error's details ask for; nil when they do not, or cannot be read.
  package var retryDelay: Duration? {
    let detail = details.first { $0.typeURL.hasSuffix("/" + Self.retryInfoName) }
    // A detail that cannot be read is no reason to treat the error as another one.
    guard let detail, let delay = try? Self.retryDelay(detail.value.span) else { return nil }
    return delay
  }

  /// `RetryInfo { google.protobuf.Duration retry_delay=1; }`.
  private static func retryDelay(_ bytes: Span<UInt8>) throws(WireFormatError) -> Duration? {
    var delay: Duration?
    var cursor = WireCursor(0..<bytes.count)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited): delay = try duration(bytes, try cursor.lengthDelimited(bytes))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
    return delay
  }

  /// `Duration { int64 seconds=1; int32 nanos=2; }`; negative ones count as none, and more than ten
  /// years as ten years, which instants have room for.
  private static func duration(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) -> Duration {
    var seconds: Int64 = 0
    var nanoseconds: Int64 = 0
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .varint): seconds = Int64(bitPattern: try cursor.varint(bytes))
      case (2, .varint): nanoseconds = Int64(bitPattern: try cursor.varint(bytes))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
    return .seconds(min(max(seconds, 0), 315_576_000))
      + .nanoseconds(min(max(nanoseconds, 0), 999_999_999))
  }
}
