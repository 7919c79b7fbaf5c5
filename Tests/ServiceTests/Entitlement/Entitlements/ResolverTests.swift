import Foundation
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

/// The catalogue that ships with the service.
enum TestCatalog {
  /// From Tests/ServiceTests/Entitlement/Domain to the root of the repository.
  static func path() throws -> String {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    return root.appendingPathComponent("tiers/default.json").path
  }

  static func load(_ change: (inout Catalog) -> Void = { _ in }) throws -> Catalog {
    let file = URL(fileURLWithPath: try path())
    var catalog = try Catalog(json: Array(try Data(contentsOf: file)))
    change(&catalog)
    return catalog
  }
}

@Suite("What a subject is entitled to")
struct ResolverTests {
  private let now = TestTime.now
  private let organization = Subject(.organization, "org_1")
  private let resolver: Resolver

  init() throws { resolver = Resolver(catalog: try TestCatalog.load()) }

  private func holdings(_ subscription: Subscription?) -> Holdings {
    Holdings(subject: organization, subscription: subscription)
  }

  private func decide(_ key: String, _ subscription: Subscription?) throws -> Decision {
    try resolver.checkFeature(key, for: holdings(subscription), at: now)
  }

  @Test("The tiers include what the product promises")
  func tiers_ofTheProduct_includeTheirModules() throws {
    let modules = [
      "analytics", "selectionProcess", "locationHistory", "photoEvidence", "leaveManagement",
      "inventory", "lessons", "staffMatrix", "advancedPermissions", "integrations", "manure",
      "aiAssistant", "supportAccess",
    ]
    func available(_ tier: String) throws -> Set<String> {
      let all = try resolver.resolveAll(for: holdings(Subscription(tier: tier)), at: now)
      return Set(all.filter { $0.value.kind == .flag && $0.value.isAvailable }.map(\.key))
    }
    #expect(try available("free").isEmpty)
    let standard = try available("standard")
    #expect(standard.contains("analytics") && !standard.contains("lessons"))
    #expect(!standard.contains("invoicing"))
    #expect(try available("pro") == Set(modules))
    #expect(try available("enterprise") == Set(modules + ["invoicing"]))
  }

  @Test("A denial says why and what would unlock it")
  func checkFeature_denied_saysWhatUnlocks() throws {
    let lessons = try decide("lessons", Subscription(tier: "standard"))
    #expect(lessons.reason == .notInTier)
    #expect(lessons.unlockedBy == UnlockedBy(tier: "pro", products: ["equiduty_pro_monthly"]))
    let invoicing = try decide("invoicing", Subscription(tier: "pro"))
    #expect(invoicing.reason == .notInTier)
    #expect(invoicing.unlockedBy == UnlockedBy(tier: "enterprise", addons: ["invoicing"]))
    #expect(try decide("lessons", nil).reason == .noSubscription)
    #expect(try decide("nothing", nil).reason == .featureUnknown)
    #expect(try decide("maxHorses", nil).reason == .typeMismatch)
    let pack = try decide("compliancePack", nil)
    #expect(pack.unlockedBy == UnlockedBy())
    let user = Holdings(subject: .user("usr_1"))
    let bought = try resolver.checkFeature("compliancePack", for: user, at: now)
    #expect(bought.reason == .notPurchased)
    #expect(bought.unlockedBy == UnlockedBy(products: [TransactionFields.product]))
  }

  @Test("Add-ons unlock what the tier lacks, until they end")
  func checkFeature_addon_countsUntilItsEnd() throws {
    var subscription = Subscription(
      tier: "pro",
      addons: [.init(name: "invoicing", validUntil: now + 1)]
    )
    let before = try decide("invoicing", subscription)
    #expect(before.isAllowed)
    #expect(before.source == .addon("invoicing"))
    #expect(before.validUntil == now + 1)
    subscription.addons[0].validUntil = now
    #expect(try decide("invoicing", subscription).reason == .notInTier)
  }

