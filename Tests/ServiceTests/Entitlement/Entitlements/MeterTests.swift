import Foundation
import Testing

@testable import EntitlementService

@Suite("How the use of limits is counted")
struct MeterTests {
  @Test("Days and months begin and end where the calendar of UTC says, for four hundred years")
  func window_everyDay_agreesWithFoundation() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    // Steps of a day and a bit, so that all times of day and all days of leap years come along.
    for step in stride(from: -200 * 365, to: 200 * 365, by: 3) {
      let now = Int64(step) * 86_400_000 + Int64(step) * 1_234_567 % 86_400_000
      let date = Date(timeIntervalSince1970: Double(now) / 1000)
      for (period, component) in [
        (Meter.Period.day, Calendar.Component.day), (.month, .month),
      ] {
        let expected = try #require(calendar.dateInterval(of: component, for: date))
        let window = UsageWindow(period, at: now)
        #expect(window.startsAt == Int64(expected.start.timeIntervalSince1970 * 1000))
        #expect(window.endsAt == Int64(expected.end.timeIntervalSince1970 * 1000))
      }
    }
  }

  @Test("The first and last milliseconds of a window are inside, and the next one is not")
  func window_edges_areSharp() {
    let window = UsageWindow(.month, at: 951_782_400_000)
    // February 2000 has 29 days.
    #expect(window.startsAt == 949_363_200_000 && window.endsAt == 951_868_800_000)
    #expect(UsageWindow(.month, at: window.startsAt) == window)
    #expect(UsageWindow(.month, at: window.endsAt - 1) == window)
    #expect(UsageWindow(.month, at: window.endsAt).startsAt == window.endsAt)
    #expect(UsageWindow(.month, at: window.startsAt - 1).endsAt == window.startsAt)
  }

  @Test(
    "A catalogue says what is metered, and only of limits",
    arguments: [
      (#"{"kind": "limit", "metered": "day"}"#, nil),
      (#"{"kind": "limit", "metered": "month", "soft": true}"#, nil),
      (#"{"kind": "flag", "metered": "day"}"#, "is only for limits"),
      (#"{"kind": "limit", "soft": true}"#, "is only for metered limits"),
      (#"{"kind": "limit", "metered": "week"}"#, "metered"),
    ] as [(String, String?)]
  )
  func catalog_meter_isChecked(feature: String, problem: String?) throws {
    let json = #"{"features": {"f": \#(feature)}, "tiers": []}"#
    do {
      let catalog = try Catalog(json: Array(json.utf8))
      #expect(problem == nil && catalog.features["f"]?.meter != nil)
      #expect(catalog.features["f"]?.meter?.isSoft == feature.contains("soft"))
    } catch {
      let expected = try #require(problem, "\(error)")
      #expect("\(error)".contains(expected))
    }
  }
}
