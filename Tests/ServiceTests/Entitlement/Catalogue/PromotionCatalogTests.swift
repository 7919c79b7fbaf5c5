import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Promotions of a catalogue")
struct PromotionCatalogTests {
  private func catalog(_ promotions: String) throws -> Catalog {
    let text = """
      {"features": {"lessons": {"kind": "flag"}},
       "tiers": [{"name": "pro", "rank": 1, "features": {"lessons": true}}],
       "addons": [{"name": "extra", "features": {"lessons": true}}],
       "promotions": \(promotions)}
      """
    return try Catalog(json: Array(text.utf8))
  }

  @Test("Trials, coupons and campaigns are read with everything they say")
  func read_all() throws {
    let catalog = try catalog(
      """
      [{"name": "try", "kind": "trial", "tier": "pro", "days": 14, "for": ["organization"],
        "from": "1970-01-01T00:00:01Z", "until": "1970-01-01T00:00:02Z", "limit": 5},
       {"name": "spring", "kind": "coupon", "addon": "extra", "days": 1, "code": "spring-26"},
       {"name": "all", "kind": "campaign", "tier": "pro", "until": "1970-01-01T00:00:09Z"}]
      """
    )
    #expect(catalog.promotions.map(\.name) == ["all", "spring", "try"])
    let trial = try #require(catalog.promotion("try"))
    #expect(trial.kind == .trial && trial.gift == .tier("pro") && trial.duration == 1_209_600_000)
    #expect(trial.subjectKinds == [.organization] && trial.countMax == 5)
    #expect(trial.startsAt == 1000 && trial.endsAt == 2000)
    #expect(!trial.isOpen(at: 999) && trial.isOpen(at: 1000))
    #expect(trial.isOpen(at: 1999) && !trial.isOpen(at: 2000))
    let coupon = try #require(catalog.coupon(code: "Spring-26"))
    #expect(coupon.name == "spring" && coupon.gift == .addon("extra"))
    #expect(coupon.subjectKinds == Set(Subject.Kind.allCases) && coupon.countMax == nil)
    #expect(catalog.coupon(code: "SPRING") == nil && catalog.coupon(code: "") == nil)
    #expect(catalog.promotion("all")?.endsAt == 9000)
  }

  @Test(
    "What is missing, misspelt or does not exist is named",
    arguments: [
      (#"[{"name": "", "kind": "trial", "tier": "pro", "days": 1}]"#, "promotions[0].name"),
      (#"[{"name": "a", "kind": "gift", "tier": "pro", "days": 1}]"#, "promotions[0].kind"),
      (#"[{"name": "a", "kind": "trial", "tier": "max", "days": 1}]"#, "promotions[0].tier"),
      (#"[{"name": "a", "kind": "trial", "addon": "max", "days": 1}]"#, "promotions[0].addon"),
      (#"[{"name": "a", "kind": "trial", "days": 1}]"#, "promotions[0]: must give"),
      (
        #"[{"name": "a", "kind": "trial", "tier": "pro", "addon": "extra", "days": 1}]"#,
        "promotions[0]: must give"
      ),
      (#"[{"name": "a", "kind": "trial", "tier": "pro"}]"#, "promotions[0].days"),
      (#"[{"name": "a", "kind": "trial", "tier": "pro", "days": 0}]"#, "promotions[0].days"),
      (
        #"[{"name": "a", "kind": "trial", "tier": "pro", "days": 1, "code": "ABCDEF"}]"#,
        "promotions[0].code"
      ),
      (#"[{"name": "a", "kind": "coupon", "tier": "pro", "days": 1}]"#, "promotions[0].code"),
      (
        #"[{"name": "a", "kind": "coupon", "tier": "pro", "days": 1, "code": "ABCDE"}]"#,
        "promotions[0].code"
      ),
      (
        #"[{"name": "a", "kind": "coupon", "tier": "pro", "days": 1, "code": "ABC DEF"}]"#,
        "promotions[0].code"
      ),
      (#"[{"name": "a", "kind": "campaign", "tier": "pro"}]"#, "promotions[0]: needs"),
      (
        #"[{"name": "a", "kind": "campaign", "tier": "pro", "until": "soon"}]"#,
        "promotions[0].until"
      ),
      (
        #"""
        [{"name": "a", "kind": "campaign", "tier": "pro", "from": "2026-01-02T00:00:00Z",
          "until": "2026-01-02T00:00:00Z"}]
        """#,
        "promotions[0]: must not end"
      ),
      (
        #"[{"name": "a", "kind": "trial", "tier": "pro", "days": 1, "for": []}]"#,
        "promotions[0].for"
      ),
      (
        #"[{"name": "a", "kind": "trial", "tier": "pro", "days": 1, "for": ["stable"]}]"#,
        "promotions[0].for[0]"
      ),
      (
        #"""
        [{"name": "a", "kind": "trial", "tier": "pro", "days": 1},
         {"name": "a", "kind": "trial", "tier": "pro", "days": 1}]
        """#,
        "promotions[1].name"
      ),
      (
        #"""
        [{"name": "a", "kind": "coupon", "tier": "pro", "days": 1, "code": "ABCDEF"},
         {"name": "b", "kind": "coupon", "tier": "pro", "days": 1, "code": "abcdef"}]
        """#,
        "promotions[1].code"
      ),
    ]
  )
  func read_bad_isNamed(promotions: String, place: String) {
    let error = #expect(throws: JSONDecodingError.self) { try catalog(promotions) }
    #expect(error?.description.hasPrefix(place) == true, "\(String(describing: error))")
  }
}
