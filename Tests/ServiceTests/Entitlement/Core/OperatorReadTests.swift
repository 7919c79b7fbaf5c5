import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("What operators read of a customer's purchases and plan")
struct OperatorReadTests {
  private static let operatorID = "usr_operator"
  private static let subject = Entitlement_V1.Subject(kind: .user, id: ServiceFixture.anna)

  /// Asks by each of the reads; what each ended with.
  private static func reads(
    _ fixture: ServiceFixture,
    by user: String,
    acr: String = "pwd"
  ) async -> [StatusCode?] {
    let options = CallOptions(metadata: ["test-user": user, "test-acr": acr])
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await fixture.subscriptions.get(.init(subject: subject), options: options) },
      {
        _ = try await fixture.subscriptions.listScheduledChanges(
          .init(subject: subject),
          options: options
        )
      },
      { _ = try await fixture.entitlements.get(.init(subject: subject), options: options) },
      { _ = try await fixture.entitlements.listChanges(.init(subject: subject), options: options) },
      {
        _ = try await fixture.purchases.list(
          .init(userId: ServiceFixture.anna),
          options: options
        )
      },
    ]
    var codes: [StatusCode?] = []
    for call in calls { codes.append(await refusal(call).0) }
    return codes
  }

  private static func audited(_ fixture: ServiceFixture) async throws -> [String] {
    try await fixture.service.core.store.database.read { tx in
      try tx.query(
        "SELECT actor, object, detail FROM audit_log WHERE action = 'operator.read' ORDER BY sequence"
      ) { "\($0.text(0)) \($0.text(1)) \($0.text(2))" }
    }
  }

  @Test("An operator reads plan, entitlements, their log and purchases of anybody, and is recorded")
  func reads_byOperator_areAnsweredAndAudited() async throws {
    let operators = SmallTenancy()
    operators.addReader(Self.operatorID)
    try await ServiceFixture.run(operators: operators) { fixture in
      _ = try await fixture.subscriptions.put(
        .init(subscription: .init(subject: Self.subject, tier: "standard")),
        options: ServiceFixture.service
      )
      try await fixture.submit(ServiceFixture.anna)
      #expect(await Self.reads(fixture, by: Self.operatorID) == [nil, nil, nil, nil, nil])
      let listed = try await fixture.purchases.list(
        .init(userId: ServiceFixture.anna),
        options: ServiceFixture.user(Self.operatorID)
      )
      #expect(listed.purchases.count == 1)
      let methods = [
        "Subscriptions/Get", "Subscriptions/ListScheduledChanges", "Entitlements/Get",
        "Entitlements/ListChanges", "Purchases/List", "Purchases/List",
      ]
      #expect(
        try await Self.audited(fixture)
          == methods.map {
            "user:\(Self.operatorID) \(ServiceFixture.anna) entitlement.v1.\($0)"
          }
      )
    }
  }

  @Test("A support person reads the same by a second factor, and the customer can see who looked")
  func reads_bySupport_needSecondFactor() async throws {
    let tenancy = SmallTenancy()
    tenancy.addSupporter("usr_sam")
    try await ServiceFixture.run(operators: tenancy) { fixture in
      let plain = await Self.reads(fixture, by: "usr_sam")
      #expect(plain == Array(repeating: .unauthenticated, count: 5))
      #expect(try await Self.audited(fixture).isEmpty)
      let audit = Entitlement_V1.EntitlementAuditClient(fixture.channel)
      _ = try await fixture.subscriptions.put(
        .init(subscription: .init(subject: Self.subject, tier: "standard")),
        options: ServiceFixture.service
      )
      let proven = await Self.reads(fixture, by: "usr_sam", acr: "mfa")
      #expect(proven == Array(repeating: nil, count: 5))
      let anna = ServiceFixture.user(ServiceFixture.anna)
      let first = try await audit.listAccess(.init(pageSize: 2), options: anna)
      #expect(
        first.records.map { "\($0.operatorId) \($0.method)" }
          == [
            "usr_sam entitlement.v1.Purchases/List",
            "usr_sam entitlement.v1.Entitlements/ListChanges",
          ]
      )
      let rest = try await audit.listAccess(
        .init(pageSize: 50, pageToken: first.nextPageToken),
        options: anna
      )
      #expect(rest.records.count == 3 && rest.nextPageToken.isEmpty)
      let other = await refusal {
        _ = try await audit.listAccess(
          .init(subject: Self.subject),
          options: ServiceFixture.user(ServiceFixture.bert)
        )
      }
      #expect(other.0 == .notFound)
    }
  }

  @Test("An operator whose role lets it see a tenant's plan is recorded, once an hour")
  func reads_ofTenant_byOperator_areRecorded() async throws {
    let tenancy = SmallTenancy()
    tenancy.addReader(ServiceFixture.anna)
    try await ServiceFixture.run(operators: tenancy) { fixture in
      let farm = Entitlement_V1.Subject(kind: .organization, id: "org_anna")
      let anna = ServiceFixture.user(ServiceFixture.anna)
      func read() async throws -> Int {
        _ = try await fixture.entitlements.get(.init(subject: farm), options: anna)
        return try await Self.audited(fixture).count
      }
      var counts = [try await read(), try await read()]
      fixture.clock.advance(3_600_000)
      counts.append(try await read())
      #expect(counts == [1, 1, 2])
    }
  }

  @Test("Others are refused as before, and nothing is written of it")
  func reads_byOthers_areNotFound() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(ServiceFixture.anna)
      let refused = await Self.reads(fixture, by: ServiceFixture.bert)
      #expect(refused == Array(repeating: .notFound, count: 5))
      #expect(try await Self.audited(fixture).isEmpty)
    }
  }

  @Test("The audit log is searched by operators alone, who are found in it afterwards")
  func search_byOperator_findsRecords() async throws {
    let operators = SmallTenancy()
    operators.addReader(Self.operatorID)
    try await ServiceFixture.run(operators: operators) { fixture in
      _ = try await fixture.subscriptions.put(
        .init(subscription: .init(subject: Self.subject, tier: "standard")),
        options: ServiceFixture.service
      )
      let audit = Entitlement_V1.EntitlementAuditClient(fixture.channel)
      let options = ServiceFixture.user(Self.operatorID)
      let found = try await audit.search(
        .init(object: ServiceFixture.anna, action: "subscription."),
        options: options
      )
      #expect(found.entries.map(\.action) == ["subscription.put"])
      let own = try await audit.search(.init(actor: "user:\(Self.operatorID)"), options: options)
      #expect(own.entries.map(\.action) == ["operator.read", "audit.search"])
      // Those about whom a search was can see it.
      let seen = try await audit.listAccess(
        .init(subject: .init(kind: .user, id: ServiceFixture.anna)),
        options: ServiceFixture.user(ServiceFixture.anna)
      )
      #expect(seen.records.map(\.method) == ["entitlement.v1.EntitlementAudit/Search"])
      let other = await refusal {
        _ = try await audit.search(.init(), options: ServiceFixture.user(ServiceFixture.bert))
      }
      #expect(other.0 == .permissionDenied)
    }
  }
}
