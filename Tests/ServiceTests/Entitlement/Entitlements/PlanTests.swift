import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Plans")
struct PlanTests {
  private let now = TestTime.now
  private let day = TestTime.day
  private let user = Subject(.user, ServiceFixture.anna)

  private func catalog() throws -> Catalog {
    try Catalog(
      json: Array(
        """
        {
          "features": {"gold": {"kind": "flag"}},
          "default_tier": "free",
          "tiers": [
            {"name": "free", "rank": 0, "features": {}},
            {"name": "premium", "rank": 1, "features": {"gold": true}},
            {"name": "gilded", "rank": 1, "features": {"gold": true}},
            {"name": "pro", "rank": 2, "features": {"gold": true}}
          ],
          "products": [
            {"name": "monthly", "tier": "premium"}, {"name": "yearly", "tier": "premium"}
          ],
          "promotions": [
            {"name": "try", "kind": "trial", "tier": "pro", "days": 14},
            {"name": "spring", "kind": "coupon", "tier": "premium", "days": 30, "code": "SPRING"},
            {"name": "launch", "kind": "campaign", "tier": "gilded",
              "from": "2030-01-01T00:00:00Z", "until": "2030-02-01T00:00:00Z"}
          ]
        }
        """.utf8
      )
    )
  }

  private func plan(
    at instant: Int64? = nil,
    _ change: (inout Holdings) -> Void = { _ in }
  ) throws -> Plan {
    var holdings = Holdings(subject: user)
    change(&holdings)
    return try Resolver(catalog: try catalog()).plan(of: holdings, at: instant ?? now)
  }

  private func purchase(_ change: (inout Purchase) -> Void = { _ in }) -> Purchase {
    var purchase = Purchase(
      store: "apple",
      environment: .production,
      originalTransactionID: "1",
      transactionID: "1",
      productID: "monthly",
      isRenewed: true,
      isFamilyShared: false,
      purchasedAt: now - day,
      expiresAt: now + day,
      isUnshared: false,
      signedAt: now - day
    )
    change(&purchase)
    return purchase
  }

  @Test("Without anything it is the default tier, for ever")
  func plan_ofNothing_isTheDefault() throws {
    #expect(try plan() == Plan(tier: "free", source: .default))
  }

  @Test("A trial and a coupon are the plan until they end")
  func plan_redeemed_isThePromotions() throws {
    let end = now + 14 * day
    let trial = Redemption(promotion: "try", group: "try", redeemedAt: now, endsAt: end)
    let coupon = Redemption(
      promotion: "spring",
      group: "spring",
      redeemedAt: now,
      endsAt: now + 30 * day
    )
    let tried = try plan { $0.redemptions = [trial, coupon] }
    let expected = Plan(
      tier: "pro",
      source: .trial,
      promotion: "try",
      isTrial: true,
      expiresAt: end,
      renewal: .ends
    )
    #expect(tried == expected)
    let after = try plan(at: end) { $0.redemptions = [trial, coupon] }
    #expect(after.tier == "premium" && after.source == .coupon && !after.isTrial)
    #expect(try plan(at: now + 30 * day) { $0.redemptions = [trial, coupon] }.tier == "free")
  }

  @Test("Of equal tiers the one that lasts longest counts, and a campaign ends")
  func plan_equals_lastLongest() throws {
    let inCampaign: Int64 = 1_893_456_000_000 + day
    let campaign = try plan(at: inCampaign)
    #expect(campaign.tier == "gilded" && campaign.source == .campaign)
    #expect(campaign.expiresAt == 1_896_134_400_000)
    let short = purchase { ($0.purchasedAt, $0.expiresAt) = (inCampaign - 1, inCampaign + day) }
    #expect(try plan(at: inCampaign) { $0.purchases = [short] }.source == .campaign)
    let long = purchase { ($0.purchasedAt, $0.expiresAt) = (inCampaign - 1, inCampaign + 60 * day) }
    #expect(try plan(at: inCampaign) { $0.purchases = [long] }.source == .purchase)
    let forGood = Subscription(tier: "premium")
    let both = try plan(at: inCampaign) {
      $0.purchases = [long]
      $0.subscription = forGood
    }
    #expect(both.source == .subscription && both.expiresAt == nil)
  }

  @Test("The renewal of a purchase shows as the store has reported it")
  func plan_renewal_isTheStores() throws {
    func renewal(_ change: (inout Purchase) -> Void) throws -> Plan {
      try plan { $0.purchases = [purchase(change)] }
    }
    let unknown = try renewal { _ in }
    #expect(unknown.renewal == .unspecified && unknown.productID == "monthly")
    #expect(unknown.expiresAt == now + day)
    #expect(try renewal { $0.isRenewed = false }.renewal == .none)
    var word = Purchase.Renewal(
      willRenew: true,
      productID: "yearly",
      isInBillingRetry: false,
      renewsAt: now + day
    )
    let renewed = try renewal { $0.renewal = word }
    #expect(renewed.renewal == .renews && renewed.renewsAt == now + day)
    #expect(renewed.renewalProductID == "yearly")
    word.willRenew = false
    let ends = try renewal { $0.renewal = word }
    #expect(ends.renewal == .ends && ends.renewsAt == nil && ends.renewalProductID == "")
    word.isInBillingRetry = true
    #expect(try renewal { $0.renewal = word }.renewal == .retrying)
    let grace = try renewal {
      $0.renewal = word
      ($0.expiresAt, $0.graceUntil) = (now - 1, now + day)
    }
    #expect(grace.renewal == .grace && grace.expiresAt == now + day)
    let tried = try renewal {
      $0.offer = .init(kind: .introductory, identifier: nil, discountType: "FREE_TRIAL")
    }
    #expect(tried.isTrial && tried.source == .purchase)
  }

  @Test("An answer ends where the plan becomes another by itself")
  func nextPlanChange_isItsEdge() throws {
    let resolver = Resolver(catalog: try catalog())
    var holdings = Holdings(subject: user)
    holdings.purchases = [
      purchase { ($0.expiresAt, $0.graceUntil) = (now + day, now + 3 * day) }
    ]
    #expect(try resolver.nextPlanChange(of: holdings, after: now) == now + day)
    #expect(try resolver.nextPlanChange(of: holdings, after: now + day) == now + 3 * day)
    // Then the campaign of the year 2030.
    #expect(try resolver.nextPlanChange(of: holdings, after: now + 3 * day) == 1_893_456_000_000)
  }

  @Test("Get answers with the plan that it names as tier, and the subject")
  func get_answersWithThePlan() async throws {
    try await ServiceFixture.run { fixture in
      let end = fixture.clock.now + TestTime.day
      _ = try await fixture.submit(ServiceFixture.anna) { fields in
        fields["productId"] = "urgood_premium_monthly"
        fields["type"] = "Auto-Renewable Subscription"
        fields.set("expiresDate", end)
      }
      let answer = try await fixture.entitlements.get(
        .init(),
        options: ServiceFixture.user(ServiceFixture.anna)
      )
      let plan = try #require(answer.plan)
      #expect(plan.tier == "premium" && answer.tier == "premium")
      #expect(plan.subject == .init(kind: .user, id: ServiceFixture.anna))
      #expect(plan.source == .purchase && plan.productId == "urgood_premium_monthly")
      #expect(plan.expiresAt?.milliseconds == end && !plan.trial)
    }
  }
}
