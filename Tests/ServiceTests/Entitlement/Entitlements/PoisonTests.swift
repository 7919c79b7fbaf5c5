import EntitlementContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Rows that no program of ours wrote")
struct PoisonTests {
  private let anna = ServiceFixture.anna
  private let bert = ServiceFixture.bert
  private let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  private func poison(
    _ fixture: ServiceFixture,
    _ sql: String,
    _ values: SQLValue...
  ) async throws {
    let changed = try await fixture.service.core.store.database.write { tx in
      try tx.rowsChanged(by: sql, values: values)
    }
    #expect(changed > 0, "\(sql)")
  }

  private func put(_ fixture: ServiceFixture) async throws {
    var subscription = Entitlement_V1.Subscription(subject: organization, tier: "free")
    subscription.overrides = [
      .init(feature: .init(key: "lessons", value: .enabled(true))),
      .init(feature: .init(key: "maxHorses", value: .limit(.init(value: .maximum(99))))),
    ]
    _ = try await fixture.subscriptions.put(
      .init(subscription: subscription),
      options: ServiceFixture.service
    )
  }

  private func check(
    _ fixture: ServiceFixture,
    _ feature: String
  ) async throws -> Entitlement_V1.CheckResponse {
    try await fixture.entitlements.checkFeature(
      .init(subject: organization, feature: feature),
      options: ServiceFixture.service
    )
  }

  @Test("An override of an unknown kind gives nothing")
  func override_ofAnUnknownKind_givesNothing() async throws {
    try await ServiceFixture.run { fixture in
      try await put(fixture)
      try await poison(fixture, "UPDATE subscription_override SET value_kind = 'wish', value = 1")
      #expect(try await !check(fixture, "lessons").allowed)
      let horses = try await fixture.entitlements.checkLimit(
        .init(subject: organization, limit: "maxHorses", currentCount: 50, requested: 1),
        options: ServiceFixture.service
      )
      #expect(!horses.allowed)
    }
  }

  @Test("A tier that nobody sells is the one that stands in for unknown ones")
  func tier_unknown_isTheStandIn() async throws {
    try await ServiceFixture.run { fixture in
      try await put(fixture)
      try await poison(fixture, "UPDATE subscription SET tier = 'emperor'")
      #expect(try await !check(fixture, "analytics").allowed)
      #expect(try await check(fixture, "lessons").allowed)
    }
  }

  @Test("A purchase from nowhere counts nowhere")
  func purchase_fromAnUnknownEnvironment_doesNotCount() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      try await poison(fixture, "DELETE FROM purchase_binding")
      try await poison(fixture, "UPDATE purchase SET environment = 'Mars'")
      try await poison(
        fixture,
        """
        INSERT INTO purchase_binding (store, environment, original_transaction_id, subject_kind,
          subject_id, buyer_id, bound_at)
        SELECT store, environment, original_transaction_id, 'user', ?1, ?1, 0 FROM purchase
        """,
        .text(bert)
      )
      #expect(try await !fixture.pack(bert).allowed)
    }
  }

  @Test(
    "A row that cannot be read, or is far too long, spoils answers for its own subject alone",
    .disabled(if: TestServer.isUsed, "columns of PostgreSQL have types")
  )
  func rows_unreadable_spoilTheirSubjectOnly() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(bert)
      try await put(fixture)
      // In SQLite a column of numbers takes words too.
      try await poison(fixture, "UPDATE subscription SET valid_from = 'soon'")
      for _ in 0..<3 {
        await #expect(throws: RPCError.self) { try await check(fixture, "lessons") }
        #expect(try await fixture.pack(bert).allowed)
      }
      try await poison(
        fixture,
        "UPDATE subscription SET valid_from = 0, tier = ?",
        .text(String(repeating: "x", count: 10 << 20))
      )
      await #expect(throws: RPCError.self) {
        try await fixture.subscriptions.get(
          .init(subject: organization),
          options: ServiceFixture.service
        )
      }
      #expect(try await fixture.pack(bert).allowed)
      #expect(try await check(fixture, "lessons").allowed)
      // Written again it is well again.
      try await poison(fixture, "DELETE FROM subscription_override")
      try await poison(fixture, "DELETE FROM subscription")
      try await put(fixture)
      #expect(try await check(fixture, "lessons").allowed)
    }
  }
}
