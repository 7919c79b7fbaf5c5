import ServiceKit
import Testing

@testable import AuthService

@Suite("Counters and streaks")
struct ActivityTests {
  private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

  @Test("Days on end make a streak, a gap begins another one, and the longest is kept")
  func streak_daysAndGaps_isCounted() throws {
    var checkin = ActivityRecord("checkin", on: try day("2026-12-30"), count: 1)
    for text in ["2026-12-31", "2027-01-01", "2027-01-01"] {
      checkin.record(on: try day(text), count: 1)
    }
    #expect(checkin.streak == 3)
    #expect(checkin.total == 4)
    checkin.record(on: try day("2027-01-03"), count: 1)
    #expect(checkin.streak == 1)
    #expect(checkin.longestStreak == 3)
    #expect(checkin.lastDay.text == "2027-01-03")
  }

  @Test("A week begins on Monday and counts for itself")
  func week_turns_countsAnew() throws {
    // A Sunday, and the Monday after it.
    var message = ActivityRecord("message", on: try day("2026-11-22"), count: 5)
    message.record(on: try day("2026-11-22"), count: 2)
    #expect(message.weekTotal == 7)
    message.record(on: try day("2026-11-23"), count: 1)
    message.record(on: try day("2026-11-29"), count: 1)
    #expect(message.weekTotal == 2)
    #expect(message.total == 9)
    #expect(try day("1969-12-28").monday.text == "1969-12-22")
    #expect(try day("1970-01-01").monday.text == "1969-12-29")
    #expect(try day("2026-11-23").monday.text == "2026-11-23")
  }

  @Test("A streak counts until nobody can go on with it, and a week until it is over everywhere")
  func current_whileItCanGoOn() throws {
    func instant(_ text: String) throws -> Int64 {
      try #require(InstantText.milliseconds(text))
    }
    // A Sunday.
    var checkin = ActivityRecord("checkin", on: try day("2026-11-21"), count: 1)
    checkin.record(on: try day("2026-11-22"), count: 1)
    // On Baker Island it is Monday until Tuesday 12:00 UTC.
    for (now, streak, week) in [
      ("2026-11-22T12:00:00Z", Int64(2), Int64(2)), ("2026-11-23T11:59:59Z", 2, 2),
      ("2026-11-23T12:00:00Z", 2, 0), ("2026-11-24T11:59:59Z", 2, 0),
      ("2026-11-24T12:00:00Z", 0, 0),
    ] {
      #expect(checkin.currentStreak(at: try instant(now)) == streak, "\(now)")
      #expect(checkin.currentWeekTotal(at: try instant(now)) == week, "\(now)")
    }
  }

  @Test("A day before the last one adds to the counts and leaves the streak alone")
  func day_earlier_changesNoStreak() throws {
    var checkin = ActivityRecord("checkin", on: try day("2026-11-22"), count: 1)
    checkin.record(on: try day("2026-11-23"), count: 1)
    checkin.record(on: try day("2026-11-22"), count: 4)
    #expect(checkin.streak == 2)
    #expect(checkin.total == 6)
    // The week that is counted is that of the last day.
    #expect(checkin.weekTotal == 1)
    #expect(checkin.lastDay.text == "2026-11-23")
  }

  @Test("Counts stop at the largest number")
  func counts_huge_stop() throws {
    var checkin = ActivityRecord(
      name: "checkin",
      total: .max - 1,
      weekTotal: .max - 1,
      streak: .max,
      longestStreak: .max,
      lastDay: try day("2026-11-23")
    )
    checkin.record(on: try day("2026-11-24"), count: 1000)
    #expect(checkin.total == .max)
    #expect(checkin.weekTotal == .max)
    #expect(checkin.streak == .max)
  }

  @Test("A day is one that it is somewhere on Earth, to the minute")
  func days_somewhere_areExact() throws {
    func days(_ instant: String) throws -> String {
      let days = CalendarDay.somewhere(at: try #require(InstantText.milliseconds(instant)))
      return "\(days.lowerBound.text) \(days.upperBound.text)"
    }
    #expect(try days("2026-11-22T09:59:59.999Z") == "2026-11-21 2026-11-22")
    #expect(try days("2026-11-22T10:00:00Z") == "2026-11-21 2026-11-23")
    #expect(try days("2026-11-22T11:59:59.999Z") == "2026-11-21 2026-11-23")
    #expect(try days("2026-11-22T12:00:00Z") == "2026-11-22 2026-11-23")
    #expect(try days("1969-12-31T23:00:00Z") == "1969-12-31 1970-01-01")
    for text in ["2026-02-29", "2026-13-01", "2026-1-01", "0000-01-01", "", "2026-11-22Z"] {
      #expect(CalendarDay(text) == nil, "\(text)")
    }
  }

  @Test("A list is stored and read again, and what nobody here wrote is refused")
  func list_stored_isRead() throws {
    var list = ActivityList()
    for number in 0..<ActivityList.countMax {
      #expect(list.record("a\(number)", on: try day("2026-11-22"), count: .max) != nil)
    }
    #expect(list.record("another", on: try day("2026-11-22"), count: 1) == nil)
    #expect(list.record("a7", on: try day("2026-11-23"), count: 1)?.streak == 2)
    #expect(try ActivityList(stored: list.text) == list)
    #expect(try ActivityList(stored: "[]") == ActivityList())
    for wrong in ["{}", "[{}]", "[1]", list.text.replacing("2026", with: "year"), "[{"] {
      #expect(throws: StoreError.self) { try ActivityList(stored: wrong) }
    }
  }
}
