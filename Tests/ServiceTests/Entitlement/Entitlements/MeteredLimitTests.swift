import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Limits whose use is counted here")
struct MeteredLimitTests {
  private static let user = ServiceFixture.user(ServiceFixture.anna)
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  /// A hard limit of 3 a month and a soft one of 2 a day, 10 of each with the tier `pro`, and one of
  /// nothing.
  private static func catalog() throws -> Catalog {
    try TestCatalog.load { catalog in
      for (key, meter) in [
        ("reports", Meter(period: .month, isSoft: false)),
        ("messages", Meter(period: .day, isSoft: true)),
        ("exports", Meter(period: .day, isSoft: true)),
      ] {
        catalog.features[key] = Catalog.Feature(
          key: key,
          fallback: .limit(.atMost(0)),
          meter: meter
        )
      }
      for index in catalog.tiers.indices {
        let isPro = catalog.tiers[index].name == "pro"
        catalog.tiers[index].values["reports"] = .limit(.atMost(isPro ? 10 : 3))
        catalog.tiers[index].values["messages"] = .limit(.atMost(isPro ? 10 : 2))
      }
    }
  }

  private static func run(_ body: (ServiceFixture) async throws -> Void) async throws {
    let catalog = try catalog()
    try await ServiceFixture.run(configure: { $0.catalog = catalog }, body)
  }

  private static func consume(
    _ fixture: ServiceFixture,
    _ limit: String,
    _ amount: Int64? = nil,
    of subject: Entitlement_V1.Subject? = nil,
    key: String = "",
    by options: CallOptions = MeteredLimitTests.user
  ) async throws -> Entitlement_V1.ConsumeResponse {
    try await fixture.entitlements.consume(
      .init(subject: subject, limit: limit, amount: amount, idempotencyKey: key),
      options: options
    )
  }

  @Test("Four fifths and the whole of a limit are events of the holder, once each")
  func consume_reachesLimit_isTold() async throws {
    let catalog = try Self.catalog()
    try await ServiceFixture.run(
      configure: { settings in
        settings.catalog = catalog
        settings.keepsEvents = true
      }
    ) { fixture in
      func told() async throws -> [String] {
        try await fixture.service.core.store.database.read { tx in
          try EventTable.list(after: 0, limit: 100, in: tx)
            .filter { $0.type == "limit.reached" }
            .map { "\($0.object) \($0.userID) \($0.data)" }
        }
      }
      let anna = "\(ServiceFixture.anna) \(ServiceFixture.anna)"
      _ = try await Self.consume(fixture, "reports", 2)
      let before = try await told()
      #expect(before.isEmpty)
      _ = try await Self.consume(fixture, "reports")
      _ = try await Self.consume(fixture, "reports")
      let whole = try await told()
      #expect(whole == [#"\#(anna) {"limit":"reports","percent":"100","maximum":"3"}"#])
      // A soft limit can be passed, which is no further event.
      for _ in 0..<4 { _ = try await Self.consume(fixture, "messages") }
      let both = try await told()
      #expect(both.count == 2 && both.last?.contains(#""limit":"messages""#) == true)
    }
  }

  @Test("A hard limit allows exactly what it says, and says what would allow more")
  func consume_hardLimit_isNeverExceeded() async throws {
    try await Self.run { fixture in
      let first = try await Self.consume(fixture, "reports", 2)
      #expect(first.allowed && first.used == 2 && first.remaining == 1 && !first.overLimit)
      let tooMuch = try await Self.consume(fixture, "reports", 2)
      #expect(!tooMuch.allowed && tooMuch.reason == .limitExceeded && tooMuch.used == 2)
      #expect(tooMuch.unlockedBy?.tier == "pro" && tooMuch.remaining == 1)
      #expect(try await Self.consume(fixture, "reports").allowed)
      #expect(try await !Self.consume(fixture, "reports").allowed)
      // Somebody else's is somebody else's.
      let other = ServiceFixture.user(ServiceFixture.bert)
      #expect(try await Self.consume(fixture, "reports", by: other).used == 1)
    }
  }

  @Test("A soft limit allows more and says so, unless it is zero")
  func consume_softLimit_warns() async throws {
    try await Self.run { fixture in
      #expect(try await !Self.consume(fixture, "messages", 2).overLimit)
      let over = try await Self.consume(fixture, "messages", 3)
      #expect(over.allowed && over.overLimit && over.used == 5 && over.remaining == 0)
      #expect(over.reason == .available && over.unlockedBy == nil)
      let none = try await Self.consume(fixture, "exports")
      #expect(!none.allowed && none.used == 0 && none.reason == .noSubscription)
    }
  }

