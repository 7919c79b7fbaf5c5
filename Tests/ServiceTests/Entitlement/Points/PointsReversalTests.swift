import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Several transactions of points that are reversed together")
struct PointsReversalTests {
  @Test("Those of several apps are taken back by one transaction, the newest first")
  func reverse_severalApps_isOneTransaction() async throws {
    try await PointsFamily.run { family in
      let math = try await family.earn("math", minutes: 10)
      let reading = try await family.earn("reading", minutes: 5)
      try await family.earn("reading", minutes: 1)
      let reversal = try await family.reverse(all: [math.id, reading.id])
      #expect(Set(reversal.entries.map(\.transactionId)) == [reversal.id])
      #expect(reversal.entries.map(\.app) == ["reading", "math"])
      #expect(reversal.entries.map(\.points) == [5, 20])
      #expect(reversal.entries.map(\.reversedTransactionId) == [reading.id, math.id])
      #expect(try await family.balances() == ["math": 0, "reading": 1])
      // Asking again, for all or for one of them, gets what is there.
      #expect(try await family.reverse(all: [reading.id, math.id]) == reversal)
      #expect(try await family.reverse(math.id) == reversal)
      let audited = try await family.fixture.service.core.database.read { tx in
        try tx.query("SELECT detail FROM audit_log WHERE action = 'points.reverse'") { $0.text(0) }
      }
      #expect(audited == ["25 points, 2 entries, reverses \(reading.id) and 1 more"])
      #expect(try await family.findings() == [])
    }
  }

  @Test("One that cannot be reversed keeps all of them")
  func reverse_oneRefused_changesNothing() async throws {
    try await PointsFamily.run { family in
      let math = try await family.earn("math", minutes: 10)
      let reading = try await family.earn("reading", minutes: 5)
      try await family.redeem([("reading", 1)], for: "games")
      let old = try await family.redeem([("math", 3)], for: "music")
      let reversal = try await family.reverse(try await family.earn("math", minutes: 1).id)
      family.fixture.clock.advance(60_000)
      let before = try await family.history()
      for (ids, refused) in [
        ([math.id, reading.id], Refused(.failedPrecondition, "INSUFFICIENT_POINTS")),
        ([math.id, reversal.id], Refused(.failedPrecondition, "NOT_REVERSIBLE")),
        ([math.id, "ptx_unknown"], Refused(.notFound, "NOT_FOUND")),
        ([old.id, math.id], Refused(.failedPrecondition, "REWARD_USED")),
        ([math.id, math.id], Refused(.invalidArgument, "DUPLICATE")),
        ([], Refused(.invalidArgument, "TRANSACTION_REQUIRED")),
      ] {
        let outcome = await Refused.by { try await family.reverse(all: ids) }
        #expect(outcome == refused, "\(ids)")
      }
      let both = await Refused.by { try await family.reverse(all: [math.id], beside: reading.id) }
      #expect(both == Refused(.invalidArgument, "TRANSACTION_REQUIRED"))
      let many = await Refused.by { try await family.reverse(all: (0...50).map { "ptx_\($0)" }) }
      #expect(many.code == .invalidArgument)
      #expect(try await family.history() == before)
    }
  }

  @Test("What was reversed before is left out, and the others are reversed")
  func reverse_someDone_reversesTheOthers() async throws {
    try await PointsFamily.run { family in
      let math = try await family.earn("math", minutes: 10)
      let reading = try await family.earn("reading", minutes: 5)
      let first = try await family.reverse(math.id)
      let rest = try await family.reverse(all: [math.id, reading.id])
      #expect(rest.id != first.id)
      #expect(rest.entries.map(\.reversedTransactionId) == [reading.id])
      #expect(try await family.reverse(all: [math.id, reading.id]) == rest)
      #expect(try await family.reverse(math.id) == first)
      #expect(try await family.balances() == ["math": 0, "reading": 0])
    }
  }

  @Test("Redemptions of one reward share the minutes that are left; the newest gets them first")
  func reverse_redemptions_shareTheTime() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 30)
      let older = try await family.redeem([("reading", 10)], for: "games")
      let newer = try await family.redeem([("reading", 10)], for: "games")
      family.fixture.clock.advance(5 * 60_000)
      let reversal = try await family.reverse(all: [older.id, newer.id])
      #expect(reversal.entries.map(\.points) == [10, 5])
      #expect(reversal.activeReward == nil)
      #expect(try await family.balances()["reading"] == 25)
      #expect(try await family.rewards().isEmpty)
      // A reversal of two rewards answers with neither.
      let games = try await family.redeem([("reading", 2)], for: "games")
      let music = try await family.redeem([("reading", 2)], for: "music")
      family.fixture.clock.advance(30_000)
      let both = try await family.reverse(all: [games.id, music.id])
      #expect(both.entries.map(\.points) == [1, 1] && both.activeReward == nil)
      #expect(try await family.rewards() == ["games": 30, "music": 30])
    }
  }

  @Test("Points that a redemption gives back can be taken back with it")
  func reverse_earnedAndSpent_togetherWorks() async throws {
    try await PointsFamily.run { family in
      let earned = try await family.earn("reading", minutes: 10)
      let redeemed = try await family.redeem([("reading", 10)], for: "games")
      let alone = await Refused.by { try await family.reverse(earned.id) }
      #expect(alone == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      try await family.reverse(all: [earned.id, redeemed.id])
      #expect(try await family.balances()["reading"] == 0)
      #expect(try await family.rewards().isEmpty)
      #expect(try await family.findings() == [])
    }
  }

  @Test("Together is as one after the other from the newest on", arguments: 0..<10)
  func reverse_random_agreesWithOneByOne(round: Int) async throws {
    let seed = SeededGenerator.seed("POINTS_SEED") &+ UInt64(round)
    var random = SeededGenerator(state: seed)
    try await PointsFamily.run { mia in
      let tom = PointsFamily(fixture: mia.fixture, holder: "chd_tom")
      try await tom.setRule("math", earns: 2, costs: 3)
      try await tom.setRule("reading", earns: 1, costs: 1)
      var pairs: [(mia: String, tom: String)] = []
      for _ in 0..<8 {
        let app = ["math", "reading"].randomElement(using: &random) ?? "math"
        let reward = ["games", "music"].randomElement(using: &random) ?? "games"
        let minutes = UInt32.random(in: 5...20, using: &random)
        if Bool.random(using: &random) || pairs.isEmpty {
          pairs.append(
            (
              try await mia.earn(app, minutes: minutes).id,
              try await tom.earn(app, minutes: minutes).id
            )
          )
        } else if let redeemed = try? await mia.redeem([(app, 4)], for: reward) {
          pairs.append((redeemed.id, try await tom.redeem([(app, 4)], for: reward).id))
        }
      }
      let chosen = pairs.filter { _ in Bool.random(using: &random) }
      var refused = false
      for pair in chosen.reversed() {
        let outcome = await Refused.by { try await tom.reverse(pair.tom) }
        refused = refused || outcome.code != nil
        if refused { break }
      }
      let ids = chosen.map(\.mia).shuffled(using: &random)
      let together = await Refused.by { try await mia.reverse(all: ids) }
      #expect((together.code != nil) == (refused || ids.isEmpty), "POINTS_SEED \(seed)")
      guard together.code == nil else { return }
      let (balances, rewards) = (try await tom.balances(), try await tom.rewards())
      #expect(try await mia.balances() == balances, "POINTS_SEED \(seed)")
      #expect(try await mia.rewards() == rewards, "POINTS_SEED \(seed)")
      #expect(try await mia.findings() == [], "POINTS_SEED \(seed)")
    }
  }
}
