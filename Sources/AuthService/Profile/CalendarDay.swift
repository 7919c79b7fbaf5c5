internal import ServiceKit

/// A day of the calendar, wherever that is.
struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  let number: Int64

  private static let milliseconds: Int64 = 86_400_000
  private static let hour: Int64 = 3_600_000

  init(number: Int64) { self.number = number }

  /// Reads `2026-11-22`; nil for what is no day.
  init?(_ text: String) {
    // At midnight UTC, so the division is exact.
    guard text.utf8.count == 10, let start = InstantText.milliseconds("\(text)T00:00:00Z") else {
      return nil
    }
    number = start / Self.milliseconds
  }

  /// `2026-11-22`.
  var text: String { String(InstantText.text(number * Self.milliseconds).prefix(10)) }

  /// The Monday of its week; 1970-01-01 was a Thursday.
  var monday: CalendarDay {
    let weekday = (number % 7 + 7 + 3) % 7
    return CalendarDay(number: number - weekday)
  }

  static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

  /// The days that it is somewhere on Earth at an instant: clocks show 12 hours less than UTC on Baker
  /// Island and 14 hours more on Kiritimati.
  static func somewhere(at now: Int64) -> ClosedRange<CalendarDay> {
    let first = floorDivided(now.subtractingSaturated(12 * hour))
    let last = floorDivided(now.addingSaturated(14 * hour))
    return CalendarDay(number: first)...CalendarDay(number: last)
  }

  private static func floorDivided(_ instant: Int64) -> Int64 {
    instant / milliseconds - (instant % milliseconds < 0 ? 1 : 0)
  }
}
