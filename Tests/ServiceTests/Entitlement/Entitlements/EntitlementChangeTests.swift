import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("The log of a subject's entitlements")
struct EntitlementChangeTests {
  private static let anna = ServiceFixture.anna
  private static let now = TestTime.now
  private static let second = TestTime.second
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  /// An entry without what differs from run to run.
  private struct Entry: Hashable, CustomStringConvertible {
    var second: Int64
    var cause: String
    var what: String

    init(_ second: Int64, _ cause: ChangeCause, _ what: String) {
      (self.second, self.cause, self.what) = (second, cause.rawValue, what)
    }

    init(_ change: Entitlement_V1.EntitlementChange) {
      second = ((change.occurredAt?.milliseconds ?? 0) - now) / EntitlementChangeTests.second
      cause = ChangeCause.allCases.first { $0.wire == change.cause }?.rawValue ?? "?"
      let effect = ChangeEffect.allCases.first { $0.wire == change.effect }?.rawValue ?? "?"
      let kind = EntitlementPart.Kind.allCases.first { $0.wire == change.source }?.rawValue ?? "?"
      what = "\(kind) \(change.name) \(effect)"
    }

    var description: String { "\(second): \(what) by \(cause)" }
  }

  /// The whole log, oldest first.
  private static func log(
    _ fixture: ServiceFixture,
    _ subject: Entitlement_V1.Subject? = nil,
    pageSize: UInt32 = 0,
    by options: CallOptions = ServiceFixture.user(anna)
  ) async throws -> [Entitlement_V1.EntitlementChange] {
    var changes: [Entitlement_V1.EntitlementChange] = []
    var token = ""
    repeat {
      let page = try await fixture.entitlements.listChanges(
        .init(subject: subject, pageSize: pageSize, pageToken: token),
        options: options
      )
      changes += page.changes
      token = page.nextPageToken
    } while !token.isEmpty
    return changes.reversed()
  }

  private static func put(
    _ fixture: ServiceFixture,
    _ tier: String,
    paidUntil: Int64? = nil,
    addons: [Entitlement_V1.SubscribedAddon] = [],
    overrides: [Entitlement_V1.Override] = [],
    by options: CallOptions = ServiceFixture.service
  ) async throws {
    var subscription = Entitlement_V1.Subscription(subject: organization, tier: tier)
    subscription.paidUntil = paidUntil.map { .init(milliseconds: now + $0 * second) }
    subscription.addons = addons
    subscription.overrides = overrides
    _ = try await fixture.subscriptions.put(.init(subscription: subscription), options: options)
  }

  @Test("Operators and services are told apart, and the clock does the rest")
  func log_subscription_saysWhoAndWhen() async throws {
    try await ServiceFixture.run { fixture in
      let operators = ServiceFixture.user(ServiceFixture.bert)
      try await Self.put(fixture, "pro", paidUntil: 10, by: operators)
      fixture.clock.advance(2 * Self.second)
      try await Self.put(
        fixture,
        "pro",
        paidUntil: 20,
        addons: [
          .init(name: "invoicing", validUntil: .init(milliseconds: Self.now + 5 * Self.second))
        ],
        overrides: [.init(feature: .init(key: "manure", value: .enabled(false)))]
      )
      fixture.clock.advance(2 * Self.second)
      var expected = [
        Entry(0, .operator, "tier pro began"), Entry(2, .service, "tier pro changed"),
        Entry(2, .service, "addon invoicing began"), Entry(2, .service, "override manure began"),
      ]
      // What the first subscription would have ended at is not there: it was changed before.
      #expect(try await Self.log(fixture, Self.organization).map(Entry.init) == expected)
      fixture.clock.advance(Self.second)
      expected.append(Entry(5, .expiry, "addon invoicing ended"))
      #expect(try await Self.log(fixture, Self.organization).map(Entry.init) == expected)
      fixture.clock.advance(15 * Self.second)
      expected.append(Entry(20, .expiry, "tier pro ended"))
      #expect(try await Self.log(fixture, Self.organization).map(Entry.init) == expected)
      // The clock goes back: what has not happened is not told.
      fixture.clock.jump(-10 * Self.second)
      let earlier = Array(expected.dropLast())
      #expect(try await Self.log(fixture, Self.organization).map(Entry.init) == earlier)
      _ = try await fixture.subscriptions.delete(
        .init(subject: Self.organization),
        options: operators
      )
      let deleted = [
        Entry(10, .operator, "tier pro ended"), Entry(10, .operator, "override manure ended"),
      ]
      let last = try await Self.log(fixture, Self.organization).map(Entry.init)
      #expect(last == earlier + deleted)
      // Ahead of a subject that has nothing is nothing.
      fixture.clock.advance(100 * Self.second)
      #expect(try await Self.log(fixture, Self.organization).map(Entry.init) == last)
    }
  }

