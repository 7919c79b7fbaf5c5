import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Products that give a tier")
struct ProductTierTests {
  private static let anna = ServiceFixture.anna
  private static let monthly = "urgood_premium_monthly"

  @Test("A bought tier is the tier until its period ends or the money is given back")
  func submit_premium_isTheTier() async throws {
    try await ServiceFixture.run { fixture in
      let end = fixture.clock.now + 30_000
      let before = try await Self.entitlements(fixture)
      #expect(before.tier == "free")
      let bought = try await Self.buy(fixture) { $0.set("expiresDate", end) }
      #expect(bought.result == .applied)
      let premium = try await Self.entitlements(fixture)
      #expect(premium.tier == "premium" && premium.products == [Self.monthly])
      // Nobody relies on it after its end.
      #expect(premium.validUntil?.milliseconds == end)
      let other = try await fixture.entitlements.get(
        .init(),
        options: ServiceFixture.user(ServiceFixture.bert)
      )
      #expect(other.tier == "free")
      fixture.clock.advance(30_000)
      #expect(try await Self.entitlements(fixture).tier == "free")
      // Renewed, and refunded.
      try await Self.buy(fixture) { fields in
        fields["transactionId"] = "2000000002"
        fields.set("purchaseDate", end)
        fields.set("expiresDate", end + TestTime.day)
        fields.set("signedDate", end)
      }
      #expect(try await Self.entitlements(fixture).tier == "premium")
      try await fixture.notify("REFUND", uuid: "8c1f4a7e-0000-4000-8000-000000000030") { fields in
        Self.isSubscription(&fields)
        fields["transactionId"] = "2000000002"
        fields.set("purchaseDate", end)
        fields.set("expiresDate", end + TestTime.day)
        fields.set("revocationDate", end + 1)
        fields.set("signedDate", end + 1)
      }
      #expect(try await Self.entitlements(fixture).tier == "free")
    }
  }

  @Test("The higher one of a subscription's tier and a bought one counts, and both their features")
  func tier_boughtBesideSubscription_isTheHigher() async throws {
    let catalogue = try TestCatalog.load { catalog in
      catalog.products.append(
        .init(name: "pro", tier: "pro", values: catalog.tier("pro")?.values ?? [:])
      )
    }
    try await ServiceFixture.run(
      configure: { $0.catalog = catalogue },
      { fixture in
        try await Self.subscribe("enterprise", fixture)
        try await Self.buy(fixture) { $0["productId"] = "pro" }
        #expect(try await Self.entitlements(fixture).tier == "enterprise")
        try await Self.subscribe("standard", fixture)
        let pro = try await Self.entitlements(fixture)
        #expect(pro.tier == "pro")
        let lessons = try #require(pro.entitlements.first { $0.key == "lessons" })
        #expect(lessons.available && lessons.source == .purchase)
      }
    )
  }

  @Test("The catalogue gives a product all of its tier, and the better of both values")
  func catalog_productWithTier_hasItsValues() throws {
    let catalog = try Self.catalog(#""tier": "paid", "features": {"stories": 3, "gold": true}"#)
    let product = try #require(catalog.product("monthly"))
    #expect(product.tier == "paid")
    #expect(product.values == ["stories": .limit(.atMost(9)), "gold": .flag(true)])
    #expect(try Self.catalog(#""tier": "paid""#).product("monthly")?.values["gold"] == nil)
  }

  @Test(
    "A product with a tier that is not sold, or that gives nothing, is refused",
    arguments: [#""tier": "gold""#, #""tier": 1"#, #""days": 30"#]
  )
  func catalog_unknownTier_isRefused(members: String) {
    #expect(throws: (any Error).self) { try Self.catalog(members) }
  }

  private static func catalog(_ members: String) throws -> Catalog {
    let text = """
      {
        "features": {"stories": {"kind": "limit"}, "gold": {"kind": "flag"}},
        "tiers": [{"name": "paid", "rank": 1, "features": {"stories": 9}}],
        "products": [{"name": "monthly", \(members)}]
      }
      """
    return try Catalog(json: Array(text.utf8))
  }

  private static func entitlements(
    _ fixture: ServiceFixture
  ) async throws -> Entitlement_V1.GetEntitlementsResponse {
    try await fixture.entitlements.get(.init(), options: ServiceFixture.user(anna))
  }

  @discardableResult
  private static func buy(
    _ fixture: ServiceFixture,
    _ change: (inout TransactionFields) -> Void
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    try await fixture.submit(anna) { fields in
      isSubscription(&fields)
      change(&fields)
    }
  }

  private static func isSubscription(_ fields: inout TransactionFields) {
    fields["productId"] = .string(monthly)
    fields["type"] = "Auto-Renewable Subscription"
    fields.set("expiresDate", TestTime.now + TestTime.day)
  }

  private static func subscribe(_ tier: String, _ fixture: ServiceFixture) async throws {
    _ = try await fixture.subscriptions.put(
      .init(subscription: .init(subject: .init(kind: .user, id: anna), tier: tier)),
      options: ServiceFixture.service
    )
  }
}
