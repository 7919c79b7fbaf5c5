import PeerContracts
import EntitlementContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Limits of points")
struct PointsLimitTests {
  @Test("A balance holds two thousand million points and not one more")
  func earn_aboveTheLargestBalance_isRefused() async throws {
    try await PointsFamily.run { family in
      try await family.give(PointsLedger.balanceMax - 1, of: "reading")
      try await family.earn("reading", minutes: 1)
      let over = await Refused.by { try await family.earn("reading", minutes: 1) }
      #expect(over == Refused(.failedPrecondition, "POINTS_LIMIT"))
      #expect(try await family.balances()["reading"] == PointsLedger.balanceMax)
      #expect(try await family.findings() == [])
    }
  }

  @Test("A reward runs for a year at most, and one that would run longer costs nothing")
  func redeem_tooLong_isRefused() async throws {
    try await PointsFamily.run { family in
      try await family.give(PointsLedger.balanceMax, of: "reading")
      let year: Int64 = 366 * 24 * 60
      for points in [year + 1, PointsLedger.balanceMax] {
        let long = await Refused.by { try await family.redeem([("reading", points)]) }
        #expect(long == Refused(.failedPrecondition, "REWARD_LIMIT"))
      }
      try await family.redeem([("reading", year)])
      let more = await Refused.by { try await family.redeem([("reading", 1)]) }
      #expect(more == Refused(.failedPrecondition, "REWARD_LIMIT"))
      #expect(try await family.balances()["reading"] == PointsLedger.balanceMax - year)
    }
  }

  @Test("At most a hundred rewards run at a time; those that ran out make room")
  func redeem_manyRewards_areBounded() async throws {
    try await PointsFamily.run { family in
      try await family.give(1000, of: "reading")
      for number in 0..<RewardTime.countMax {
        try await family.redeem([("reading", 1)], for: "reward \(number)")
      }
      let more = await Refused.by { try await family.redeem([("reading", 1)], for: "another") }
      #expect(more == Refused(.failedPrecondition, "REWARD_LIMIT"))
      // Those that run go on.
      try await family.redeem([("reading", 1)], for: "reward 7")
      family.fixture.clock.advance(60_000)
      try await family.redeem([("reading", 1)], for: "another")
      #expect(try await family.rewards() == ["reward 7": 60, "another": 60])
    }
  }

  @Test("A holder has rules for five hundred apps at most, and those can still be changed")
  func setRule_tooMany_isRefused() async throws {
    try await PointsFamily.run { family in
      let holder = family.holder
      try await family.fixture.service.core.database.write { tx in
        for number in 2..<PointsRule.countMax {
          try PointsRuleTable.save(
            PointsRule(app: "app \(number)", pointsPerMinute: 1, pointsPerRewardMinute: 1),
            of: holder,
            in: tx
          )
        }
      }
      let more = await Refused.by { try await family.setRule("more", earns: 1, costs: 1) }
      #expect(more == Refused(.failedPrecondition, "POINTS_RULE_LIMIT"))
      try await family.setRule("math", earns: 5, costs: 5)
      #expect(try await family.balances().count == PointsRule.countMax)
    }
  }

  @Test("Requests that break the contract are refused before they cost anything")
  func requests_outOfBounds_areInvalid() async throws {
    try await PointsFamily.run { family in
      let points = family.fixture.points
      let parts = (0...50).map { Entitlement_V1.PointsPart(app: "a\($0)", amount: .points(1)) }
      for call: () async throws -> Void in [
        { try await family.earn("math", minutes: 0) },
        { try await family.earn("math", minutes: 1441) },
        { try await family.earn("", minutes: 1) },
        { try await family.redeem([("math", 0)]) },
        { try await family.redeem([("math", -5)]) },
        { try await family.redeem([("math", Int64.max)]) },
        { try await family.redeem([]) },
        { try await family.setRule("math", earns: 1001, costs: 1) },
        { try await family.setRule(String(repeating: "m", count: 129), earns: 1, costs: 1) },
        { try await family.setRule("ma\u{202E}th", earns: 1, costs: 1) },
        {
          _ = try await points.redeem(
            .init(holderId: family.holder, parts: parts),
            options: PointsFamily.child
          )
        },
      ] {
        #expect(await Refused.by(call).code == .invalidArgument)
      }
    }
  }
}
