import Foundation

/// Instants as the services write them: `2026-11-22T08:00:00.125Z`, with or without a fraction.
///
/// `JSONDecoder.iso8601` drops the fraction on some systems, and `ISO8601DateFormatter` refuses it on others.
enum Instants {
  static func date(_ text: String) -> Date? {
    let parts = text.split(whereSeparator: { "-T:Z".contains($0) })
    guard parts.count == 6, text.hasSuffix("Z"), let year = Int(parts[0]),
      let month = Int(parts[1]), let day = Int(parts[2]), let hour = Int(parts[3]),
      let minute = Int(parts[4]), let second = Double(parts[5]),
      (1...12).contains(month), (1...31).contains(day), (0...24).contains(hour),
      (0...59).contains(minute), second >= 0, second < 61
    else { return nil }
    let seconds = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute
    return Date(timeIntervalSince1970: Double(seconds) * 60 + second)
  }

  static func text(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateSeparator(.dash).time(includingFractionalSeconds: true)
        .timeSeparator(.colon)
    ) + "Z"
  }

  /// The `date` field of an answer: `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func httpDate(_ text: String) -> Date? {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.split(whereSeparator: { " :,".contains($0) })
    guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]),
      let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
      let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
    else { return nil }
    let minutes = (daysSince1970(year, month + 1, day) * 24 + hour) * 60 + minute
    return Date(timeIntervalSince1970: Double(minutes * 60 + second))
  }

  /// Days of the proleptic Gregorian calendar, counted in years that begin with March.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
