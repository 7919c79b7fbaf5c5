import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Trials, coupons and campaigns")
struct PromotionServiceTests {
  private static let anna = ServiceFixture.anna
  private static let bert = ServiceFixture.bert
  private static let organization = Entitlement_V1.Subject(kind: .organization, id: "org_anna")

  private static func promotion(
    _ name: String,
    _ kind: Promotion.Kind,
    _ change: (inout Promotion) -> Void = { _ in }
  ) -> Promotion {
    var promotion = Promotion(name: name, kind: kind, gift: .tier("pro"))
    if kind != .campaign { promotion.duration = TestTime.day }
    if kind == .coupon { promotion.code = name.uppercased() }
    change(&promotion)
    return promotion
  }

  private static func run(
    _ promotions: [Promotion],
    _ body: (ServiceFixture) async throws -> Void
  ) async throws {
    let catalog = try TestCatalog.load { $0.promotions = promotions.sorted { $0.name < $1.name } }
    try await ServiceFixture.run(configure: { $0.catalog = catalog }, body)
  }

  @discardableResult
  private static func redeem(
    _ fixture: ServiceFixture,
    _ promotion: Entitlement_V1.RedeemRequest.PromotionOneOf?,
    of subject: Entitlement_V1.Subject? = nil,
    key: String = "",
    by options: CallOptions = ServiceFixture.user(anna)
  ) async throws -> Entitlement_V1.RedeemResponse {
    try await fixture.subscriptions.redeem(
      .init(subject: subject, idempotencyKey: key, promotion: promotion),
      options: options
    )
  }

  private static func lessons(
    _ fixture: ServiceFixture,
    _ user: String = anna
  ) async throws -> Entitlement_V1.CheckResponse {
    try await fixture.entitlements.checkFeature(
      .init(feature: "lessons"),
      options: ServiceFixture.user(user)
    )
  }

