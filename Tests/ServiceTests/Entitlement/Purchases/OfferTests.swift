import PeerContracts
import EntitlementContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Offers, renewals and refunds in the status of a purchase")
struct OfferTests {
  private static let anna = ServiceFixture.anna
  private static let now = TestTime.now
  private static let second = TestTime.second

  /// A subscription, from second 0 to 10 unless the test says otherwise.
  private static func basic(_ fields: inout TransactionFields) {
    fields["transactionId"] = "5001"
    fields["originalTransactionId"] = "5001"
    fields["productId"] = "com.example.basic"
    fields["type"] = "Auto-Renewable Subscription"
    fields.set("purchaseDate", now)
    fields.set("expiresDate", now + 10 * second)
    fields.set("signedDate", now)
  }

  private static func renewal(
    at instant: Int64,
    _ change: (inout JSONObject) -> Void = { _ in }
  ) throws -> String {
    var members: JSONObject = [
      "originalTransactionId": "5001", "environment": "Production", "autoRenewStatus": 1,
      "autoRenewProductId": "com.example.basic",
      "signedDate": .number(JSONNumber(instant)),
    ]
    change(&members)
    return try SignedData(.object(members)).text()
  }

  private static func status(_ fixture: ServiceFixture) async throws -> Entitlement_V1.Purchase {
    let listed = try await fixture.purchases.list(.init(), options: ServiceFixture.user(anna))
    return try #require(listed.purchases.first)
  }

  @Test(
    "The offer of a period is kept and shown",
    arguments: [
      (1, nil, "FREE_TRIAL", .introductory), (2, "spring", "PAY_AS_YOU_GO", .promotional),
      (3, "CODE-1", "PAY_UP_FRONT", .code), (4, "back", "ONE_TIME", .winBack),
      (9, "new", "SOMETHING", .unspecified),
    ] as [(Int64, String?, String, Entitlement_V1.OfferKind)]
  )
  func offer_isShown(
    type: Int64,
    identifier: String?,
    discount: String,
    kind: Entitlement_V1.OfferKind
  ) async throws {
    try await ServiceFixture.run { fixture in
      let bought = try await fixture.submit(Self.anna) {
        Self.basic(&$0)
        $0.set("offerType", type)
        if let identifier { $0["offerIdentifier"] = .string(identifier) }
        $0["offerDiscountType"] = .string(discount)
      }
      let expected = Entitlement_V1.PurchaseOffer(
        kind: kind,
        identifier: identifier ?? "",
        discountType: discount
      )
      #expect(bought.purchase?.offer == expected)
      #expect(try await Self.status(fixture).offer == expected)
      // The next period is bought without one.
      try await fixture.submit(Self.anna) {
        Self.basic(&$0)
        $0["transactionId"] = "5002"
        $0.set("purchaseDate", Self.now + 10 * Self.second)
        $0.set("expiresDate", Self.now + 20 * Self.second)
      }
      #expect(try await Self.status(fixture).offer == nil)
    }
  }

