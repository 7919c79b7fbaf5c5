internal import RPCKit

/// How far the time of one app is used up by the minutes that were earned in it.
///
/// A minute in an app takes a minute, so no more can be earned than have passed since those that were
/// earned last. A device that was offline catches up with a day, and no day has more minutes than a day.
struct EarnClock: Hashable, Sendable {
  /// The instant up to which minutes were earned, in milliseconds since 1970.
  var earnedUntil: Int64
  /// The day in UTC in which minutes were earned last, counted from 1970.
  var day: Int64
  /// Minutes that were earned in that day.
  var dayMinutes: Int64

  private static let minute: Int64 = 60_000
  private static let dayLength = dayMinutesMax * minute
  /// Minutes of a day: as many can be earned in one, and be caught up with.
  static let dayMinutesMax: Int64 = 1440

  /// The clock of an app in which nothing was ever earned.
  static let unused = EarnClock(earnedUntil: 0, day: 0, dayMinutes: 0)

  /// Whole minutes that can be earned now.
  func available(at now: Int64) -> Int64 {
    let passed = (now - start(at: now)) / Self.minute
    return max(0, min(passed, leftOfDay(at: now)))
  }

  /// Uses up `minutes`, or throws `PointsError.earnedTooFast` and changes nothing.
  mutating func earn(_ minutes: Int64, in app: String, at now: Int64) throws(RPCError) {
    let available = available(at: now)
    guard minutes <= available else {
      throw PointsError.earnedTooFast(
        app: app,
        available: available,
        wait: .milliseconds(opening(for: minutes, at: now) - now)
      )
    }
    let today = now / Self.dayLength
    earnedUntil = start(at: now) + minutes * Self.minute
    dayMinutes = (day == today ? dayMinutes : 0) + minutes
    day = today
  }

  /// The instant at which the next minute to be earned begins.
  private func start(at now: Int64) -> Int64 { max(earnedUntil, now - Self.dayLength) }

  private func leftOfDay(at now: Int64) -> Int64 {
    Self.dayMinutesMax - (day == now / Self.dayLength ? dayMinutes : 0)
  }

  /// The first instant at which so many minutes can be earned, if none are until then.
  private func opening(for minutes: Int64, at now: Int64) -> Int64 {
    let passed = max(now, earnedUntil + minutes * Self.minute)
    guard minutes > leftOfDay(at: now) else { return passed }
    return max(passed, (now / Self.dayLength + 1) * Self.dayLength)
  }
}