  @Test("A trial unlocks its tier for its days, once, and ends by the clock")
  func trial_onceAndForItsDays() async throws {
    try await Self.run([Self.promotion("try-pro", .trial)]) { fixture in
      #expect(try await !Self.lessons(fixture).allowed)
      let answer = try await Self.redeem(fixture, .trial("try-pro"), key: "k")
      let end = TestTime.now + TestTime.day
      #expect(answer.version == 1 && answer.promotion?.endsAt?.milliseconds == end)
      #expect(answer.promotion?.tier == "pro" && answer.promotion?.kind == .trial)
      let check = try await Self.lessons(fixture)
      #expect(check.allowed && check.source == .promotion)
      // The same request is the same trial; another one is refused.
      #expect(try await Self.redeem(fixture, .trial("try-pro"), key: "k") == answer)
      let again = await refusal { try await Self.redeem(fixture, .trial("try-pro")) }
      #expect(again.code == .failedPrecondition && again.reason == "ALREADY_REDEEMED")
      let all = try await fixture.entitlements.get(
        .init(),
        options: ServiceFixture.user(Self.anna)
      )
      #expect(all.promotions == [answer.promotion].compactMap { $0 })
      // Nobody else has it, and the next user may.
      #expect(try await !Self.lessons(fixture, Self.bert).allowed)
      fixture.clock.advance(TestTime.day - 1)
      let last = try await Self.lessons(fixture)
      #expect(last.allowed && last.validUntil?.milliseconds == end)
      fixture.clock.advance(1)
      let ended = try await Self.lessons(fixture)
      #expect(!ended.allowed && ended.reason == .subscriptionExpired)
      #expect(
        try await fixture.entitlements.get(.init(), options: ServiceFixture.user(Self.anna))
          .promotions.isEmpty
      )
      // Ended is redeemed too.
      let later = await refusal { try await Self.redeem(fixture, .trial("try-pro")) }
      #expect(later.reason == "ALREADY_REDEEMED")
    }
  }

  @Test("The log says that it was a trial or a coupon, and when it ended; the audit who did it")
  func redeem_isLoggedAndAudited() async throws {
    let promotions = [
      Self.promotion("try-pro", .trial),
      Self.promotion("spring", .coupon) { $0.gift = .addon("invoicing") },
    ]
    try await Self.run(promotions) { fixture in
      try await Self.redeem(fixture, .trial("try-pro"))
      try await Self.redeem(fixture, .code("Spring"))
      fixture.clock.advance(2 * TestTime.day)
      let log = try await fixture.entitlements.listChanges(
        .init(),
        options: ServiceFixture.user(Self.anna)
      ).changes
      #expect(log.map(\.cause) == [.expiry, .expiry, .coupon, .trial])
      #expect(Set(log.prefix(2).map(\.name)) == ["try-pro", "spring"])
      #expect(log.allSatisfy { $0.source == .promotion })
      let audited = try await fixture.service.core.store.read { tx in
        try tx.query(
          "SELECT actor, detail FROM audit_log WHERE action = 'promotion.redeem' ORDER BY sequence"
        ) { "\($0.text(0)) \($0.text(1))" }
      }
      let end = TestTime.now + TestTime.day
      #expect(
        audited == [
          "user:\(Self.anna) trial try-pro, until \(end), version 1",
          "user:\(Self.anna) coupon spring, until \(end), version 2",
        ]
      )
    }
  }

  @Test("A coupon is redeemed as often as it may be, by however many at once")
  func coupon_limit_isExact() async throws {
    let coupon = Self.promotion("spring", .coupon) { $0.countMax = 5 }
    try await Self.run([coupon]) { fixture in
      let users = (0..<20).map { _ in fixture.service.core.identifiers.make(IdentifierPrefix("usr"))
      }
      let reasons = await withTaskGroup(of: String?.self) { group in
        for user in users {
          group.addTask {
            await refusal {
              try await Self.redeem(fixture, .code("SPRING"), by: ServiceFixture.user(user))
            }.reason
          }
        }
        var reasons: [String?] = []
        for await reason in group { reasons.append(reason) }
        return reasons
      }
      #expect(reasons.filter { $0 == nil }.count == 5)
      #expect(reasons.filter { $0 == "PROMOTION_EXHAUSTED" }.count == 15)
      var holders = 0
      for user in users where try await Self.lessons(fixture, user).allowed { holders += 1 }
      #expect(holders == 5)
    }
  }

  @Test("One user who redeems a coupon on many devices at once has it once")
  func coupon_manyAtOnce_isRedeemedOnce() async throws {
    try await Self.run([Self.promotion("spring", .coupon)]) { fixture in
      let reasons = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<8 {
          group.addTask { await refusal { try await Self.redeem(fixture, .code("SPRING")) }.reason }
        }
        var reasons: [String?] = []
        for await reason in group { reasons.append(reason) }
        return reasons
      }
      #expect(reasons.filter { $0 == nil }.count == 1)
      #expect(reasons.filter { $0 == "ALREADY_REDEEMED" }.count == 7)
      let log = try await fixture.entitlements.listChanges(
        .init(),
        options: ServiceFixture.user(Self.anna)
      )
      #expect(log.changes.map(\.version) == [1])
    }
  }

  @Test("Codes cannot be guessed by trying: after ten wrong ones a user waits, and only that user")
  func coupon_guesses_areLimited() async throws {
    try await Self.run([Self.promotion("spring", .coupon)]) { fixture in
      for guess in 0..<10 {
        let wrong = await refusal { try await Self.redeem(fixture, .code("GUESS-\(guess)")) }
        #expect(wrong.code == .invalidArgument && wrong.reason == "COUPON_UNKNOWN")
      }
      // The right one is not looked at any more.
      let refused = await refusal { try await Self.redeem(fixture, .code("SPRING")) }
      #expect(refused.code == .resourceExhausted && refused.reason == "TOO_MANY_ATTEMPTS")
      try await Self.redeem(fixture, .code("SPRING"), by: ServiceFixture.user(Self.bert))
      fixture.clock.advance(TestTime.hour / 10)
      try await Self.redeem(fixture, .code("SPRING"))
    }
  }

  @Test("A right code does not count as a guess, however often it is refused for something else")
  func coupon_knownCode_isNoGuess() async throws {
    try await Self.run([Self.promotion("spring", .coupon)]) { fixture in
      try await Self.redeem(fixture, .code("SPRING"))
      for _ in 0..<15 {
        let again = await refusal { try await Self.redeem(fixture, .code("SPRING")) }
        #expect(again.reason == "ALREADY_REDEEMED")
      }
    }
  }

  @Test("What is not offered, not now or not to this kind of subject is refused with its reason")
  func redeem_notOffered_isRefused() async throws {
    let promotions = [
      Self.promotion("early", .trial) { $0.startsAt = TestTime.now + 1 },
      Self.promotion("late", .trial) { $0.endsAt = TestTime.now },
      Self.promotion("shared", .trial) { $0.subjectKinds = [.organization] },
      Self.promotion("spring", .coupon),
      Self.promotion("party", .campaign) { $0.endsAt = TestTime.now + 1 },
    ]
    try await Self.run(promotions) { fixture in
      let cases: [(Entitlement_V1.RedeemRequest.PromotionOneOf?, String)] = [
        (.trial("nothing"), "PROMOTION_UNKNOWN"), (.trial("spring"), "PROMOTION_UNKNOWN"),
        (.trial("party"), "PROMOTION_UNKNOWN"), (.trial("early"), "PROMOTION_CLOSED"),
        (.trial("late"), "PROMOTION_CLOSED"), (.trial("shared"), "PROMOTION_FOR_OTHERS"),
        (.code("PARTY"), "COUPON_UNKNOWN"), (nil, "VALUE_REQUIRED"),
      ]
      for (promotion, reason) in cases {
        let refused = await refusal { try await Self.redeem(fixture, promotion) }
        #expect(refused.reason == reason, "\(String(describing: promotion))")
      }
      // For what is shared, the billing system redeems and nobody else; it is not counted as guessing.
      let user = await refusal {
        try await Self.redeem(fixture, .trial("shared"), of: Self.organization)
      }
      #expect(user.code == .permissionDenied)
      let answer = try await Self.redeem(
        fixture,
        .trial("shared"),
        of: Self.organization,
        by: ServiceFixture.service
      )
      #expect(answer.version == 1)
    }
  }

  @Test("A campaign gives everybody its tier between two instants, and the edges are told ahead")
  func campaign_countsWhileItLasts() async throws {
    let campaign = Self.promotion("party", .campaign) {
      $0.startsAt = TestTime.now + TestTime.second
      $0.endsAt = TestTime.now + 3 * TestTime.second
      $0.subjectKinds = [.user]
    }
    try await Self.run([campaign]) { fixture in
      let before = try await Self.lessons(fixture)
      #expect(!before.allowed)
      #expect(before.validUntil?.milliseconds == TestTime.now + TestTime.second)
      fixture.clock.advance(TestTime.second)
      let during = try await Self.lessons(fixture, Self.bert)
      #expect(during.allowed && during.source == .promotion)
      #expect(during.validUntil?.milliseconds == TestTime.now + 3 * TestTime.second)
      let other = try await fixture.entitlements.checkFeature(
        .init(subject: Self.organization, feature: "lessons"),
        options: ServiceFixture.service
      )
      #expect(!other.allowed)
      fixture.clock.advance(2 * TestTime.second)
      #expect(try await !Self.lessons(fixture).allowed)
    }
  }

  @Test("Trials and campaigns are listed; coupons and their codes are not")
  func listTiers_keepsCodesSecret() async throws {
    let promotions = [
      Self.promotion("try-pro", .trial) { $0.subjectKinds = [.user, .portfolio] },
      Self.promotion("spring", .coupon),
      Self.promotion("party", .campaign) { $0.endsAt = TestTime.now + 1 },
    ]
    try await Self.run(promotions) { fixture in
      let listed = try await fixture.subscriptions.listTiers(
        .init(),
        options: ServiceFixture.user(Self.anna)
      ).promotions
      #expect(listed.map(\.name) == ["party", "try-pro"])
      #expect(listed.map(\.kind) == [.campaign, .trial])
      #expect(listed[1].days == 1 && listed[1].subjectKinds == [.user, .portfolio])
    }
  }

  @Test("What the catalogue no longer has gives nothing, and another catalogue is told of")
  func reload_withoutPromotion_endsIt() async throws {
    try await Self.run([Self.promotion("try-pro", .trial)]) { fixture in
      try await Self.redeem(fixture, .trial("try-pro"))
      #expect(try await Self.lessons(fixture).allowed)
      try await fixture.service.reload(try TestCatalog.load())
      #expect(try await !Self.lessons(fixture).allowed)
    }
  }
}
