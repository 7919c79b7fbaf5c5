import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Consumables that give points")
struct ConsumablePointsTests {
  private let anna = BuyingStage.anna
  private let bert = BuyingStage.bert

  private func balance(_ subject: Subject, _ stage: BuyingStage) async throws -> Int64 {
    try await stage.fixture.service.core.database.read { tx in
      try PointsLedger(holder: subject.id).balance(of: "math", in: tx)
    }
  }

  private func spend(_ points: Int64, _ subject: Subject, _ stage: BuyingStage) async throws {
    try await stage.fixture.service.core.store.writeOwn { tx in
      let posting = PointsPosting(
        kind: .redeem,
        app: "math",
        points: points,
        minutes: 1,
        pointsPerMinute: points
      )
      _ = try PointsLedger(holder: subject.id).post([posting], as: "ptx_spent", by: "", in: tx)
    }
  }

  private func refund(
    _ stage: BuyingStage,
    at instant: Int64,
    isReversed: Bool = false,
    line: String = "40001"
  ) async throws {
    try await stage.fixture.notify(isReversed ? "REFUND_REVERSED" : "REFUND", uuid: "n-\(instant)")
    {
      fields in
      BuyingStage.single(BuyingStage.coins, line: line, signed: instant)(&fields)
      if !isReversed { fields.set("revocationDate", instant) }
    }
  }

  @Test(
    "Points are given once, taken back by a refund and given back when that is reversed",
    arguments: BuyingStage.subjects
  )
  func submit_consumable_givesPointsOnce(subject: Subject) async throws {
    try await BuyingStage.run { stage in
      let coins = BuyingStage.single(BuyingStage.coins)
      #expect(try await stage.submit(for: subject, coins).result == .applied)
      #expect(try await stage.submit(for: subject, coins).result == .unchanged)
      try await stage.fixture.notify("ONE_TIME_CHARGE", uuid: "n-0", coins)
      #expect(try await balance(subject, stage) == 100)
      for round in 0..<3 {
        let instant = TestTime.now + Int64(round) * 10 + 1
        let news = stage.fixture.service.core.pointsNews
        let place = news.end
        try await refund(stage, at: instant)
        #expect(news.holders(after: place)?.holders == [subject.id])
        #expect(try await balance(subject, stage) == 0)
        try await refund(stage, at: instant + 1, isReversed: true)
        #expect(try await balance(subject, stage) == 100)
      }
      let kinds = try await stage.fixture.service.core.database.read { tx in
        try PointsLedger(holder: subject.id).page(
          after: nil,
          .descending,
          skipping: 0,
          app: "",
          kind: nil,
          count: 10,
          in: tx
        ).map(\.posting.kind)
      }
      #expect(kinds.filter { $0 == .grant }.count == 4)
      #expect(kinds.filter { $0 == .reverseGrant }.count == 3)
      try await stage.fixture.service.core.database.require([PointsLedgerCheck.check])
    }
  }

  @Test("What is spent stays spent, and the audit log says how much a refund lacks")
  func refund_afterSpending_takesTheRest() async throws {
    let family = Subject(.family, "fam_1")
    try await BuyingStage.run { stage in
      try await stage.submit(for: family, BuyingStage.single(BuyingStage.coins))
      try await spend(70, family, stage)
      try await refund(stage, at: TestTime.now + 1)
      #expect(try await balance(family, stage) == 0)
      let detail = try #require(try await stage.audited("points.reverse_grant").first)
      #expect(detail == "30 points, 70 fewer than the purchase gives")
      try await refund(stage, at: TestTime.now + 2, isReversed: true)
      #expect(try await balance(family, stage) == 30)
    }
  }

  @Test("What is refunded before it is handed in gives nothing until the refund is reversed")
  func submit_ofRefunded_givesNothing() async throws {
    let family = Subject(.family, "fam_1")
    try await BuyingStage.run { stage in
      try await refund(stage, at: TestTime.now + 1)
      try await stage.submit(for: family, BuyingStage.single(BuyingStage.coins))
      #expect(try await balance(family, stage) == 0)
      try await refund(stage, at: TestTime.now + 2, isReversed: true)
      #expect(try await balance(family, stage) == 100)
    }
  }

  @Test(
    "Several of a product give as many points more, and products that are not used up give none"
  )
  func submit_ofSeveral_givesMore() async throws {
    let family = Subject(.family, "fam_1")
    try await BuyingStage.run { stage in
      try await stage.submit(for: family) { fields in
        BuyingStage.single(BuyingStage.coins)(&fields)
        fields["quantity"] = 3
      }
      #expect(try await balance(family, stage) == 300)
      let refused = await refusal {
        try await stage.submit(
          for: family,
          BuyingStage.single(BuyingStage.coins, "Non-Consumable", line: "40002")
        )
      }
      #expect(refused.reason == "PRODUCT_MISCONFIGURED")
      #expect(try await balance(family, stage) == 300)
    }
  }

  @Test("A user sees and redeems the points that the user bought, earns none, and sees no other's")
  func points_ofUser_areTheirOwn() async throws {
    try await BuyingStage.run { stage in
      try await stage.submit(for: nil, BuyingStage.single(BuyingStage.coins))
      let points = stage.fixture.points
      let (own, other) = (ServiceFixture.user(anna), ServiceFixture.user(bert))
      let before = try await points.balances(.init(holderId: anna), options: own)
      #expect(before.balances.map(\.app) == ["math"] && before.totalPoints == 100)
      let rule = Entitlement_V1.PointsRule(
        app: "math",
        pointsPerMinute: 5,
        pointsPerRewardMinute: 10
      )
      _ = try await points.setRule(.init(holderId: anna, rule: rule), options: own)
      let earned = await refusal {
        _ = try await points.earn(.init(holderId: anna, app: "math", minutes: 1), options: own)
      }
      #expect(earned.code == .notFound)
      _ = try await points.redeem(
        .init(holderId: anna, parts: [.init(app: "math", amount: .points(50))]),
        options: own
      )
      #expect(try await balance(.user(anna), stage) == 50)
      let hidden = await refusal {
        _ = try await points.balances(.init(holderId: anna), options: other)
      }
      #expect(hidden.code == .notFound)
      let grant = try #require(
        try await points.history(.init(holderId: anna, kind: .grant), options: own).entries.first
      )
      #expect(grant.actorId == anna && grant.points == 100)
    }
  }
}
