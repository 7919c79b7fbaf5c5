import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Minutes that are earned as they pass")
struct EarnClockTests {
  private static let minute: Int64 = 60_000
  private static let tooFast = Refused(.failedPrecondition, "EARNED_TOO_FAST")

  @Test("A day of minutes is earned once, and after that as many as pass")
  func earn_sameDayTwice_isRefused() async throws {
    try await PointsFamily.run { family in
      let clock = family.fixture.clock
      try await family.earn("reading", minutes: 1440)
      let again = await Refused.by { try await family.earn("reading", minutes: 1440) }
      #expect(again == Self.tooFast)
      // Noon has passed: the rest of the day was earned ahead, so it is tomorrow that goes on.
      clock.advance(12 * 60 * Self.minute - 1)
      let today = await Refused.by { try await family.earn("reading", minutes: 1) }
      #expect(today == Self.tooFast)
      clock.advance(1)
      try await family.earn("reading", minutes: 720)
      let more = await Refused.by { try await family.earn("reading", minutes: 1) }
      #expect(more == Self.tooFast)
      clock.advance(Self.minute)
      try await family.earn("reading", minutes: 1)
      #expect(try await family.balances()["reading"] == 1440 + 720 + 1)
      #expect(try await family.findings() == [])
    }
  }

  @Test("A refusal says how many minutes can be earned and when the others can, and uses up none")
  func earn_tooMany_saysHowMany() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 1400)
      let error = try #require(
        await #expect(throws: RPCError.self) { try await family.earn("reading", minutes: 41) }
      )
      let info = try #require(error.detail(Google_Rpc.ErrorInfo.self))
      #expect(info.metadata == ["app": "reading", "available_minutes": "40"])
      #expect(error.message.contains("can earn 40 minutes now"))
      // The day is used up first: the others come with the next one, at midnight.
      #expect(error.retryDelay == .seconds(12 * 3600))
      #expect(try await family.history().count == 1)
      try await family.earn("reading", minutes: 40)
    }
  }

  @Test("Apps and children have clocks of their own")
  func earn_otherAppOrChild_hasItsOwnClock() async throws {
    try await PointsFamily.run { family in
      let tom = PointsFamily(fixture: family.fixture, holder: "chd_tom")
      try await tom.setRule("reading", earns: 1, costs: 1)
      try await family.earn("reading", minutes: 1440)
      try await family.earn("math", minutes: 1440)
      try await tom.earn("reading", minutes: 1440)
      for (child, app) in [(family, "reading"), (family, "math"), (tom, "reading")] {
        let more = await Refused.by { try await child.earn(app, minutes: 1) }
        #expect(more == Self.tooFast, "\(app) of \(child.holder)")
      }
    }
  }

  @Test("Minutes whose points were taken back cannot be earned again")
  func reverse_ofEarned_givesNoMinutesBack() async throws {
    try await PointsFamily.run { family in
      let earned = try await family.earn("reading", minutes: 1440)
      try await family.reverse(earned.id)
      let again = await Refused.by { try await family.earn("reading", minutes: 1) }
      #expect(again == Self.tooFast)
    }
  }

  @Test("What is refused for another reason uses up no time")
  func earn_refusedOtherwise_usesNothingUp() async throws {
    try await PointsFamily.run { family in
      try await family.give(PointsLedger.balanceMax, of: "reading")
      let full = await Refused.by { try await family.earn("reading", minutes: 1440) }
      #expect(full == Refused(.failedPrecondition, "POINTS_LIMIT"))
      try await family.redeem([("reading", 1440)])
      try await family.earn("reading", minutes: 1440)
    }
  }

  @Test("Of many devices that report at once, no more is credited than has passed")
  func earn_manyAtOnce_isBounded() async throws {
    try await PointsFamily.run { family in
      let outcomes = await withTaskGroup(of: Refused.self) { group in
        for _ in 0..<64 {
          group.addTask { await Refused.by { try await family.earn("reading", minutes: 100) } }
        }
        return await group.reduce(into: [Refused]()) { $0.append($1) }
      }
      #expect(outcomes.filter { $0 == Refused(nil, nil) }.count == 14)
      #expect(outcomes.filter { $0 == Self.tooFast }.count == 50)
      let balances = try await family.balances()
      #expect(balances["reading"] == 1400)
    }
  }

  @Test("A call that is repeated under its key uses up its minutes once")
  func earn_sameKey_usesTimeOnce() async throws {
    try await PointsFamily.run { family in
      let earned = try await family.earn("reading", minutes: 1440, key: "e")
      #expect(try await family.earn("reading", minutes: 1440, key: "e") == earned)
    }
  }

  @Test("At random times, no stretch of time and no day has more minutes than it is long")
  func clock_random_staysInTime() throws {
    let seed = SeededGenerator.seed("POINTS_SEED")
    var random = SeededGenerator(state: seed)
    var (clock, now) = (EarnClock.unused, TestTime.now)
    var earned: [(at: Int64, minutes: Int64)] = []
    for _ in 0..<2000 {
      let minutes = Int64.random(in: 1...1440, using: &random)
      let before = clock
      do throws(RPCError) {
        try clock.earn(minutes, in: "reading", at: now)
        earned.append((now, minutes))
      } catch {
        #expect(clock == before)
        // Exactly after the delay, as many can be earned.
        let wait = try #require(error.retryDelay)
        let opens =
          now + wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000
        #expect(clock.available(at: opens - 1) < minutes, "POINTS_SEED \(seed)")
        #expect(clock.available(at: opens) >= minutes, "POINTS_SEED \(seed)")
      }
      now += Int64.random(in: 0...(Bool.random(using: &random) ? 5 : 900), using: &random) * 30_000
    }
    #expect(earned.count > 100)
    let dayLength = 1440 * Self.minute
    let days = Dictionary(grouping: earned) { $0.at / dayLength }
    for (day, calls) in days {
      #expect(calls.reduce(0) { $0 + $1.minutes } <= 1440, "day \(day), POINTS_SEED \(seed)")
    }
    for first in earned.indices {
      var sum: Int64 = 0
      for last in earned[first...] {
        sum += last.minutes
        let passed = (last.at - earned[first].at) / Self.minute
        #expect(sum <= 1440 + passed, "POINTS_SEED \(seed)")
      }
    }
  }

  @Test("A clock that is set back earns nothing until it has caught up")
  func clock_setBack_earnsNothing() throws {
    var clock = EarnClock.unused
    try clock.earn(1440, in: "reading", at: TestTime.now)
    #expect(clock.available(at: TestTime.now - 24 * 60 * Self.minute) == 0)
    #expect(clock.available(at: 0) == 0)
  }
}
