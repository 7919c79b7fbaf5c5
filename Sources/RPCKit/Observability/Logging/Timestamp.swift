/// A point of the wall clock as RFC 3339 text in UTC.
package enum Timestamp {
  /// The first and the last millisecond that four digits of year can say.
  private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Appends `2026-01-31T23:59:59.999Z`; points outside of the years 0…9999 become the nearest.
  package static func append(_ milliseconds: Int64, to bytes: inout [UInt8]) {
    let clamped = min(max(milliseconds, range.lowerBound), range.upperBound)
    let (days, inDay) = dividedDown(clamped, by: 86_400_000)
    let (year, month, day) = civil(days)
    append(year, width: 4, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    append(month, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    append(day, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "T"))
    appendTime(inDay, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    append(inDay % 1000, width: 3, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Appends `Sun, 06 Nov 1994 08:49:37 GMT`, as HTTP writes dates (RFC 9110 section 5.6.7); points outside of
  /// the years 0…9999 become the nearest.
  package static func appendHTTPDate(_ milliseconds: Int64, to bytes: inout [UInt8]) {
    let clamped = min(max(milliseconds, range.lowerBound), range.upperBound)
    let (days, inDay) = dividedDown(clamped, by: 86_400_000)
    let (year, month, day) = civil(days)
    // 1970 began on a Thursday.
    let weekday = dividedDown(days + 4, by: 7).remainder
    bytes.append(contentsOf: name(weekday, in: "SunMonTueWedThuFriSat"))
    bytes.append(contentsOf: ", ".utf8)
    append(day, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: name(month - 1, in: "JanFebMarAprMayJunJulAugSepOctNovDec"))
    bytes.append(UInt8(ascii: " "))
    append(year, width: 4, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    appendTime(inDay, to: &bytes)
    bytes.append(contentsOf: " GMT".utf8)
  }

  /// The name at a place in a list of names of three letters.
  private static func name(_ place: Int64, in names: String) -> Substring.UTF8View {
    names.utf8.dropFirst(Int(place) * 3).prefix(3)
  }

  /// Appends `23:59:59` of the milliseconds since midnight.
  private static func appendTime(_ inDay: Int64, to bytes: inout [UInt8]) {
    append(inDay / 3_600_000, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(inDay / 60_000 % 60, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    append(inDay / 1000 % 60, width: 2, to: &bytes)
  }

  private static func append(_ number: Int64, width: Int, to bytes: inout [UInt8]) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }

  /// The date of a day since 1970, after Howard Hinnant, "chrono-Compatible Low-Level Date
  /// Algorithms", `civil_from_days`: years start in March, so that the leap day comes last.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = dividedDown(days + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Division that rounds down, also below zero.
  private static func dividedDown(
    _ value: Int64,
    by divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
