import EntitlementContracts
import PeerContracts
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("What is paid for lasts as long as it was paid for")
struct PaidPeriodTests {
  private let anna = ServiceFixture.anna
  private let now = TestTime.now
  private let day = TestTime.day

  @Test("After the refund of a renewal that is dated ahead, today's period goes on to its end")
  func notify_refundOfRenewalAhead_keepsToday() async throws {
    try await ServiceFixture.run { fixture in
      func period(_ fields: inout TransactionFields, _ number: Int64, signed: Int64) {
        fields["type"] = "Auto-Renewable Subscription"
        fields["transactionId"] = .string("300000000\(number)")
        fields.set("purchaseDate", now + (number - 1) * day)
        fields.set("expiresDate", now + number * day)
        fields.set("signedDate", signed)
      }
      try await fixture.submit(anna) { period(&$0, 1, signed: now - 10) }
      try await fixture.notify("DID_RENEW", uuid: "n-1") { period(&$0, 2, signed: now) }
      #expect(try await fixture.pack(anna).allowed)
      try await fixture.notify("REFUND", uuid: "n-2") { fields in
        period(&fields, 2, signed: now + 10)
        fields.set("revocationDate", now + 5)
      }
      let check = try await fixture.pack(anna)
      #expect(check.allowed)
      #expect(check.validUntil.map { $0.milliseconds <= now + day } == true)
      let listed = try await fixture.purchases.list(.init(), options: ServiceFixture.user(anna))
      #expect(listed.purchases.map(\.state) == [.active])
      #expect(listed.purchases[0].expiresAt?.milliseconds == now + day)
      #expect(listed.purchases[0].revokedAt == nil)
      fixture.clock.advance(day - 1)
      #expect(try await fixture.pack(anna).allowed)
      fixture.clock.advance(1)
      #expect(try await fixture.pack(anna).reason == .refunded)
    }
  }

  @Test("A subscription that does not renew itself ends after the catalogue's length")
  func submit_nonRenewing_endsByTheCatalogue() async throws {
    let catalog = try TestCatalog.load { $0.products[0].length = 30 * TestTime.day }
    try await ServiceFixture.run(configure: { $0.catalog = catalog }) { fixture in
      func bought(_ fields: inout TransactionFields, _ id: String, daysAgo: Int64) {
        fields["type"] = "Non-Renewing Subscription"
        fields["transactionId"] = .string(id)
        fields["originalTransactionId"] = .string(id)
        fields.set("purchaseDate", now - daysAgo * day)
      }
      let old = try await fixture.submit(anna) { bought(&$0, "1", daysAgo: 3650) }
      #expect(old.purchase?.state == .expired)
      #expect(old.purchase?.expiresAt?.milliseconds == now - 3620 * day)
      #expect(try await fixture.pack(anna).reason == .subscriptionExpired)
      let fresh = try await fixture.submit(anna) { bought(&$0, "2", daysAgo: 10) }
      #expect(fresh.purchase?.state == .active)
      let all = try await fixture.entitlements.get(.init(), options: ServiceFixture.user(anna))
      #expect(all.products == [TransactionFields.product])
      // The log says when it will have ended, and then it has.
      fixture.clock.advance(20 * day - 1)
      #expect(try await fixture.pack(anna).allowed)
      #expect(try await fixture.pack(anna).validUntil?.milliseconds == now + 20 * day)
      fixture.clock.advance(1)
      #expect(try await !fixture.pack(anna).allowed)
      let changes = try await fixture.entitlements.listChanges(
        .init(),
        options: ServiceFixture.user(anna)
      )
      #expect(changes.changes.first?.effect == .ended && changes.changes.first?.source == .purchase)
    }
  }

  @Test("What the App Store says of an end goes before the catalogue, and no length is no end")
  func lasting_appleGoesFirst() throws {
    var catalog = try TestCatalog.load()
    let purchase = Purchase(
      store: "apple",
      environment: .production,
      originalTransactionID: "1",
      transactionID: "1",
      productID: TransactionFields.product,
      isRenewed: false,
      isFamilyShared: false,
      purchasedAt: now - 3650 * day,
      isUnshared: false,
      signedAt: now
    )
    #expect(catalog.worth(of: purchase, at: now).state == .active)
    catalog.products[0].length = day
    #expect(catalog.worth(of: purchase, at: now).state == .expired)
    var bounded = purchase
    bounded.expiresAt = now + 5
    #expect(catalog.worth(of: bounded, at: now) == bounded.worth(at: now))
  }

  @Test("A price with a fraction and a quantity as text are a genuine purchase")
  func submit_lenientFields_isTaken() async throws {
    try await ServiceFixture.run { fixture in
      let answer = try await fixture.submit(anna) { fields in
        fields["price"] = JSONNumber(990.5).map { .number($0) }
        fields["quantity"] = "1"
      }
      #expect(answer.result == .applied)
    }
  }
}