  @Test("A denying override goes before a value, a value before the tier, each until it ends")
  func resolve_overrides_goFirst() throws {
    var subscription = Subscription(
      tier: "enterprise",
      overrides: [
        .init(feature: "maxHorses", value: .limit(.atMost(7))),
        .init(feature: "maxHorses", value: .flag(false), validUntil: now + 1),
        .init(feature: "analytics", value: .flag(false)),
      ]
    )
    let denied = try resolver.resolve("maxHorses", for: holdings(subscription), at: now)
    #expect(denied?.value == .limit(.atMost(0)))
    #expect(denied?.reason == .deniedByOverride)
    #expect(denied?.validUntil == now + 1)
    #expect(
      denied?.parts.map(\.value) == [
        .limit(.atMost(0)), .limit(.atMost(7)), .limit(.unlimited), .limit(.atMost(0)),
      ]
    )
    let later = try resolver.resolve("maxHorses", for: holdings(subscription), at: now + 1)
    #expect(later?.value == .limit(.atMost(7)))
    #expect(later?.validUntil == nil)
    let analytics = try decide("analytics", subscription)
    #expect(analytics.reason == .deniedByOverride)
    #expect(analytics.unlockedBy == UnlockedBy())
    subscription.tier = "free"
    subscription.overrides = [.init(feature: "lessons", value: .flag(true))]
    #expect(try decide("lessons", subscription).source == .override)
  }

  @Test("Access lasts until the last of paid, grace and complimentary, that instant excluded")
  func subscription_ends_atTheLastOfThree() throws {
    var subscription = Subscription(tier: "pro", validFrom: now, paidUntil: now + 10)
    func isAllowed(at instant: Int64) throws -> Bool {
      try resolver.checkFeature("lessons", for: holdings(subscription), at: instant).isAllowed
    }
    #expect(try !isAllowed(at: now - 1))
    #expect(try isAllowed(at: now))
    #expect(try isAllowed(at: now + 9))
    #expect(try !isAllowed(at: now + 10))
    let expired = try resolver.checkFeature("lessons", for: holdings(subscription), at: now + 10)
    #expect(expired.reason == .subscriptionExpired)
    subscription.graceUntil = now + 20
    #expect(try isAllowed(at: now + 19))
    #expect(try !isAllowed(at: now + 20))
    subscription.complimentaryUntil = now + 30
    #expect(try isAllowed(at: now + 29))
    #expect(try !isAllowed(at: now + 30))
    subscription.graceUntil = nil
    subscription.complimentaryUntil = now + 5
    #expect(try isAllowed(at: now + 9))
    #expect(try !isAllowed(at: now + 10))
    subscription.paidUntil = nil
    #expect(try isAllowed(at: .max))
  }

  @Test("An answer says when it changes by itself, in both directions")
  func resolve_windows_haveNextChange() throws {
    let subscription = Subscription(tier: "pro", validFrom: now + 5, paidUntil: now + 10)
    func change(at instant: Int64) throws -> Int64? {
      try resolver.resolve("lessons", for: holdings(subscription), at: instant)?.validUntil
    }
    #expect(try change(at: now) == now + 5)
    #expect(try change(at: now + 5) == now + 10)
    #expect(try change(at: now + 10) == nil)
    // What the free tier has as well does not change at all.
    let same = Subscription(tier: "free", validFrom: now + 5, paidUntil: now + 10)
    let limit = try resolver.resolve("maxHorses", for: holdings(same), at: now)
    #expect(limit?.validUntil == nil)
  }

  @Test("A limit is reached exactly at its number, and sums cannot overflow")
  func checkLimit_boundaries_areExact() throws {
    func check(_ current: Int64, _ requested: Int64, tier: String = "free") throws -> Decision {
      try resolver.checkLimit(
        "maxHorses",
        current: current,
        requested: requested,
        for: holdings(Subscription(tier: tier)),
        at: now
      )
    }
    #expect(try check(4, 1).isAllowed)
    #expect(try check(4, 1).remaining == 1)
    let full = try check(5, 1)
    #expect(full.reason == .limitExceeded)
    #expect(full.remaining == 0)
    let product = "equiduty_pro_monthly"
    #expect(full.unlockedBy == UnlockedBy(tier: "standard", products: [product]))
    #expect(try check(5, 0).isAllowed)
    #expect(try check(6, 0).reason == .limitExceeded)
    #expect(try check(1, 300).unlockedBy == UnlockedBy(tier: "pro", products: [product]))
    #expect(try check(.max, 1).reason == .limitExceeded)
    #expect(try check(.max, .max).unlockedBy == UnlockedBy(tier: "enterprise"))
    #expect(try check(.max, .max, tier: "enterprise").isAllowed)
    #expect(try check(.max, .max, tier: "enterprise").remaining == nil)
    let override = Subscription(
      tier: "free",
      overrides: [.init(feature: "maxHorses", value: .limit(.atMost(.max)))]
    )
    let huge = try resolver.checkLimit(
      "maxHorses",
      current: .max,
      requested: 1,
      for: holdings(override),
      at: now
    )
    #expect(huge.reason == .limitExceeded)
    #expect(
      try resolver.checkLimit("lessons", current: 0, requested: 1, for: holdings(nil), at: now)
        .reason == .typeMismatch
    )
  }

  @Test("An unknown tier is like the one that stands in for it, or an error")
  func resolve_unknownTier_needsStandIn() throws {
    let gold = Subscription(tier: "gold")
    #expect(try decide("lessons", gold).reason == .notInTier)
    let strict = Resolver(catalog: try TestCatalog.load { $0.unknownTier = nil })
    func refusal(_ body: () throws -> Void) -> String? {
      #expect(throws: RPCError.self, performing: body)
        .map { "\($0.reason ?? "") \($0.message)" }
    }
    let checked = refusal { _ = try strict.checkFeature("lessons", for: holdings(gold), at: now) }
    #expect(checked == #"TIER_UNKNOWN unknown tier "gold""#)
    let validated = refusal { try gold.validate(against: strict.catalog) }
    #expect(validated?.hasPrefix(#"TIER_UNKNOWN unknown tier "gold"; the catalogue has "#) == true)
  }

  @Test("A subscription that does not fit what is sold is refused, and says what does not")
  func validate_misfits_areNamed() throws {
    let catalog = resolver.catalog
    /// The reason, and the name that the message quotes.
    func error(_ subscription: Subscription) -> String? {
      do throws(RPCError) {
        try subscription.validate(against: catalog)
        return nil
      } catch {
        let words = error.message.split(separator: "\"", omittingEmptySubsequences: false)
        return "\(error.reason ?? "") \(words.count > 1 ? words[1] : "")"
      }
    }
    #expect(error(Subscription(tier: "pro")) == nil)
    let addon = Subscription.Addon(name: "invoicing")
    #expect(error(Subscription(tier: "pro", addons: [addon, addon])) == "DUPLICATE invoicing")
    #expect(error(Subscription(tier: "pro", addons: [.init(name: "x")])) == "ADDON_UNKNOWN x")
    let window = Subscription(tier: "pro", validFrom: 10, paidUntil: 9)
    #expect(error(window) == "EMPTY_WINDOW ")
    func overriding(_ key: String, _ values: FeatureValue...) -> Subscription {
      Subscription(tier: "pro", overrides: values.map { .init(feature: key, value: $0) })
    }
    #expect(error(overriding("x", .flag(true))) == "FEATURE_UNKNOWN x")
    #expect(error(overriding("lessons", .limit(.unlimited))) == "TYPE_MISMATCH lessons")
    #expect(error(overriding("maxHorses", .flag(true))) == "TYPE_MISMATCH maxHorses")
    #expect(error(overriding("maxHorses", .flag(false), .limit(.unlimited))) == nil)
    let twice = overriding("maxHorses", .limit(.atMost(1)), .limit(.unlimited))
    #expect(error(twice) == "DUPLICATE maxHorses")
  }
}

