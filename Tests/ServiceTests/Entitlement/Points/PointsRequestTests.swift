import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Redemptions that a parent approves")
struct PointsRequestTests {
  /// A child whose rule of one app requires approval, with points of two apps.
  private static func run(
    operators: SmallTenancy = SmallTenancy(),
    _ body: (PointsFamily) async throws -> Void
  ) async throws {
    try await PointsFamily.run(operators: operators) { family in
      try await family.setRule("reading", earns: 1, costs: 1, requiresApproval: true)
      try await family.earn("reading", minutes: 60)
      try await family.earn("math", minutes: 30)
      try await body(family)
    }
  }

  @Test("A request holds its points until a parent approves it; then the time begins")
  func redeem_ruleRequiresApproval_waits() async throws {
    try await Self.run { family in
      let asked = try await family.redeem([("reading", 40), ("math", 31)], for: "games")
      let request = try #require(asked.request)
      #expect(request.state == .pending && request.reward == "games" && request.minutes == 50)
      #expect(request.parts.map(\.app) == ["reading", "math"])
      #expect(request.parts.map(\.points) == [40, 30] && request.parts.map(\.minutes) == [40, 10])
      #expect(request.requestedByName == KnownAccounts.name(of: ServiceFixture.bert))
      #expect(asked.entries.map(\.kind) == [.hold, .hold] && asked.activeReward == nil)
      // Nobody redeems them a second time, and no time runs.
      #expect(try await family.balances() == ["math": 30, "reading": 20])
      #expect(try await family.rewards().isEmpty)
      let twice = await Refused.by { try await family.redeem([("reading", 21)]) }
      #expect(twice == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      let held = try await family.fixture.points.balances(
        .init(holderId: family.holder),
        options: PointsFamily.child
      )
      #expect(held.balances.map(\.heldPoints) == [30, 40] && held.totalPoints == 50)
      // The rule of another day changes nothing.
      try await family.setRule("reading", earns: 1, costs: 20)
      family.fixture.clock.advance(3_600_000)
      let approved = try await family.approve(request.id)
      #expect(approved.entries.map(\.kind) == [.release, .release, .redeem, .redeem])
      #expect(approved.activeReward?.secondsLeft == 3000)
      #expect(try await family.balances() == ["math": 30, "reading": 20])
      #expect(try await family.rewards() == ["games": 3000])
      let shown = try #require(try await family.requests().first)
      #expect(shown.state == .approved && shown.transactionId == approved.id)
      #expect(shown.decidedBy == ServiceFixture.anna)
      #expect(shown.decidedByName == KnownAccounts.name(of: ServiceFixture.anna))
      // Approving again gets what is there, and a parent can take it back.
      #expect(try await family.approve(request.id).id == approved.id)
      try await family.reverse(approved.id)
      #expect(try await family.balances() == ["math": 60, "reading": 60])
      #expect(try await family.findings() == [])
    }
  }

  @Test("A parent redeems at once, and anybody may ask although no rule requires it")
  func redeem_byParent_isDone() async throws {
    try await Self.run { family in
      let done = try await family.redeem([("reading", 10)], by: PointsFamily.parent)
      #expect(done.request == nil && done.activeReward?.secondsLeft == 600)
      let asked = try await family.fixture.points.redeem(
        .init(
          holderId: family.holder,
          parts: [.init(app: "math", amount: .points(3))],
          ask: true
        ),
        options: PointsFamily.parent
      )
      #expect(asked.request?.state == .pending)
      #expect(try await family.redeem([("math", 3)]).request == nil)
      #expect(try await family.findings() == [])
    }
  }

  @Test("A redemption without a request is written with the right to approve it")
  func redeem_byParent_takesTheRightToApprove() async throws {
    let tenancy = SmallTenancy()
    try await Self.run(operators: tenancy) { family in
      let before = tenancy.confirmed.count
      try await family.redeem([("reading", 10)], by: PointsFamily.parent)
      let confirmed = Array(tenancy.confirmed.dropFirst(before))
      #expect(confirmed == ["points.redeem", "points.approve"])
    }
  }

  @Test("Users approve what they redeem of points of their own")
  func redeem_ownPoints_takesNobodyElse() async throws {
    try await PointsFamily.run { family in
      let own = PointsFamily(fixture: family.fixture, holder: ServiceFixture.bert)
      let child = PointsFamily.child
      try await own.setRule("math", earns: 1, costs: 1, requiresApproval: true, by: child)
      try await own.give(10, of: "math")
      let done = try await own.redeem([("math", 4)])
      #expect(done.request == nil && done.activeReward?.secondsLeft == 240)
      let asked = try await family.fixture.points.redeem(
        .init(holderId: own.holder, parts: [.init(app: "math", amount: .points(3))], ask: true),
        options: child
      )
      let id = try #require(asked.request).id
      #expect(try await own.approve(id, by: child).activeReward != nil)
    }
  }

  @Test("Requests are audited and counted: who decided, and that they expired")
  func requests_areAudited() async throws {
    try await Self.run { family in
      var ids: [String] = []
      for _ in 0..<4 {
        ids.append(try #require(try await family.redeem([("reading", 5)]).request).id)
        family.fixture.clock.advance(1)
      }
      try await family.decline(ids[0])
      try await family.decline(ids[0])
      try await family.cancel(ids[1])
      try await family.approve(ids[2])
      family.fixture.clock.advance(PointsRequest.lifetime)
      let core = family.fixture.service.core
      #expect(try await PointsRequestExpiry(identifiers: core.identifiers).run(core) == 1)
      let audited = try await core.store.read { tx in
        try tx.query(
          """
          SELECT action, actor, object FROM audit_log
          WHERE action IN ('points.decline', 'points.cancel', 'points.expire') ORDER BY sequence
          """
        ) { "\($0.text(0)) \($0.text(1)) \($0.text(2))" }
      }
      #expect(
        audited.dropLast() == [
          "points.decline user:\(ServiceFixture.anna) \(ids[0])",
          "points.cancel user:\(ServiceFixture.bert) \(ids[1])",
        ]
      )
      let metrics = String(decoding: family.fixture.metrics.render(), as: UTF8.self)
      let count = "gatehouse_entitlement_points_transactions_total"
      for (kind, expected) in [("decline", 2), ("cancel", 1), ("approve", 1)] {
        #expect(metrics.contains("\(count){kind=\"\(kind)\"} \(expected)\n"), "\(kind)")
      }
      #expect(audited.last?.hasPrefix("points.expire ") == true)
      #expect(audited.last?.hasSuffix(ids[3]) == true)
    }
  }

  @Test("What is declined or cancelled gives its points back, and is over")
  func decided_isFinal() async throws {
    try await Self.run { family in
      let declined = try #require(try await family.redeem([("reading", 10)]).request).id
      family.fixture.clock.advance(1)
      let cancelled = try #require(try await family.redeem([("reading", 10)]).request).id
      family.fixture.clock.advance(1)
      let approved = try #require(try await family.redeem([("reading", 10)]).request).id
      family.fixture.clock.advance(1)
      let expired = try #require(try await family.redeem([("reading", 10)]).request).id
      #expect(try await family.decline(declined).state == .declined)
      #expect(try await family.cancel(cancelled).state == .cancelled)
      try await family.approve(approved)
      #expect(try await family.balances()["reading"] == 40)
      // Again it is no error.
      #expect(try await family.decline(declined).state == .declined)
      #expect(try await family.cancel(cancelled).state == .cancelled)
      family.fixture.clock.advance(PointsRequest.lifetime)
      let over = Refused(.failedPrecondition, "POINTS_REQUEST_DECIDED")
      for id in [declined, cancelled, approved, expired] {
        if id != approved {
          #expect(await Refused.by { try await family.approve(id) } == over, "\(id)")
        }
        if id != declined {
          #expect(await Refused.by { try await family.decline(id) } == over, "\(id)")
        }
        if id != cancelled {
          #expect(await Refused.by { try await family.cancel(id) } == over, "\(id)")
        }
      }
      let states = try await family.requests().map(\.state)
      #expect(states == [.expired, .approved, .cancelled, .declined])
      #expect(try await family.requests(.expired).map(\.id) == [expired])
      #expect(try await family.requests(.pending).isEmpty)
      #expect(try await family.requests(.cancelled).map(\.id) == [cancelled])
    }
  }

  @Test("A request that nobody answers gives its points back after 24 hours")
  func request_unanswered_expires() async throws {
    try await Self.run { family in
      let request = try #require(try await family.redeem([("reading", nil)]).request)
      #expect(request.expiresAt?.milliseconds == TestTime.now + PointsRequest.lifetime)
      family.fixture.clock.advance(PointsRequest.lifetime - 1)
      let early = await Refused.by { try await family.redeem([("reading", 1)]) }
      #expect(early == Refused(.failedPrecondition, "INSUFFICIENT_POINTS"))
      family.fixture.clock.advance(1)
      // Without waiting for the job that gives back what nobody redeems.
      #expect(try await family.redeem([("reading", 60)]).request != nil)
      family.fixture.clock.advance(PointsRequest.lifetime)
      let core = family.fixture.service.core
      let expiry = PointsRequestExpiry(identifiers: core.identifiers)
      #expect(try await expiry.run(core) == 1)
      #expect(try await expiry.run(core) == 0)
      #expect(try await family.balances()["reading"] == 60)
      #expect(try await family.requests().map(\.state) == [.expired, .expired])
      #expect(
        try await family.requests().allSatisfy { $0.decidedBy.isEmpty && $0.decidedAt == nil }
      )
      #expect(try await family.findings() == [])
    }
  }

  @Test("A child approves nothing, and a stranger finds nothing")
  func decide_withoutRight_isRefused() async throws {
    try await Self.run { family in
      let id = try #require(try await family.redeem([("reading", 10)]).request).id
      let child = PointsFamily.child
      let lacks = Refused(.permissionDenied, "ROLE_LACKS_ACTION")
      #expect(await Refused.by { try await family.approve(id, by: child) } == lacks)
      #expect(await Refused.by { try await family.decline(id, by: child) } == lacks)
      let stranger = PointsFamily.stranger
      let none = Refused(.notFound, "NOT_FOUND")
      #expect(await Refused.by { try await family.approve(id, by: stranger) } == none)
      #expect(await Refused.by { try await family.cancel(id, by: stranger) } == none)
      #expect(await Refused.by { try await family.approve("prq_none") } == none)
      let tom = PointsFamily(fixture: family.fixture, holder: "chd_tom")
      #expect(await Refused.by { try await tom.approve(id) } == none)
      let held = try #require(try await family.history().last)
      let reversed = await Refused.by { try await family.reverse(held.transactionId) }
      #expect(reversed == Refused(.failedPrecondition, "NOT_REVERSIBLE"))
      #expect(try await family.requests(.pending).count == 1)
    }
  }

  @Test("Ten requests wait at most")
  func redeem_manyRequests_isBounded() async throws {
    try await Self.run { family in
      for _ in 0..<PointsRequest.pendingCountMax { try await family.redeem([("reading", 1)]) }
      let refused = await Refused.by { try await family.redeem([("reading", 1)]) }
      #expect(refused == Refused(.failedPrecondition, "POINTS_REQUEST_LIMIT"))
      let first = try #require(try await family.requests().last)
      try await family.cancel(first.id)
      #expect(try await family.redeem([("reading", 1)]).request != nil)
      #expect(try await family.balances()["reading"] == 50)
    }
  }

  @Test("Whatever is asked, decided and left alone, every point is somewhere", arguments: 0..<8)
  func requests_random_keepSums(round: Int) async throws {
    let seed = SeededGenerator.seed("POINTS_SEED") &+ UInt64(round)
    var random = SeededGenerator(state: seed)
    try await Self.run { family in
      for _ in 0..<40 {
        let waiting = try await family.requests(.pending).map(\.id)
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1, 2:
          let points = Int64.random(in: 1...9, using: &random)
          _ = try? await family.redeem([("reading", points), ("math", 3)], for: "games")
        case 3: if let id = waiting.randomElement(using: &random) { try await family.approve(id) }
        case 4: if let id = waiting.randomElement(using: &random) { try await family.decline(id) }
        case 5: if let id = waiting.randomElement(using: &random) { try await family.cancel(id) }
        default: family.fixture.clock.advance(Int64.random(in: 0...50_000_000, using: &random))
        }
      }
      #expect(try await family.findings() == [], "POINTS_SEED \(seed)")
      let answer = try await family.fixture.points.balances(
        .init(holderId: family.holder),
        options: PointsFamily.child
      )
      let redeemed = try await family.requests(.approved).reduce(0) { sum, request in
        sum + request.parts.reduce(0) { $0 + $1.points }
      }
      let there = answer.balances.reduce(0) { $0 + $1.points + $1.heldPoints }
      #expect(there + redeemed == 120, "POINTS_SEED \(seed)")
    }
  }

  @Test("TenancyService gets balances, rewards and requests of several holders by one call")
  func summaries_ofSeveral_areOneAnswer() async throws {
    try await Self.run { family in
      let id = try #require(try await family.redeem([("reading", 10)]).request).id
      try await family.redeem([("math", 30)], for: "games")
      let client = Entitlement_V1.PointsSummariesClient(family.fixture.channel)
      let answer = try await client.get(
        .init(holderIds: ["chd_mia", "chd_none"]),
        options: ServiceFixture.service
      )
      let (mia, none) = (answer.summaries[0], answer.summaries[1])
      #expect(mia.totalPoints == 80 && mia.balances.map(\.points) == [30, 50])
      #expect(mia.rewards.map(\.reward) == ["games"])
      #expect(mia.requests.map(\.id) == [id])
      #expect(none.holderId == "chd_none" && none.balances.isEmpty && none.requests.isEmpty)
    }
  }
}
