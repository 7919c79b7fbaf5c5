internal import RPCKit

/// Lengths of time for people.
enum DurationText {
  /// `1.5 s`; fractions to the millisecond.
  static func text(_ duration: Google_Protobuf.Duration) -> String {
    let milliseconds = Int(duration.nanos) / 1_000_000
    guard milliseconds != 0 else { return "\(duration.seconds) s" }
    return "\(Double(duration.seconds) + Double(milliseconds) / 1000) s"
  }
}
