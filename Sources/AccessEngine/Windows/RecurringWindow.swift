/// A part of certain days of the week, by the clocks of a time zone.
///
/// Open whenever those clocks show a time inside of it: an hour that is skipped when clocks go forward
/// is missing from it, and one that comes twice when they go back counts twice.
public struct RecurringWindow: Hashable, Sendable {
  /// The days on which it begins.
  public let days: Weekdays
  /// The minute of the day at which it begins, 0 to 1439.
  public let from: Int
  /// The minute of the day at which it ends, 1 to 1440; on the next day when it is before `from`.
  public let until: Int
  /// The name of the time zone: `Europe/Berlin`.
  public let timeZone: String

  /// Days of the week, as bits; Monday is 1, Tuesday 2, Sunday 64.
  public struct Weekdays: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Days by their bits; others than the seven lowest mean nothing.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

    /// Every day.
    public static let all = Weekdays(rawValue: 0x7F)

    /// The names of the days, Monday first.
    package static let names = [
      "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The days of some names; nil when one is no day's.
    package init?(names: [String]) {
      var bits: UInt8 = 0
      for name in names {
        guard let day = Self.names.firstIndex(of: name) else { return nil }
        bits |= 1 << UInt8(day)
      }
      self.init(rawValue: bits)
    }

    /// The names of the days, Monday first.
    package var names: [String] {
      Self.names.indices.filter { rawValue >> UInt8($0) & 1 == 1 }.map { Self.names[$0] }
    }

    /// Whether a day, 0 for Monday, is one of them.
    func contains(day: Int64) -> Bool { rawValue >> UInt8((day % 7 + 7) % 7) & 1 == 1 }
  }

  /// A window; nil unless it has a day, and two different minutes of a day.
  public init?(days: Weekdays, from: Int, until: Int, timeZone: String) {
    guard !days.isEmpty, (0..<1440).contains(from), (0...1440).contains(until), from != until else {
      return nil
    }
    (self.days, self.from, self.until, self.timeZone) = (days, from, until, timeZone)
  }

  /// Whether it is open at an instant, and until when that cannot change; milliseconds since 1970.
  ///
  /// What it says may hold longer: the clocks change at the end without making a difference.
  func state(at now: Int64, in rules: TimeZoneRules) -> (isOpen: Bool, until: Int64) {
    let seconds = now >= 0 ? now / 1000 : (now - 999) / 1000
    let (offset, change) = rules.offset(at: seconds)
    let day: Int64 = 86_400_000
    let local = now + Int64(offset) * 1000
    let dayNumber = CivilDay.dayNumber(of: seconds + Int64(offset))
    let time = local - dayNumber * day
    var edge = change > Int64.max / 1000 ? Int64.max : change * 1000
    for minute in [from, until] {
      let boundary = Int64(minute) * 60_000
      edge = min(edge, now + (boundary > time ? boundary - time : boundary - time + day))
    }
    // 1970-01-01 was a Thursday.
    let (today, yesterday) = (dayNumber + 3, dayNumber + 2)
    let (first, last) = (Int64(from) * 60_000, Int64(until) * 60_000)
    let isOpen =
      first < last
      ? days.contains(day: today) && time >= first && time < last
      : days.contains(day: today) && time >= first || days.contains(day: yesterday) && time < last
    return (isOpen, edge)
  }
}

extension RecurringWindow {
  /// Whether it is open at an instant, in milliseconds since 1970.
  package func isOpen(at now: Int64, in rules: TimeZoneRules) -> Bool {
    state(at: now, in: rules).isOpen
  }
}

/// A window together with what the clocks of its time zone show.
struct ZonedWindow: Hashable, Sendable {
  let window: RecurringWindow
  let rules: TimeZoneRules
}
