public import RPCKit

extension Google_Protobuf.Timestamp {
  /// The instant that is `milliseconds` after 1970-01-01T00:00:00Z, as stores and clocks have it.
  public init(milliseconds: Int64) {
    var seconds = milliseconds / 1000
    var rest = milliseconds % 1000
    if rest < 0 {
      seconds -= 1
      rest += 1000
    }
    self.init(seconds: seconds, nanos: Int32(rest) * 1_000_000)
  }

  /// Milliseconds since 1970-01-01T00:00:00Z, fractions cut off; at the ends of what fits, the end.
  public var milliseconds: Int64 {
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds > 0 ? .max : .min }
    let (sum, sumOverflow) = whole.addingReportingOverflow(Int64(nanos / 1_000_000))
    return sumOverflow ? (seconds > 0 ? .max : .min) : sum
  }
}
