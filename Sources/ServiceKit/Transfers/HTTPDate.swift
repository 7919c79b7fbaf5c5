internal import Reflection

/// Dates as HTTP writes them, in each of the three forms that a recipient must read (RFC 9110, section 5.6.7).
enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Milliseconds since 1970; nil for anything else.
  ///
  /// The name of the day is not compared with the date.
  static func milliseconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT
    case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
      return instant(day: words[1], month: words[2], year: words[3], time: words[4])
    // Sunday, 06-Nov-94 08:49:37 GMT
    case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
      let parts = words[1].split(separator: "-").map(String.init)
      guard parts.count == 3, let year = Int(parts[2]), parts[2].utf8.count == 2 else { return nil }
      // A year that seems more than 50 years ahead is one of the past; such dates end with the century.
      return instant(
        day: parts[0],
        month: parts[1],
        year: "\(year < 70 ? 2000 + year : 1900 + year)",
        time: words[2]
      )
    // Sun Nov  6 08:49:37 1994
    case 5:
      return instant(day: words[2], month: words[1], year: words[4], time: words[3])
    default: return nil
    }
  }

  private static func instant(day: String, month: String, year: String, time: String) -> Int64? {
    guard let place = months.firstIndex(of: month) else { return nil }
    let date = "\(year)-\(padded("\(place + 1)"))-\(padded(day))"
    return InstantText.milliseconds("\(date)T\(time)Z")
  }

  private static func padded(_ number: String) -> String {
    number.utf8.count == 1 ? "0" + number : number
  }
}
