import Foundation
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("Windows that recur every week")
struct RecurringWindowTests {
  /// Milliseconds since 1970 of a date in UTC.
  private static func instant(_ text: String) throws -> Int64 {
    let date = try Date(text, strategy: .iso8601)
    return Int64(date.timeIntervalSince1970 * 1000)
  }

  private static func zoned(
    _ days: [String],
    _ from: Int,
    _ until: Int,
    _ zone: String
  ) throws -> ZonedWindow {
    let weekdays = try #require(RecurringWindow.Weekdays(names: days))
    let window = try #require(
      RecurringWindow(days: weekdays, from: from, until: until, timeZone: zone)
    )
    return ZonedWindow(window: window, rules: try #require(TimeZoneFiles().rules(of: zone)))
  }

  @Test(
    "It is open by the clocks on the wall, also on days on which they change",
    arguments: [
      // Monday to Friday, eight to six; that is six to four in UTC in summer.
      ("2026-07-06T05:59:59Z", false), ("2026-07-06T06:00:00Z", true),
      ("2026-07-06T15:59:59Z", true), ("2026-07-06T16:00:00Z", false),
      // Seven to five in winter, and never on a Saturday.
      ("2026-01-05T06:59:59Z", false), ("2026-01-05T07:00:00Z", true),
      ("2026-01-10T09:00:00Z", false),
    ]
  )
  func state_workingHours_followClocks(text: String, isOpen: Bool) throws {
    let window = try Self.zoned(
      ["monday", "tuesday", "wednesday", "thursday", "friday"],
      480,
      1080,
      "Europe/Berlin"
    )
    let state = window.window.state(at: try Self.instant(text), in: window.rules)
    #expect(state.isOpen == isOpen)
  }

  @Test("Of an hour that is skipped nothing is left, and one that comes twice counts twice")
  func state_clocksChange_skipsAndRepeats() throws {
    let window = try Self.zoned(["sunday"], 150, 210, "Europe/Berlin")
    let isOpen = { (text: String) in
      window.window.state(at: try Self.instant(text), in: window.rules).isOpen
    }
    // From 01:59:59 to 03:00:00: half past two does not come, three to half past three does.
    #expect(try !isOpen("2026-03-29T00:59:59Z"))
    #expect(try isOpen("2026-03-29T01:00:00Z"))
    #expect(try !isOpen("2026-03-29T01:30:00Z"))
    // Half past two to three comes in summer time, and an hour later again.
    #expect(try !isOpen("2026-10-25T00:29:59Z"))
    #expect(try isOpen("2026-10-25T00:30:00Z"))
    #expect(try !isOpen("2026-10-25T01:00:00Z"))
    #expect(try isOpen("2026-10-25T01:30:00Z"))
    #expect(try isOpen("2026-10-25T02:29:59Z"))
    #expect(try !isOpen("2026-10-25T02:30:00Z"))
  }

  @Test("Over midnight it belongs to the day on which it begins; a whole day ends at 24:00")
  func state_overMidnight_belongsToFirstDay() throws {
    let night = try Self.zoned(["friday"], 1320, 360, "America/New_York")
    let isOpen = { (window: ZonedWindow, text: String) in
      window.window.state(at: try Self.instant(text), in: window.rules).isOpen
    }
    #expect(try !isOpen(night, "2026-01-09T04:00:00Z"), "Thursday, eleven at night")
    #expect(try isOpen(night, "2026-01-10T03:00:00Z"), "Friday, ten at night")
    #expect(try isOpen(night, "2026-01-10T10:59:59Z"), "Saturday before six")
    #expect(try !isOpen(night, "2026-01-10T11:00:00Z"), "Saturday at six")
    let day = try Self.zoned(["saturday"], 0, 1440, "America/New_York")
    #expect(try !isOpen(day, "2026-01-10T04:59:59Z"))
    #expect(try isOpen(day, "2026-01-10T05:00:00Z"))
    #expect(try isOpen(day, "2026-01-11T04:59:59Z"))
    #expect(try !isOpen(day, "2026-01-11T05:00:00Z"))
  }

  @Test("Until the instant that it names nothing changes", arguments: 1...4)
  func state_randomWindows_holdUntilEdge(seed: Int) throws {
    var generator = SeededGenerator(state: UInt64(seed))
    let zones = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
    for _ in 0..<200 {
      let from = Int.random(in: 0..<1440, using: &generator)
      let until = Int.random(in: 0...1440, using: &generator)
      guard from != until else { continue }
      let bits = UInt8.random(in: 1...127, using: &generator)
      let days = RecurringWindow.Weekdays(rawValue: bits)
      let zone = try #require(zones.randomElement(using: &generator))
      let window = try Self.zoned(days.names, from, until, zone)
      // Around the days on which clocks change as well as any other.
      let around = try #require(
        [1_774_746_000_000, 1_792_890_000_000, 1_775_314_800_000, 1_780_000_000_000]
          .randomElement(using: &generator)
      )
      let now = Int64(around) + Int64.random(in: -90_000_000...90_000_000, using: &generator)
      let state = window.window.state(at: now, in: window.rules)
      #expect(state.until > now)
      for _ in 0..<8 {
        let later = Int64.random(in: now..<state.until, using: &generator)
        #expect(
          window.window.state(at: later, in: window.rules).isOpen == state.isOpen,
          "\(window.window) at \(now) and \(later)"
        )
      }
    }
  }

  @Test(
    "Conditions on the time say what is wrong with them",
    arguments: [
      (#"{ "from": "09:00", "until": "09:00" }"#, "needs an until"),
      (#"{ "from": "24:00", "until": "09:00" }"#, "needs an until"),
      (#"{ "from": "24:01", "until": "09:00" }"#, "must be a time of day"),
      (#"{ "from": "08:00", "until": "09:00", "days": [] }"#, "must be one or more"),
      (#"{ "from": "08:00", "until": "09:00", "days": ["mon"] }"#, "must be one or more"),
      (
        #"{ "from": "08:00", "until": "09:00", "time_zone": "Europe/Atlantis" }"#,
        "unknown time zone"
      ),
    ]
  )
  func load_malformedDaily_isRefused(daily: String, problem: String) throws {
    var text = LibraryPolicy.text
    text.replace(#"{ "from": "20:00", "until": "06:30" }"#, with: daily)
    let error = #expect(throws: PolicyError.self) {
      try Policy.load([UInt8](text.utf8), zones: TimeZoneFiles())
    }
    #expect(try #require(error).problems.map(\.problem).contains { $0.contains(problem) })
  }
}