  @Test("A purchase, its renewal by Apple, its refund and the return of the money are told apart")
  func log_purchase_saysWhatApplesDid() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna)
      fixture.clock.advance(Self.second)
      try await fixture.notify("REFUND", uuid: "n-1") {
        $0.set("signedDate", Self.now + 1)
        $0.set("revocationDate", Self.now)
      }
      fixture.clock.advance(Self.second)
      try await fixture.notify("REFUND_REVERSED", uuid: "n-2") {
        $0.set("signedDate", Self.now + 2)
      }
      let product = TransactionFields.product
      #expect(
        try await Self.log(fixture).map(Entry.init) == [
          Entry(0, .purchase, "purchase \(product) began"),
          Entry(1, .refund, "purchase \(product) ended"),
          Entry(2, .notification, "purchase \(product) began"),
        ]
      )
      // What Apple sends twice is not logged twice.
      try await fixture.notify("REFUND_REVERSED", uuid: "n-2") {
        $0.set("signedDate", Self.now + 2)
      }
      #expect(try await Self.log(fixture).count == 3)
    }
  }

  @Test("A purchase that goes over ends for one user and begins for the other")
  func log_transfer_isSeenByBoth() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna)
      let answer = try await fixture.restore(
        ServiceFixture.bert,
        [try TransactionFields.signed()]
      )
      #expect(answer.transactions.map(\.result) == [.applied])
      let product = TransactionFields.product
      #expect(
        try await Self.log(fixture).map(Entry.init) == [
          Entry(0, .purchase, "purchase \(product) began"),
          Entry(0, .transfer, "purchase \(product) ended"),
        ]
      )
      let bert = ServiceFixture.user(ServiceFixture.bert)
      #expect(
        try await Self.log(fixture, by: bert).map(Entry.init) == [
          Entry(0, .restore, "purchase \(product) began")
        ]
      )
    }
  }

  @Test("An upgrade ends one product and begins the other, and a period ends by the clock")
  func log_upgrade_namesBothProducts() async throws {
    try await ServiceFixture.run { fixture in
      func period(_ product: String, _ id: String, from: Int64, until: Int64) throws -> String {
        try TransactionFields.signed {
          $0["transactionId"] = .string(id)
          $0["originalTransactionId"] = "1"
          $0["productId"] = .string(product)
          $0["type"] = "Auto-Renewable Subscription"
          $0.set("purchaseDate", Self.now + from * Self.second)
          $0.set("expiresDate", Self.now + until * Self.second)
        }
      }
      for (product, id, from) in [("com.example.a", "1", -1), ("com.example.b", "2", 0)]
        as [(
          String, String, Int64
        )]
      {
        _ = try await fixture.purchases.submitTransaction(
          .init(signedTransaction: try period(product, id, from: from, until: 10)),
          options: ServiceFixture.user(Self.anna)
        )
      }
      fixture.clock.advance(10 * Self.second)
      #expect(
        try await Self.log(fixture).map(Entry.init) == [
          Entry(0, .purchase, "purchase com.example.a began"),
          Entry(0, .purchase, "purchase com.example.a ended"),
          Entry(0, .purchase, "purchase com.example.b began"),
          Entry(10, .expiry, "purchase com.example.b ended"),
        ]
      )
    }
  }

  @Test("Pages of any size make up the same log, also when something is added meanwhile")
  func log_pages_areComplete() async throws {
    try await ServiceFixture.run { fixture in
      for round in 0..<7 {
        try await Self.put(fixture, round % 2 == 0 ? "pro" : "standard", paidUntil: 100)
      }
      let whole = try await Self.log(fixture, Self.organization)
      #expect(whole.count == 7 && whole.map(\.version) == Array(1...7))
      for size in [1, 2, 3, 7, 1000] as [UInt32] {
        #expect(try await Self.log(fixture, Self.organization, pageSize: size) == whole)
      }
      let user = ServiceFixture.user(Self.anna)
      try await ListProbe.check("-occurredAt", "occurredAt") { sortBy, size, page, token in
        let page = try await fixture.entitlements.listChanges(
          .init(
            subject: Self.organization,
            pageSize: size,
            pageToken: token,
            page: page,
            sortBy: sortBy
          ),
          options: user
        )
        return (page.changes.map { "\($0.version)" }, page.nextPageToken)
      }
      let first = try await fixture.entitlements.listChanges(
        .init(subject: Self.organization, pageSize: 3),
        options: user
      )
      try await Self.put(fixture, "enterprise")
      let second = try await fixture.entitlements.listChanges(
        .init(subject: Self.organization, pageSize: 1000, pageToken: first.nextPageToken),
        options: user
      )
      #expect((first.changes + second.changes).reversed() == whole)
      // A token is good for the same question only.
      let other = await refusal {
        _ = try await fixture.entitlements.listChanges(
          .init(pageToken: first.nextPageToken),
          options: user
        )
      }
      #expect(other.code == .invalidArgument)
    }
  }

  @Test("Whoever may not see the subject is told what they are told of one that does not exist")
  func log_ofOthers_doesNotExist() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna)
      let bert = ServiceFixture.user(ServiceFixture.bert)
      for subject in [
        Entitlement_V1.Subject(kind: .user, id: Self.anna), Self.organization,
      ] {
        let refused = await refusal { _ = try await Self.log(fixture, subject, by: bert) }
        #expect(refused.code == .notFound && refused.reason == "NOT_FOUND")
      }
      let anonymous = await refusal {
        _ = try await Self.log(fixture, Self.organization, by: CallOptions())
      }
      #expect(anonymous.code == .unauthenticated)
      // A subject without anything has an empty log.
      #expect(try await Self.log(fixture, by: bert).isEmpty)
    }
  }

  @Test("An entry names the request that audit records and logs name")
  func log_requestID_isThatOfTheAudit() async throws {
    try await ServiceFixture.run { fixture in
      var options = ServiceFixture.service
      options.metadata["x-request-id"] = "order-17"
      try await Self.put(fixture, "pro", paidUntil: 1, by: options)
      fixture.clock.advance(Self.second)
      let log = try await Self.log(fixture, Self.organization)
      #expect(log.map(\.requestId) == ["order-17", "order-17"])
      let audited = try await fixture.service.core.store.read { tx in
        try tx.query("SELECT action FROM audit_log WHERE request_id = ?", .text("order-17")) {
          $0.text(0)
        }
      }
      #expect(audited == ["subscription.put"])
    }
  }

  @Test("Entries are kept as long as audit records, and no longer")
  func purge_old_isForgotten() async throws {
    try await ServiceFixture.run { fixture in
      try await Self.put(fixture, "pro")
      fixture.clock.advance(TestTime.day)
      try await Self.put(fixture, "standard")
      let store = fixture.service.core.store
      #expect(try await EntitlementChangeTable.purge(before: Self.now, from: store) == 0)
      #expect(try await EntitlementChangeTable.purge(before: Self.now + 1, from: store) == 1)
      let log = try await Self.log(fixture, Self.organization)
      #expect(log.map(\.name) == ["standard"] && log.map(\.version) == [2])
    }
  }
}