  @Test("The count starts again with the next day or month, in UTC")
  func consume_nextWindow_startsAgain() async throws {
    try await Self.run { fixture in
      let month = UsageWindow(.month, at: fixture.clock.now)
      #expect(
        try await Self.consume(fixture, "reports", 3).windowEndsAt?.milliseconds == month.endsAt
      )
      _ = try await Self.consume(fixture, "messages", 2)
      fixture.clock.advance(UsageWindow(.day, at: fixture.clock.now).endsAt - fixture.clock.now)
      #expect(try await Self.consume(fixture, "messages").used == 1)
      fixture.clock.advance(month.endsAt - 1 - fixture.clock.now)
      #expect(try await !Self.consume(fixture, "reports").allowed)
      fixture.clock.advance(1)
      #expect(try await Self.consume(fixture, "reports").used == 1)
      // A clock that goes back finds what was used there.
      fixture.clock.jump(-1)
      #expect(try await !Self.consume(fixture, "reports").allowed)
    }
  }

  @Test("Of many who use the last of a limit at once, as many are allowed as it says")
  func consume_manyAtOnce_isExact() async throws {
    try await Self.run { fixture in
      try await Self.subscribe(fixture, "pro")
      let answers = try await withThrowingTaskGroup(
        of: Entitlement_V1.ConsumeResponse.self
      ) { group in
        for _ in 0..<64 {
          group.addTask {
            try await Self.consume(
              fixture,
              "reports",
              of: Self.organization,
              by: ServiceFixture.service
            )
          }
        }
        return try await group.reduce(into: [Entitlement_V1.ConsumeResponse]()) { $0.append($1) }
      }
      let allowed = answers.filter(\.allowed)
      #expect(allowed.map(\.used).sorted() == (1...10).map { Int64($0) })
      #expect(answers.filter { !$0.allowed }.allSatisfy { $0.used == 10 })
    }
  }

  @Test("Use under a key counts once, a denial stays one, and both are audited as they happened")
  func consume_repeated_countsOnce() async throws {
    try await Self.run { fixture in
      let used = try await Self.consume(fixture, "reports", 3, key: "a")
      #expect(try await Self.consume(fixture, "reports", 3, key: "a") == used)
      let denied = try await Self.consume(fixture, "reports", key: "b")
      try await Self.subscribe(fixture, "pro", .init(kind: .user, id: ServiceFixture.anna))
      #expect(try await Self.consume(fixture, "reports", key: "b") == denied)
      // What was bought meanwhile counts for the next one.
      #expect(try await Self.consume(fixture, "reports", key: "c").used == 4)
      let details = try await fixture.service.core.database.read { tx in
        try tx.query(
          "SELECT detail FROM audit_log WHERE action = 'limit.consume' ORDER BY sequence"
        ) { $0.text(0) }
      }
      #expect(
        details == [
          "reports, 3 more, 3 in this month", "reports, 1 more, 4 in this month",
        ]
      )
    }
  }

  @Test("A check of a metered limit goes by what was counted, and is good for no other moment")
  func checkLimit_metered_needsNoCount() async throws {
    try await Self.run { fixture in
      _ = try await Self.consume(fixture, "reports", 2)
      _ = try await Self.consume(fixture, "messages", 2)
      // What the caller thinks is of no account.
      let one = Entitlement_V1.CheckLimitRequest(limit: "reports", currentCount: 77)
      let check = try await fixture.entitlements.checkLimit(one, options: Self.user)
      #expect(check.allowed && check.remaining == 1)
      #expect(check.validUntil?.milliseconds == fixture.clock.now)
      let batch = try await fixture.entitlements.batchCheck(
        .init(
          checks: [
            .init(check: .limit(.init(limit: "reports", requested: 2))),
            .init(check: .limit(.init(limit: "messages"))),
            .init(check: .limit(.init(limit: "maxHorses", currentCount: 4))),
          ]
        ),
        options: Self.user
      ).results
      #expect(batch.map(\.allowed) == [false, true, true])
      #expect(batch.map(\.remaining) == [1, 0, 1])
    }
  }

  @Test("Users use up what is theirs; of what they see of others, services count the use")
  func consume_ofOrganization_isForServices() async throws {
    try await Self.run { fixture in
      let seen = await refusal {
        _ = try await Self.consume(fixture, "reports", of: Self.organization)
      }
      #expect(seen.code == .permissionDenied && seen.reason == "CALLER_NOT_ALLOWED")
      for subject in [
        Entitlement_V1.Subject(kind: .organization, id: "org_else"),
        .init(kind: .user, id: ServiceFixture.bert),
      ] {
        let unseen = await refusal { _ = try await Self.consume(fixture, "reports", of: subject) }
        #expect(unseen.code == .notFound && unseen.reason == "NOT_FOUND")
      }
      let counted = try await Self.consume(
        fixture,
        "reports",
        of: Self.organization,
        by: ServiceFixture.service
      )
      #expect(counted.used == 1)
    }
  }

  @Test("What is not metered is not counted")
  func consume_otherFeatures_isRefused() async throws {
    try await Self.run { fixture in
      let plain = await refusal { _ = try await Self.consume(fixture, "maxHorses") }
      #expect(plain.code == .invalidArgument && plain.reason == "NOT_METERED")
      let unknown = try await Self.consume(fixture, "nothing")
      #expect(unknown.reason == .featureUnknown)
      let flag = try await Self.consume(fixture, "analytics")
      #expect(flag.reason == .typeMismatch)
      for amount: Int64 in [0, -1, 1_000_000_001] {
        let wrong = await refusal { _ = try await Self.consume(fixture, "reports", amount) }
        #expect(wrong.code == .invalidArgument)
      }
    }
  }

  @Test("Windows that nobody comes back to are forgotten, and the others are not")
  func purge_oldWindows_areForgotten() async throws {
    try await Self.run { fixture in
      _ = try await Self.consume(fixture, "messages")
      fixture.clock.advance(UsageTable.lifetime)
      _ = try await Self.consume(fixture, "messages")
      let store = fixture.service.core.store
      let now = fixture.clock.now
      #expect(try await UsageTable.purge(before: now - UsageTable.lifetime, from: store) == 1)
      #expect(try await Self.consume(fixture, "messages").used == 2)
    }
  }

  private static func subscribe(
    _ fixture: ServiceFixture,
    _ tier: String,
    _ subject: Entitlement_V1.Subject = MeteredLimitTests.organization
  ) async throws {
    _ = try await fixture.subscriptions.put(
      .init(subscription: .init(subject: subject, tier: tier)),
      options: ServiceFixture.service
    )
  }
}