  @Test("Grace, billing retry and the reason of an end are shown as Apple says them")
  func renewal_isShown() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna) { Self.basic(&$0) }
      #expect(try await Self.status(fixture).renewal == nil)
      let grace = Self.now + 20 * Self.second
      try await fixture.notify(
        "DID_FAIL_TO_RENEW",
        uuid: "n-1",
        renewal: try Self.renewal(at: Self.now + 1) {
          $0["isInBillingRetryPeriod"] = true
          $0["gracePeriodExpiresDate"] = .number(JSONNumber(grace))
          $0["renewalDate"] = .number(JSONNumber(grace))
        }
      ) { Self.basic(&$0) }
      fixture.clock.advance(15 * Self.second)
      let retrying = try await Self.status(fixture)
      #expect(retrying.state == .active)
      #expect(retrying.renewal?.inBillingRetry == true && retrying.renewal?.willRenew == true)
      #expect(retrying.renewal?.graceUntil?.milliseconds == grace)
      #expect(retrying.renewal?.renewsAt?.milliseconds == grace)
      try await fixture.notify(
        "EXPIRED",
        uuid: "n-2",
        renewal: try Self.renewal(at: Self.now + 2) {
          $0["autoRenewStatus"] = 0
          $0["expirationIntent"] = 2
        }
      ) { Self.basic(&$0) }
      let ended = try await Self.status(fixture)
      #expect(ended.state == .expired)
      #expect(ended.renewal?.willRenew == false && ended.renewal?.inBillingRetry == false)
      #expect(ended.renewal?.expirationReason == .billing && ended.renewal?.graceUntil == nil)
      // An older word that comes late says nothing.
      try await fixture.notify(
        "DID_CHANGE_RENEWAL_STATUS",
        uuid: "n-3",
        renewal: try Self.renewal(at: Self.now + 1)
      ) { Self.basic(&$0) }
      #expect(try await Self.status(fixture).renewal == ended.renewal)
    }
  }

  @Test("A downgrade is shown as what the subscription will be renewed as, and with its offer")
  func renewal_downgrade_isShown() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna) { Self.basic(&$0) }
      try await fixture.notify(
        "DID_CHANGE_RENEWAL_PREF",
        uuid: "n-1",
        renewal: try Self.renewal(at: Self.now + 1) {
          $0["autoRenewProductId"] = "com.example.small"
          $0["offerType"] = 4
          $0["offerIdentifier"] = "back"
        }
      ) { Self.basic(&$0) }
      let purchase = try await Self.status(fixture)
      #expect(purchase.productId == "com.example.basic" && purchase.state == .active)
      #expect(purchase.renewal?.productId == "com.example.small")
      #expect(purchase.renewal?.offer?.kind == .winBack)
      // With the next period it is what it is renewed as, and what was said before is over.
      try await fixture.submit(Self.anna) {
        Self.basic(&$0)
        $0["transactionId"] = "5002"
        $0["productId"] = "com.example.small"
        $0.set("purchaseDate", Self.now + 10 * Self.second)
        $0.set("expiresDate", Self.now + 20 * Self.second)
      }
      #expect(try await Self.status(fixture).productId == "com.example.basic")
      fixture.clock.advance(10 * Self.second)
      let renewed = try await Self.status(fixture)
      #expect(renewed.productId == "com.example.small" && renewed.renewal == nil)
    }
  }

  @Test("A transaction that was replaced by an upgrade unlocks nothing, although it has not ended")
  func upgraded_unlocksNothing() async throws {
    try await ServiceFixture.run { fixture in
      let bought = try await fixture.submit(Self.anna) { Self.basic(&$0) }
      #expect(bought.purchase?.state == .active)
      let replaced = try await fixture.submit(Self.anna) {
        Self.basic(&$0)
        $0["isUpgraded"] = true
        $0.set("signedDate", Self.now + 1)
      }
      #expect(replaced.purchase?.state == .expired)
      let products = try await fixture.entitlements.get(
        .init(),
        options: ServiceFixture.user(Self.anna)
      ).products
      #expect(products.isEmpty)
    }
  }

  @Test("A refund that was asked for is shown with its reason until Apple has decided, and audited")
  func refundRequest_isShownUntilDecided() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna)
      func tell(_ type: String, uuid: String, at instant: Int64) async throws -> Bool {
        let transaction = try TransactionFields.signed()
        var data: JSONObject = [
          "bundleId": .string(TransactionFields.bundleID), "appAppleId": 1234,
          "environment": "Production", "signedTransactionInfo": .string(transaction),
        ]
        if type == "CONSUMPTION_REQUEST" {
          data["consumptionRequestReason"] = "UNINTENDED_PURCHASE"
        }
        return try await fixture.purchases.handleNotification(
          .init(
            signedPayload: try SignedData([
              "notificationType": .string(type), "notificationUUID": .string(uuid),
              "version": "2.0", "signedDate": .number(JSONNumber(instant)),
              "data": .object(data),
            ]).text()
          )
        ).applied
      }
      #expect(try await tell("CONSUMPTION_REQUEST", uuid: "n-1", at: Self.now) == false)
      let asked = try await Self.status(fixture)
      #expect(asked.refundRequestedAt?.milliseconds == Self.now)
      #expect(asked.refundRequestReason == "UNINTENDED_PURCHASE" && asked.state == .active)
      // Apple asks again, under another identifier; then it declines.
      _ = try await tell("CONSUMPTION_REQUEST", uuid: "n-2", at: Self.now + 10)
      #expect(try await Self.status(fixture).refundRequestedAt?.milliseconds == Self.now + 10)
      _ = try await tell("REFUND_DECLINED", uuid: "n-3", at: Self.now + 20)
      let declined = try await Self.status(fixture)
      #expect(declined.refundRequestedAt == nil && declined.refundRequestReason.isEmpty)
      // A request from before that arrives late asks for nothing.
      _ = try await tell("CONSUMPTION_REQUEST", uuid: "n-4", at: Self.now + 15)
      #expect(try await Self.status(fixture).refundRequestedAt == nil)
      let actions = try await fixture.service.core.store.read { tx in
        try tx.query(
          "SELECT actor, action FROM audit_log WHERE action LIKE 'purchase.refund%' ORDER BY sequence"
        ) { "\($0.text(0)) \($0.text(1))" }
      }
      #expect(
        actions == [
          "apple purchase.refund_requested", "apple purchase.refund_requested",
          "apple purchase.refund_declined",
        ]
      )
      // Nothing was taken from anybody, so nobody was told.
      #expect(try await fixture.pack(Self.anna).version == 1)
    }
  }

  @Test("A refund ends the request for it")
  func refund_endsTheRequest() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(Self.anna)
      try await fixture.notify("CONSUMPTION_REQUEST", uuid: "n-1")
      #expect(try await Self.status(fixture).refundRequestedAt != nil)
      try await fixture.notify("REFUND", uuid: "n-2") {
        $0.set("signedDate", Self.now)
        $0.set("revocationDate", Self.now)
      }
      let refunded = try await Self.status(fixture)
      #expect(refunded.state == .refunded && refunded.refundRequestedAt == nil)
    }
  }
}
