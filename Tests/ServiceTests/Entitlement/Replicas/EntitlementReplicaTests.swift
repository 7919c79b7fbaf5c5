import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

/// Two EntitlementServices that serve one store.
@Suite(.enabled(if: TestServer.isUsed, "needs a server of PostgreSQL"), .timeLimit(.minutes(3)))
struct EntitlementReplicaTests {
  private static let anna = ServiceFixture.anna
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  /// What the calls of a race ended with: nil for those that were done.
  private static func race<Place: Sendable>(
    at places: [Place],
    count: Int,
    _ call: @escaping @Sendable (Place, Int) async -> String?
  ) async -> [String?] {
    await withTaskGroup(of: String?.self) { group in
      for number in 0..<count {
        group.addTask { await call(places[number % places.count], number) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("Points that are redeemed at both replicas at once are never overdrawn, and sums are exact")
  func points_redeemedAtBoth_areExact() async throws {
    try await PointsFamily.runReplicas { families in
      for round in 1...4 {
        try await families[round % 2].give(100, of: "reading")
        let outcomes = await Self.race(at: families, count: 32) { family, _ in
          await Refused.by { try await family.redeem([("reading", 7)]) }.reason
        }
        // What the rounds before have left is redeemed too.
        let doneCount = round * 100 / 7 - (round - 1) * 100 / 7
        #expect(outcomes.filter { $0 == nil }.count == doneCount)
        #expect(outcomes.filter { $0 == "INSUFFICIENT_POINTS" }.count == 32 - doneCount)
        for family in families {
          let balance = try await family.balances()["reading"]
          #expect(balance == Int64(round * 100 % 7))
        }
      }
      #expect(try await families[0].findings() == [])
    }
  }

  @Test("What is earned and redeemed at both at once adds up")
  func points_earnedAtBoth_addUp() async throws {
    try await PointsFamily.runReplicas { families in
      let refused = await Self.race(at: families, count: 40) { family, number in
        await Refused.by {
          if number % 4 < 2 {
            try await family.give(5, of: "math")
          } else {
            try await family.redeem([("math", 3)])
          }
        }.reason
      }
      let redeemed = refused.count - refused.compactMap(\.self).count - 20
      for family in families {
        let balance = try await family.balances()["math"]
        #expect(balance == Int64(100 - 3 * redeemed))
      }
      #expect(try await families[1].findings() == [])
    }
  }

  @Test("A limit that is counted is never exceeded, at whichever replica it is used")
  func meter_usedAtBoth_isExact() async throws {
    let catalog = try TestCatalog.load { catalog in
      catalog.features["reports"] = Catalog.Feature(
        key: "reports",
        fallback: .limit(.atMost(0)),
        meter: Meter(period: .month, isSoft: false)
      )
      for index in catalog.tiers.indices {
        catalog.tiers[index].values["reports"] = .limit(.atMost(9))
      }
    }
    try await ServiceFixture.runReplicas(configure: { $0.catalog = catalog }) { fixtures in
      let answers = await Self.race(at: fixtures, count: 32) { fixture, _ in
        let answer = try? await fixture.entitlements.consume(
          .init(limit: "reports"),
          options: ServiceFixture.user(Self.anna)
        )
        return answer?.allowed == true ? nil : "refused"
      }
      #expect(answers.filter { $0 == nil }.count == 9)
      for fixture in fixtures {
        let more = try await fixture.entitlements.consume(
          .init(limit: "reports"),
          options: ServiceFixture.user(Self.anna)
        )
        #expect(!more.allowed && more.used == 9 && more.remaining == 0)
      }
    }
  }

  @Test("A coupon that may be redeemed five times is, by whomever and wherever, and no sixth time")
  func coupon_redeemedAtBoth_isExact() async throws {
    var coupon = Promotion(name: "spring", kind: .coupon, gift: .tier("pro"))
    (coupon.duration, coupon.code, coupon.countMax) = (TestTime.day, "SPRING", 5)
    let catalog = try TestCatalog.load { [coupon] in $0.promotions = [coupon] }
    let identifiers = IdentifierFactory(
      clock: ManualClock(TestTime.now),
      random: SystemRandomSource()
    )
    let users = (0..<24).map { _ in identifiers.make(IdentifierPrefix("usr")) }
    try await ServiceFixture.runReplicas(configure: { $0.catalog = catalog }) { fixtures in
      let outcomes = await Self.race(at: fixtures, count: users.count) { fixture, number in
        await refusal {
          _ = try await fixture.subscriptions.redeem(
            .init(promotion: .code("SPRING")),
            options: ServiceFixture.user(users[number])
          )
        }.reason
      }
      #expect(outcomes.filter { $0 == nil }.count == 5, "\(outcomes)")
      #expect(outcomes.filter { $0 == "PROMOTION_EXHAUSTED" }.count == users.count - 5)
      for fixture in fixtures {
        var holderCount = 0
        for user in users {
          let lessons = try await fixture.entitlements.checkFeature(
            .init(feature: "lessons"),
            options: ServiceFixture.user(user)
          )
          if lessons.allowed { holderCount += 1 }
        }
        #expect(holderCount == 5)
      }
    }
  }

  @Test("A purchase at one replica counts at the other, and those who watch there hear of it")
  func purchase_ofOne_countsAtTheOther() async throws {
    try await ServiceFixture.runReplicas { fixtures in
      // Known in memory from now on, as not bought.
      for fixture in fixtures {
        let pack = try await fixture.pack(Self.anna)
        #expect(!pack.allowed)
      }
      let client = fixtures[1].entitlements
      var changes = client.watch(.init(), options: ServiceFixture.service).makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      try await fixtures[0].submit(Self.anna)
      var change = try await changes.next()
      while change?.kind == .heartbeat { change = try await changes.next() }
      #expect(change?.kind == .subject && change?.subject?.id == Self.anna)
      #expect(try await fixtures[1].pack(Self.anna).allowed)
      let all = try await client.get(.init(), options: ServiceFixture.user(Self.anna))
      #expect(all.products == [TransactionFields.product])
    }
  }

  @Test("An answer that must have a revision has it, at once and at whichever replica")
  func revision_ofOne_isWaitedFor() async throws {
    try await ServiceFixture.runReplicas { fixtures in
      for round in 0..<20 {
        let (here, there) = (fixtures[round % 2], fixtures[1 - round % 2])
        let put = Entitlement_V1.Subscription(
          subject: Self.organization,
          tier: round % 2 == 0 ? "pro" : "standard"
        )
        // Known in memory from now on, as it was.
        _ = try await there.entitlements.get(
          .init(subject: Self.organization),
          options: ServiceFixture.service
        )
        _ = try await here.subscriptions.put(
          .init(subscription: put),
          options: ServiceFixture.service
        )
        let revision = UInt64(here.service.core.database.revision)
        let seen = try await there.entitlements.get(
          .init(subject: Self.organization, atLeastRevision: revision),
          options: ServiceFixture.service
        )
        #expect(seen.tier == put.tier)
      }
    }
  }

  @Test("Watchers at one replica learn of points that change at the other")
  func points_ofOne_areToldAtTheOther() async throws {
    try await PointsFamily.runReplicas { families in
      let client = families[1].fixture.entitlements
      var changes = client.watch(.init(points: true), options: ServiceFixture.service)
        .makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      for _ in 0..<3 {
        try await families[0].earn("math", minutes: 1)
        var change = try await changes.next()
        while let other = change, other.kind != .points { change = try await changes.next() }
        #expect(change?.holderId == families[0].holder)
      }
      #expect(try await families[1].balances()["math"] == 6)
    }
  }

  @Test("Each replica uses the catalogue that it has read, and each that takes one says so")
  func catalogue_isTakenByEach() async throws {
    let other = try TestCatalog.load { catalog in
      for index in catalog.tiers.indices { catalog.tiers[index].values["lessons"] = .flag(false) }
    }
    try await ServiceFixture.runReplicas { fixtures in
      _ = try await fixtures[0].subscriptions.put(
        .init(subscription: .init(subject: Self.organization, tier: "pro")),
        options: ServiceFixture.service
      )
      func hasLessons(_ fixture: ServiceFixture) async throws -> Bool {
        try await fixture.entitlements.checkFeature(
          .init(subject: Self.organization, feature: "lessons"),
          options: ServiceFixture.service
        ).allowed
      }
      let client = fixtures[1].entitlements
      var changes = client.watch(.init(), options: ServiceFixture.service).makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      for (count, fixture) in fixtures.enumerated() {
        try await fixture.service.core.store.catchUp()
        #expect(try await hasLessons(fixture))
        try await fixture.service.reload(other)
        #expect(try await !hasLessons(fixture))
        // Those who have asked the one that was still without it have to ask again.
        var change = try await changes.next()
        while let other = change, other.kind != .tiers { change = try await changes.next() }
        #expect(change != nil)
        #expect(try await hasLessons(fixtures[1]) == (count == 0))
      }
      // Once is enough to read there.
      let records = try await fixtures[0].service.core.store.read { tx in
        try tx.query("SELECT 1 FROM audit_log WHERE action = 'catalog.load'") { $0.integer(0) }
      }
      #expect(records.count == 2)
    }
  }
}
