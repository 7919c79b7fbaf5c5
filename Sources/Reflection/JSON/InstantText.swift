internal import RPCKit

/// Instants as RFC 3339 writes them.
public enum InstantText {
  /// `2026-11-21T08:00:00.000Z`, in UTC.
  public static func text(_ milliseconds: Int64) -> String {
    var bytes: [UInt8] = []
    Timestamp.append(milliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Milliseconds since 1970, digits after the third cut off; nil for anything but a date with `Z` or
  /// an offset, between the years 1 and 9999.
  public static func milliseconds(_ text: String) -> Int64? {
    instant(text).map { $0.seconds * 1000 + Int64($0.nanoseconds / 1_000_000) }
  }

  /// The same, exactly: nanoseconds count up from the second, also before 1970.
  package static func instant(_ text: String) -> (seconds: Int64, nanoseconds: Int32)? {
    var rest = Substring(text)
    guard let year = digits(&rest, 4), take(&rest, "-"), let month = digits(&rest, 2),
      take(&rest, "-"), let day = digits(&rest, 2), take(&rest, "T") || take(&rest, "t"),
      let hour = digits(&rest, 2), take(&rest, ":"), let minute = digits(&rest, 2),
      take(&rest, ":"), let second = digits(&rest, 2),
      let fraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
      year >= 1, (1...12).contains(month), day >= 1, day <= dayCount(year, month),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
    let seconds = minutes * 60 + second
    // An offset can lead out of the years that text can say.
    guard range.contains(seconds) else { return nil }
    return (seconds, fraction)
  }

  /// The first and the last second that four digits of year can say, year 0 aside.
  package static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// The fraction that follows the seconds, in nanoseconds.
  private static func fraction(_ rest: inout Substring) -> Int32? {
    guard take(&rest, ".") else { return 0 }
    let digits = rest.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, digits.count <= 9 else { return nil }
    rest = rest.dropFirst(digits.count)
    return Int32(digits + String(repeating: "0", count: 9 - digits.count))
  }

  private static func offset(_ rest: inout Substring) -> Int64? {
    if take(&rest, "Z") || take(&rest, "z") { return 0 }
    let sign: Int64 = take(&rest, "-") ? -1 : 1
    guard sign < 0 || take(&rest, "+"), let hour = digits(&rest, 2), take(&rest, ":"),
      let minute = digits(&rest, 2), hour < 24, minute < 60
    else { return nil }
    return sign * (hour * 60 + minute)
  }

  private static func digits(_ rest: inout Substring, _ count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.utf8.count == count, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(count)
    return Int64(digits)
  }

  private static func take(_ rest: inout Substring, _ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func dayCount(_ year: Int64, _ month: Int64) -> Int64 {
    days(month == 12 ? year + 1 : year, month % 12 + 1, 1) - days(year, month, 1)
  }

  /// Days since 1970-01-01, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `days_from_civil`, for years from 1 on.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
