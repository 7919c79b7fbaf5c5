/// Lengths of time as proto3's JSON writes them: `1.500s`.
enum DurationText {
  /// The most seconds that google.protobuf.Duration may have: about 10 000 years (duration.proto).
  private static let secondsMax: UInt64 = 315_576_000_000

  /// Seconds with 0, 3, 6 or 9 decimals; nil for what is not a duration.
  static func text(seconds: Int64, nanoseconds: Int32) -> String? {
    guard seconds.magnitude <= secondsMax, nanoseconds.magnitude < 1_000_000_000,
      seconds.signum() * Int64(nanoseconds.signum()) >= 0
    else { return nil }
    let sign = seconds < 0 || nanoseconds < 0 ? "-" : ""
    return "\(sign)\(seconds.magnitude)\(decimals(nanoseconds.magnitude))s"
  }

  /// A point and 3, 6 or 9 digits; nothing for no nanoseconds.
  static func decimals(_ nanoseconds: UInt32) -> String {
    guard nanoseconds > 0 else { return "" }
    var digits = "\(nanoseconds)"
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.hasSuffix("000") { digits.removeLast(3) }
    return "." + digits
  }

  /// Seconds and nanoseconds of the same sign; nil for anything else than `-12.5s`.
  static func parse(_ text: String) -> (seconds: Int64, nanoseconds: Int32)? {
    guard text.hasSuffix("s") else { return nil }
    let sign: Int64 = text.hasPrefix("-") ? -1 : 1
    let parts = text.dropLast().dropFirst(sign < 0 ? 1 : 0).split(
      separator: ".",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let decimals = parts.count == 2 ? parts[1] : "0"
    guard isDigits(parts[0]), isDigits(decimals), decimals.utf8.count <= 9,
      let seconds = UInt64(parts[0]), seconds <= secondsMax,
      let nanoseconds = Int32(decimals + String(repeating: "0", count: 9 - decimals.utf8.count))
    else { return nil }
    return (sign * Int64(seconds), Int32(sign) * nanoseconds)
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
