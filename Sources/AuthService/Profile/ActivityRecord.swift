internal import ServiceKit

/// How often a user has done something, and on how many days in a row.
struct ActivityRecord: Hashable, Sendable {
  /// The name.
  let name: String
  /// How often in all.
  private(set) var total: Int64
  /// How often in the week of the last day.
  private(set) var weekTotal: Int64
  /// Days without a gap up to the last one.
  private(set) var streak: Int64
  /// The most days without a gap so far.
  private(set) var longestStreak: Int64
  /// The last day.
  private(set) var lastDay: CalendarDay

  /// One that was done for the first time.
  init(_ name: String, on day: CalendarDay, count: Int64) {
    self.init(
      name: name,
      total: count,
      weekTotal: count,
      streak: 1,
      longestStreak: 1,
      lastDay: day
    )
  }

  init(
    name: String,
    total: Int64,
    weekTotal: Int64,
    streak: Int64,
    longestStreak: Int64,
    lastDay: CalendarDay
  ) {
    (self.name, self.total, self.weekTotal) = (name, total, weekTotal)
    (self.streak, self.longestStreak, self.lastDay) = (streak, longestStreak, lastDay)
  }

  /// Days without a gap up to yesterday or today; 0 as soon as it is the day after somebody could still have gone
  /// on, anywhere on Earth: whose day it is there, the user's application knows.
  func currentStreak(at now: Int64) -> Int64 {
    lastDay.number + 1 >= CalendarDay.somewhere(at: now).lowerBound.number ? streak : 0
  }

  /// How often in this week; 0 as soon as that of the last day is over everywhere on Earth.
  func currentWeekTotal(at now: Int64) -> Int64 {
    lastDay.monday >= CalendarDay.somewhere(at: now).lowerBound.monday ? weekTotal : 0
  }

  /// Counts that it was done on a day.
  ///
  /// A day before the last one, as after a flight to the west, adds to the counts and changes no streak.
  mutating func record(on day: CalendarDay, count: Int64) {
    total = total.addingSaturated(count)
    if day.monday > lastDay.monday {
      weekTotal = count
    } else if day.monday == lastDay.monday {
      weekTotal = weekTotal.addingSaturated(count)
    }
    guard day > lastDay else { return }
    streak = day.number == lastDay.number + 1 ? streak.addingSaturated(1) : 1
    longestStreak = max(longestStreak, streak)
    lastDay = day
  }
}
