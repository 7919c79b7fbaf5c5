/// How the use of a limit is counted.
struct Meter: Hashable, Sendable {
  /// How long until the count starts again; the raw value is what catalogues and stores say.
  enum Period: String, Hashable, Sendable, CaseIterable {
    /// From midnight to midnight, UTC.
    case day
    /// From the first of a month to the first of the next, UTC.
    case month
  }

  /// How long until the count starts again.
  var period: Period
  /// Whether more than the limit may be used, which is then said; otherwise it is refused.
  var isSoft: Bool
}

/// The span of time in which use is counted.
///
/// In UTC, no matter who asks: an organization has people in several time zones, and a window that moved with
/// one of them could be obtained twice.
struct UsageWindow: Hashable, Sendable {
  let period: Meter.Period
  /// Milliseconds since 1970.
  let startsAt: Int64
  /// The first instant after it.
  let endsAt: Int64

  private static let day: Int64 = 86_400_000

  /// The window that an instant is in.
  init(_ period: Meter.Period, at now: Int64) {
    self.period = period
    // Rounded down, also before 1970.
    let today = now / Self.day - (now % Self.day < 0 ? 1 : 0)
    switch period {
    case .day: (startsAt, endsAt) = (today * Self.day, (today + 1) * Self.day)
    case .month:
      let first = today - (Self.dayOfMonth(today) - 1)
      // No month has more than 31 days, and none fewer than 28.
      let inNext = first + 31
      let next = inNext - (Self.dayOfMonth(inNext) - 1)
      (startsAt, endsAt) = (first * Self.day, next * Self.day)
    }
  }

  /// The day of the month, from 1, of a day since 1970, after Howard Hinnant, "chrono-Compatible
  /// Low-Level Date Algorithms", `civil_from_days`: years start in March, so that the leap day comes last.
  private static func dayOfMonth(_ days: Int64) -> Int64 {
    let daysPerEra: Int64 = 146_097
    let shifted = (days + 719_468) % daysPerEra
    let dayOfEra = shifted < 0 ? shifted + daysPerEra : shifted
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    return dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  }
}
