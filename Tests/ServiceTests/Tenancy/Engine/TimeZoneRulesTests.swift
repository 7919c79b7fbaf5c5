import Foundation
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("Time zones")
struct TimeZoneRulesTests {
  /// Zones of every kind: half hours, odd minutes, both halves of the globe, double summer time, none.
  private static let zones = [
    "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/St_Johns",
    "America/Sao_Paulo", "Australia/Sydney", "Australia/Lord_Howe", "Asia/Kolkata",
    "Asia/Kathmandu", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Chatham", "Africa/Johannesburg",
  ]

  private static func rules(_ name: String) throws -> TimeZoneRules {
    try #require(TimeZoneFiles().rules(of: name), "tzdata has no \(name)")
  }

  @Test("Clocks show what Foundation says, from 1975 to 2090", arguments: zones)
  func offset_randomInstants_equalFoundation(name: String) throws {
    let rules = try Self.rules(name)
    let zone = try #require(TimeZone(identifier: name))
    var generator = SeededGenerator(state: 1)
    for _ in 0..<1_500 {
      let instant = Int64.random(in: 157_766_400...3_786_912_000, using: &generator)
      let (offset, until) = rules.offset(at: instant)
      let date = Date(timeIntervalSince1970: Double(instant))
      #expect(Int(offset) == zone.secondsFromGMT(for: date), "\(name) at \(instant)")
      #expect(until > instant)
      // Up to the next change and not a second longer.
      guard until < 3_786_912_000 else { continue }
      let last = Date(timeIntervalSince1970: Double(until - 1))
      #expect(Int(offset) == zone.secondsFromGMT(for: last), "\(name) before \(until)")
      // Where the last line of the file takes over nothing need change.
      guard until != rules.ruleBegins else { continue }
      let next = Date(timeIntervalSince1970: Double(until))
      #expect(Int(offset) != zone.secondsFromGMT(for: next), "\(name) at \(until)")
    }
  }

  @Test(
    "Rules as POSIX has them give the instants at which clocks change in 2026",
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 1_792_890_000),
      ("EST5EDT,M3.2.0,M11.1.0", 1_772_953_200, 1_793_512_800),
      // Saving time is the standard, and winter is what is saved.
      ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_774_746_000, 1_792_890_000),
      ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_775_314_800, 1_791_041_400),
      // More than a day after the fourth Thursday of March.
      ("IST-2IDT,M3.4.4/26,M10.5.0", 1_774_569_600, 1_792_882_800),
      // The 60th day is the first of March in every year, the 59th from zero only in this one.
      ("AAA0BBB,J60/0,J300/1", 1_772_323_200, 1_793_059_200),
      ("AAA0BBB,59/0,299/1", 1_772_323_200, 1_793_059_200),
    ]
  )
  func rule_posix_changesTwice(text: String, first: Int, second: Int) throws {
    let rule = try #require(YearlyRule(posix: [UInt8](text.utf8)[...]))
    let rules = TimeZoneRules(
      transitions: [],
      offsets: [],
      firstOffset: 0,
      rule: rule,
      ruleBegins: .min
    )
    // 2026-01-01 and what follows.
    let winter = rules.offset(at: 1_767_225_600)
    #expect(winter.until == Int64(first))
    let summer = rules.offset(at: Int64(first))
    #expect(summer.until == Int64(second) && summer.offset != winter.offset)
    let end = rules.offset(at: Int64(second))
    #expect(end.offset == winter.offset)
  }

  @Test(
    "What is no rule is refused",
    arguments: [
      "", "A", "CE-1", "CET", "CET-25", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
      "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "<+01-1",
      "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-1:60",
    ]
  )
  func rule_malformed_isNil(text: String) {
    #expect(YearlyRule(posix: [UInt8](text.utf8)[...]) == nil)
  }

  @Test("No cut or changed file is read as anything but a zone or an error")
  func read_mutatedFiles_throwOrRead() throws {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
    for count in bytes.indices {
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(tzif: Array(bytes.prefix(count))) }
    }
    #expect(throws: TimeZoneError.self) {
      try TimeZoneRules(tzif: bytes + [UInt8](repeating: 0, count: TimeZoneRules.byteCountMax))
    }
    var generator = SeededGenerator(state: 2)
    var readCount = 0
    for _ in 0..<2_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: bytes.indices, using: &generator)
        changed[place] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let rules = try? TimeZoneRules(tzif: changed) else { continue }
      readCount += 1
      for instant in [Int64.min / 2000, 0, 1_767_225_600, Int64.max / 2000] {
        #expect(abs(rules.offset(at: instant).offset) <= 100_000)
      }
    }
    #expect((1..<2_000).contains(readCount))
  }

  @Test("Files are found by names of zones, and by nothing else")
  func files_otherNames_areNil() {
    for name in ["", "Europe", "Europe/Atlantis", "../../etc/passwd", "Europe/../Asia/Tokyo"] {
      #expect(TimeZoneFiles().rules(of: name) == nil, "\(name)")
    }
  }
}