@Suite("Catalogues")
struct CatalogTests {
  @Test(
    "A catalogue that refers to nothing or mixes kinds does not load",
    arguments: [
      #"{"features": {}, "tiers": [], "default_tier": "free"}"#,
      #"{"features": {}, "tiers": [{"name": "a", "rank": 0, "features": {"x": true}}]}"#,
      #"{"features": {"x": {"kind": "limit"}}, "tiers": [{"name": "a", "rank": 0, "features": {"x": true}}]}"#,
      #"{"features": {"x": {"kind": "limit"}}, "tiers": [{"name": "a", "rank": 0, "features": {"x": -1}}]}"#,
      #"{"features": {"x": {"kind": "flag"}}, "tiers": [{"name": "a", "rank": 0, "features": {"x": 1}}]}"#,
      #"{"features": {"x": {"kind": "odd"}}, "tiers": []}"#,
      #"{"features": {}, "tiers": [{"name": "a", "rank": 0, "features": {}}, {"name": "a", "rank": 1, "features": {}}]}"#,
      #"{"features": {}, "tiers": [{"name": "a", "features": {}}]}"#,
      #"{"features": {}, "tiers": [], "teirs": []}"#, #"{"tiers": []}"#, "[]", "",
    ]
  )
  func load_wrong_isRefused(text: String) {
    #expect(throws: (any Error).self) { try Catalog(json: Array(text.utf8)) }
  }

  @Test("The smallest catalogue loads, and an error names its place")
  func load_smallest_works() throws {
    let catalog = try Catalog(json: Array(#"{"features": {}, "tiers": []}"#.utf8))
    #expect(catalog.tiers.isEmpty)
    let text = #"{"features": {}, "tiers": [{"name": "a", "rank": 0, "features": {"x": true}}]}"#
    #expect(throws: JSONDecodingError(path: "tiers[0].features.x", problem: "unknown feature")) {
      try Catalog(json: Array(text.utf8))
    }
  }
}

@Suite("The UUID of a user in the App Store")
struct AppAccountTokenTests {
  @Test("The example in purchases.proto is right")
  func example_ofTheContract_isRight() throws {
    let token = try #require(AppAccountToken(userID: "usr_068a7h3v3szgs39e9x862wm3jg"))
    #expect(token.text == "0190a3c4-7b1e-7f0c-8d2e-4f5061728394")
  }

  @Test("Users and UUIDs lead to one another")
  func token_roundTrip_isExact() throws {
    let factory = IdentifierFactory(clock: ManualClock(TestTime.now), random: SystemRandomSource())
    for _ in 0..<50 {
      let userID = factory.make(IdentifierPrefix("usr"))
      let token = try #require(AppAccountToken(userID: userID))
      #expect(token.text.utf8.count == 36)
      #expect(AppAccountToken.userID(of: token.text) == userID)
      #expect(AppAccountToken.userID(of: token.text.uppercased()) == userID)
    }
  }

  @Test(
    "What is neither leads nowhere",
    arguments: [
      "", "usr_", "usr_1", "org_00000000000000000000000000", "usr_0000000000000000000000000u",
      "usr_00000000000000000000000001",
    ]
  )
  func token_notAUser_isNil(text: String) {
    #expect(AppAccountToken(userID: text) == nil)
    #expect(AppAccountToken.userID(of: text) == nil)
  }
}
