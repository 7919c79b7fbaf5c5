import PeerContracts
import EntitlementContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Points of a child, over the wire")
struct PointsServiceTests {
  @Test("Minutes earn points, part of them is redeemed, and what makes no whole minute stays")
  func redeem_part_leavesTheRest() async throws {
    try await PointsFamily.run { family in
      let earned = try await family.earn("math", minutes: 10)
      #expect(earned.entries.map(\.points) == [20] && earned.entries.map(\.balance) == [20])
      #expect(earned.activeReward == nil)
      try await family.earn("reading", minutes: 5)
      let redeemed = try await family.redeem([("math", 11)], for: "games")
      let entry = try #require(redeemed.entries.first)
      #expect(entry.points == 9 && entry.minutes == 3 && entry.pointsPerMinute == 3)
      #expect(entry.kind == .redeem && entry.balance == 11 && entry.reward == "games")
      #expect(entry.actorId == ServiceFixture.bert && entry.number == 3)
      #expect(redeemed.activeReward?.secondsLeft == 180)
      #expect(try await family.balances() == ["math": 11, "reading": 5])
      // All of it, which again is whole minutes only.
      let rest = try await family.redeem([("math", nil)], for: "games")
      #expect(rest.entries.map(\.points) == [9])
      #expect(try await family.balances() == ["math": 2, "reading": 5])
      let answer = try await family.fixture.points.balances(
        .init(holderId: family.holder),
        options: PointsFamily.parent
      )
      #expect(answer.totalPoints == 7)
      #expect(answer.balances.map(\.rewardMinutes) == [0, 5])
    }
  }

  @Test("A rule is put back, and an old revision of it is refused")
  func setRule_oldRevision_isAborted() async throws {
    try await PointsFamily.run { family in
      let set = { (rule: Entitlement_V1.PointsRule, revision: String) in
        try await family.fixture.points.setRule(
          .init(holderId: family.holder, rule: rule, expectedRevision: revision),
          options: PointsFamily.parent
        )
      }
      let rules = try await family.fixture.points.listRules(
        .init(holderId: family.holder),
        options: PointsFamily.parent
      ).rules
      let read = try #require(rules.first { $0.app == "math" })
      #expect(try await set(read, "") == read, "put back, it changes nothing")
      var cheaper = read
      cheaper.pointsPerRewardMinute = 1
      cheaper.revision = ""
      let changed = try await set(cheaper, read.revision)
      #expect(changed.revision != read.revision && changed.pointsPerRewardMinute == 1)
      var dearer = read
      dearer.pointsPerRewardMinute = 9
      func refused(_ revision: String) async -> Refused? {
        await Refused.by { [dearer] in _ = try await set(dearer, revision) }
      }
      let aborted = Refused(.aborted, "REVISION_MISMATCH")
      #expect(await refused("") == aborted, "by what it holds")
      dearer.revision = ""
      #expect(await refused(read.revision) == aborted)
      #expect(await refused("0") == aborted, "there is one")
      let new = Entitlement_V1.PointsRule(app: "chess", pointsPerMinute: 1)
      #expect(try await set(new, "0").revision == "1")
    }
  }

  @Test("A redemption of several apps is done whole or not at all")
  func redeem_several_allOrNothing() async throws {
    try await PointsFamily.run { family in
      try await family.earn("math", minutes: 10)
      try await family.earn("reading", minutes: 5)
      let short = await Refused.by {
        try await family.redeem([("math", 9), ("reading", 6)], for: "games")
      }
      #expect(short == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      #expect(try await family.balances() == ["math": 20, "reading": 5])
      #expect(try await family.rewards().isEmpty)
      #expect(try await family.history().count == 2)
      let both = try await family.redeem([("math", 9), ("reading", nil)], for: "games")
      #expect(both.entries.map(\.app) == ["math", "reading"])
      #expect(Set(both.entries.map(\.transactionId)) == [both.id])
      #expect(both.activeReward?.secondsLeft == 480)
      #expect(try await family.balances() == ["math": 11, "reading": 0])
    }
  }

