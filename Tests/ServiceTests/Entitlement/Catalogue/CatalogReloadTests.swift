import EntitlementContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Another catalogue while calls are served")
struct CatalogReloadTests {
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  /// The catalogue of the tests, but nobody has lessons.
  private static func other() throws -> Catalog {
    try TestCatalog.load { catalog in
      for index in catalog.tiers.indices { catalog.tiers[index].values["lessons"] = .flag(false) }
    }
  }

  private static func hasLessons(_ fixture: ServiceFixture) async throws -> Bool {
    try await fixture.entitlements.checkFeature(
      .init(subject: organization, feature: "lessons"),
      options: ServiceFixture.service
    ).allowed
  }

  private static func subscribe(
    _ fixture: ServiceFixture,
    isTrial: Bool = false
  ) async throws {
    _ = try await fixture.subscriptions.put(
      .init(subscription: .init(subject: organization, tier: "pro", trial: isTrial)),
      options: ServiceFixture.service
    )
  }

  private static func audited(_ fixture: ServiceFixture) async throws -> [AuditRecord] {
    try await fixture.service.core.store.read { tx in
      try tx.query(
        StoredAuditRecord.columns,
        "WHERE action = ? ORDER BY sequence",
        .text("catalog.load")
      ).map(\.record)
    }
  }

  @Test("It is in force when the reload returns, and an audit record says which followed which")
  func reload_isInForceAndAudited() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.subscribe(fixture)
      #expect(try await Self.hasLessons(fixture))
      try await fixture.service.reload(try Self.other())
      #expect(try await !Self.hasLessons(fixture))
      let records = try await Self.audited(fixture)
      #expect(records.count == 2)
      let (first, second) = (try #require(records.first), try #require(records.last))
      #expect(first.beforeDigest == nil && second.beforeDigest == first.afterDigest)
      #expect(second.afterDigest != second.beforeDigest && second.actor == "svc://entitlement")
      #expect(second.requestID.hasPrefix("req_"))
      // The same again changes nothing, and there is nothing to record.
      try await fixture.service.reload(try Self.other())
      #expect(try await Self.audited(fixture).count == 2)
    }
  }

  @Test(
    "One that cannot be recorded is not in force, not even for a moment",
    .disabled(if: TestServer.isUsed, "a trigger of SQLite fails it")
  )
  func reload_refusedByTheStore_keepsTheOldOne() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.subscribe(fixture)
      let database = fixture.service.core.store.database
      try await database.write { tx in
        try tx.execute(
          """
          CREATE TRIGGER full BEFORE INSERT ON change_log
          BEGIN SELECT RAISE(ABORT, 'nothing more is recorded'); END
          """
        )
      }
      await #expect(throws: StoreError.self) { try await fixture.service.reload(try Self.other()) }
      #expect(try await Self.hasLessons(fixture))
      // A later commit must not bring it into force either.
      try await database.write { tx in try tx.execute("DROP TRIGGER full") }
      try await Self.subscribe(fixture, isTrial: true)
      #expect(try await Self.hasLessons(fixture))
    }
  }

  @Test("A subscription that waits while its tier goes is checked against the new catalogue")
  func put_whileItsTierGoes_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      let without = try TestCatalog.load { catalog in
        catalog.tiers.removeAll { $0.name == "pro" }
        catalog.unknownTier = nil
      }
      let database = fixture.service.core.store.database
      let hold = await WriterHold(database)
      let reload = await WriterHold.queue(in: database) {
        try? await fixture.service.reload(without)
      }
      // Both wait, and so come into one commit.
      let put = await WriterHold.queue(in: database) {
        await refusal { try await Self.subscribe(fixture) }
      }
      try await hold.end()
      _ = await reload.value
      #expect(await put.value.reason == "TIER_UNKNOWN")
    }
  }

  @Test("Digests of subscriptions in the audit log can be computed from what callers see")
  func audit_digest_isOfTheMessage() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.subscribe(fixture)
      var seen = try await fixture.subscriptions.get(
        .init(subject: Self.organization),
        options: ServiceFixture.service
      )
      seen.version = 0
      let digest = try await fixture.service.core.store.read { tx in
        try tx.first(
          "SELECT after_digest FROM audit_log WHERE action = ?",
          .text("subscription.put")
        ) { $0.blob(0) }
      }
      #expect(digest == Digests.sha256(seen.protobufBytes))
    }
  }

  @Test("Somebody who asks about an organization that no policy knows of sees nothing there")
  func organization_ofNoPolicy_isNotFound() async throws {
    try await ServiceFixture.run { fixture in
      let subject = Entitlement_V1.Subject(kind: .organization, id: "org_nowhere")
      let get = await refusal {
        _ = try await fixture.entitlements.get(
          .init(subject: subject),
          options: ServiceFixture.user(ServiceFixture.anna)
        )
      }
      #expect(get.code == .notFound && get.reason == "NOT_FOUND")
    }
  }
}