  @Test("Reward time runs out by the clock, and another redemption extends it")
  func rewards_runOutAndAreExtended() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 60)
      try await family.redeem([("reading", 10)], for: "games")
      try await family.redeem([("reading", 1)], for: "music")
      family.fixture.clock.advance(59_500)
      #expect(try await family.rewards() == ["games": 540, "music": 0])
      family.fixture.clock.advance(500)
      #expect(try await family.rewards() == ["games": 540])
      #expect(
        try await family.redeem([("reading", 5)], for: "games").activeReward?.secondsLeft == 840
      )
      family.fixture.clock.advance(840_000)
      #expect(try await family.rewards().isEmpty)
      // Time that is over is no credit.
      #expect(
        try await family.redeem([("reading", 1)], for: "games").activeReward?.secondsLeft == 60
      )
    }
  }

  @Test(
    "What the rules or the balance do not allow is refused with its reason, and changes nothing"
  )
  func refusals_haveReasons() async throws {
    try await PointsFamily.run { family in
      try await family.setRule("videos", earns: 0, costs: 5)
      try await family.setRule("chess", earns: 4, costs: 0)
      try await family.earn("math", minutes: 1)
      try await family.earn("chess", minutes: 1)
      let before = try await family.history().count
      func expect(
        _ reason: String,
        _ code: StatusCode = .failedPrecondition,
        _ body: () async throws -> Void
      ) async {
        let refused = await Refused.by(body)
        #expect(refused == Refused(code, reason))
      }
      await expect("POINTS_RULE_MISSING") { try await family.earn("new", minutes: 1) }
      await expect("POINTS_RULE_MISSING") { try await family.redeem([("new", 1)]) }
      await expect("POINTS_NOT_EARNED") { try await family.earn("videos", minutes: 1) }
      await expect("POINTS_NOT_REDEEMABLE") { try await family.redeem([("chess", 1)]) }
      await expect("POINTS_BELOW_MINUTE") { try await family.redeem([("math", 2)]) }
      await expect("POINTS_BELOW_MINUTE") { try await family.redeem([("math", nil)]) }
      await expect("INSUFFICIENT_POINTS") { try await family.redeem([("math", 3)]) }
      await expect("DUPLICATE", .invalidArgument) {
        try await family.redeem([("math", 1), ("math", nil)])
      }
      await expect("AMOUNT_REQUIRED", .invalidArgument) {
        _ = try await family.fixture.points.redeem(
          .init(holderId: family.holder, parts: [.init(app: "math", amount: .all(false))]),
          options: PointsFamily.child
        )
      }
      await expect("NOT_FOUND", .notFound) { try await family.reverse("ptx_unknown") }
      #expect(try await family.history().count == before)
      #expect(try await family.findings() == [])
    }
  }

  @Test("Earned points are taken back unless they were spent, and never twice")
  func reverse_earned_onceAndOnlyIfThere() async throws {
    try await PointsFamily.run { family in
      let first = try await family.earn("reading", minutes: 10)
      let second = try await family.earn("reading", minutes: 3)
      let reversal = try await family.reverse(second.id)
      #expect(reversal.entries.map(\.kind) == [.reverseEarn])
      #expect(reversal.entries.map(\.reversedTransactionId) == [second.id])
      #expect(try await family.reverse(second.id) == reversal)
      #expect(try await family.balances()["reading"] == 10)
      let again = await Refused.by { try await family.reverse(reversal.id) }
      #expect(again == Refused(.failedPrecondition, "NOT_REVERSIBLE"))
      try await family.redeem([("reading", 1)])
      let spent = await Refused.by { try await family.reverse(first.id) }
      #expect(spent == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      #expect(try await family.balances()["reading"] == 9)
      #expect(try await family.findings() == [])
    }
  }

  @Test("Redeemed points come back for the minutes that are left, those of the last part first")
  func reverse_redeemed_givesBackWhatIsLeft() async throws {
    try await PointsFamily.run { family in
      try await family.earn("math", minutes: 15)
      try await family.earn("reading", minutes: 5)
      let redeemed = try await family.redeem([("math", nil), ("reading", nil)], for: "games")
      #expect(redeemed.activeReward?.secondsLeft == 900)
      family.fixture.clock.advance(425_000)
      // Of 15 minutes 7 whole ones are left: 5 for reading, 2 for math.
      let reversal = try await family.reverse(redeemed.id)
      #expect(reversal.entries.map(\.app) == ["reading", "math"])
      #expect(reversal.entries.map(\.points) == [5, 6])
      #expect(reversal.activeReward?.secondsLeft == 55)
      #expect(try await family.balances() == ["math": 6, "reading": 5])
      let late = try await family.redeem([("reading", 1)], for: "music")
      family.fixture.clock.advance(60_000)
      let used = await Refused.by { try await family.reverse(late.id) }
      #expect(used == Refused(.failedPrecondition, "REWARD_USED"))
      #expect(try await family.findings() == [])
    }
  }

  @Test("A later rule changes nothing that was, and setting the same rule twice changes it once")
  func setRule_later_leavesHistory() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 10)
      let redeemed = try await family.redeem([("reading", 4)])
      for _ in 1...2 { try await family.setRule("reading", earns: 7, costs: 2) }
      let reversal = try await family.reverse(redeemed.id)
      #expect(reversal.entries.map(\.points) == [4])
      #expect(try await family.history().map(\.pointsPerMinute) == [1, 1, 1])
      let rules = try await family.fixture.points.listRules(
        .init(holderId: family.holder),
        options: PointsFamily.child
      ).rules
      #expect(rules.map(\.app) == ["math", "reading"])
      #expect(rules.map(\.pointsPerMinute) == [2, 7])
      let audited = try await family.fixture.service.core.database.read { tx in
        try tx.query(
          "SELECT action, scope FROM audit_log WHERE action LIKE 'points.%' ORDER BY sequence"
        ) {
          "\($0.text(0)) \($0.text(1))"
        }
      }
      let actions = ["set_rule", "set_rule", "earn", "redeem", "set_rule", "reverse"]
      #expect(audited == actions.map { "points.\($0) chd_mia" })
    }
  }

  @Test("A call under the same key is done once, refusals included")
  func key_repeated_isDoneOnce() async throws {
    try await PointsFamily.run { family in
      let short = { @Sendable in
        await Refused.by { try await family.redeem([("reading", 5)], key: "r") }
      }
      #expect(await short() == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      let earned = try await family.earn("reading", minutes: 10, key: "e")
      #expect(try await family.earn("reading", minutes: 10, key: "e") == earned)
      // There are enough by now: the refusal was the answer all the same.
      #expect(await short() == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      let other = await Refused.by { try await family.earn("reading", minutes: 11, key: "e") }
      #expect(other == Refused(.alreadyExists, "IDEMPOTENCY_KEY_REUSED"))
      #expect(try await family.balances()["reading"] == 10)
    }
  }

  @Test("History is paged from the newest entry, and new entries do not move its pages")
  func history_pages_areStable() async throws {
    try await PointsFamily.run { family in
      for minutes in 1...5 { try await family.earn("reading", minutes: UInt32(minutes)) }
      try await family.earn("math", minutes: 1)
      func page(
        _ token: String,
        app: String = "",
        kind: Entitlement_V1.PointsEntryKind = .unspecified
      ) async throws -> Entitlement_V1.ListPointsHistoryResponse {
        try await family.fixture.points.history(
          .init(holderId: family.holder, app: app, kind: kind, pageSize: 2, pageToken: token),
          options: PointsFamily.child
        )
      }
      let first = try await page("")
      #expect(first.entries.map(\.number) == [6, 5])
      try await family.redeem([("reading", 1)])
      let second = try await page(first.nextPageToken)
      #expect(second.entries.map(\.number) == [4, 3])
      let third = try await page(second.nextPageToken)
      #expect(third.entries.map(\.number) == [2, 1] && third.nextPageToken.isEmpty)
      try await ListProbe.check("-occurredAt", "occurredAt") { sortBy, size, page, token in
        let page = try await family.fixture.points.history(
          .init(
            holderId: family.holder,
            pageSize: size,
            pageToken: token,
            page: page,
            sortBy: sortBy
          ),
          options: PointsFamily.child
        )
        return (page.entries.map { "\($0.number)" }, page.nextPageToken)
      }
      #expect(try await page("", app: "math").entries.map(\.number) == [6])
      #expect(try await page("", kind: .redeem).entries.map(\.number) == [7])
      let borrowed = await Refused.by { _ = try await page(first.nextPageToken, app: "math") }
      #expect(borrowed == Refused(.invalidArgument, "PAGE_TOKEN_INVALID"))
    }
  }
}
