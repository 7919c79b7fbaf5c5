import Foundation
import Testing

@testable import EntitlementService

/// `schemas/catalog.schema.json` against the loader of catalogues.
@Suite("The JSON Schema of catalogues")
struct CatalogSchemaTests {
  private let schema = SchemaFile(name: "catalog.schema.json")

  private func loads(_ text: String) -> Bool { (try? Catalog(json: Array(text.utf8))) != nil }

  @Test("Every catalogue of the repository is valid in both, with and without $schema")
  func files_ofRepository_areValid() throws {
    let folder = SchemaFile.root.appending(path: "tiers").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".json") }
    let texts = try names.map { try SchemaFile.text("tiers/\($0)") } + [Self.everything]
    let named = texts.map {
      $0.replacing(
        "{",
        with: #"{ "$schema": "../schemas/catalog.schema.json","#,
        maxReplacements: 1
      )
    }
    #expect(texts.count >= 2)
    for text in texts + named { #expect(loads(text)) }
    #expect(try schema.refused(texts + named) == [])
  }

  @Test("What is planted is refused by both, or by the loader where a schema cannot say it")
  func mistakes_areRefusedByBoth() throws {
    let texts = try Self.mistakes.map { try $0.planted(in: Self.everything) }
    let refused = try schema.refused(texts)
    for (place, mistake) in Self.mistakes.enumerated() {
      #expect(!loads(texts[place]), "the loader takes \(mistake.wrong)")
      #expect(refused.contains(place) == mistake.isForSchema, "the schema and \(mistake.wrong)")
    }
  }

  private static let mistakes: [PlantedMistake] = [
    .both(#""tiers": ["#, #""teirs": ["#), .both(#""kind": "flag""#, #""kind": "switch""#),
    .both(#""kind": "flag", "default": true"#, #""kind": "flag", "default": 1"#),
    .both(#""kind": "flag", "default": true"#, #""kind": "flag", "metered": "day""#),
    .both(#""metered": "day", "soft": true"#, #""soft": true"#),
    .both(#""metered": "day""#, #""metered": "week""#), .both(#""default": 3"#, #""default": -1"#),
    .both(#""default": 3"#, #""default": "endless""#), .both(#""rank": 0"#, #""rank": -1"#),
    .both(#""rank": 0,"#, ""), .both(#""name": "free""#, #""name": """#),
    .both(#""name": "extra""#, #""name": "extra", "rank": 1"#),
    .both(#""stories": "unlimited""#, #""stories": 1.5"#),
    .both(#""gold": true"#, #""gold": "yes""#), .both(#""days": 30"#, #""days": 0"#),
    .both(#""days": 30"#, #""days": 36601"#), .both(#""days": 30"#, #""days": "P30D""#),
    .both(#""name": "extra""#, #""name": "extra", "days": 30"#),
    .both(#""default_tier": "free""#, #""default_tier": 1"#),
    .both(#""kind": "trial""#, #""kind": "gift""#), .both(#""days": 14"#, #""days": 0"#),
    .both(#""days": 14,"#, ""), .both(#""days": 14"#, #""days": 14, "code": "ABC-12""#),
    .both(#""tier": "paid", "days""#, #""days""#),
    .both(#""tier": "paid", "days""#, #""tier": "paid", "addon": "extra", "days""#),
    .both(#""code": "SPRING-26""#, #""code": "SPRING 26""#),
    .both(#""code": "SPRING-26""#, #""code": "SPR""#), .both(#""code": "SPRING-26","#, ""),
    .both(#""limit": 500"#, #""limit": 0"#), .both(#", "until": "2027-01-01T00:00:00Z""#, ""),
    .both(#""until": "2027-01-01T00:00:00Z""#, #""until": "soon""#),
    .both(#""from": "2026"#, #""days": 1, "from": "2026"#),
    .both(#""for": ["organization"]"#, #""for": []"#),
    .both(#""for": ["organization"]"#, #""for": ["stable"]"#),
    .both(#".monthly", "tier": "paid""#, #".monthly""#),
    .both(#".monthly", "tier": "paid""#, #".monthly", "tier": """#),
    .both(#".monthly", "tier": "paid""#, #".monthly", "tier": ["paid"]"#),
    .both(#""name": "extra""#, #""name": "extra", "tier": "paid""#),
    .loader(#".monthly", "tier": "paid""#, #".monthly", "tier": "gold""#),
    .loader(#""until": "2027-01"#, #""until": "2025-01"#),
    .loader(#""until": "2027-01"#, #""until": "2027-13"#),
    .loader(#""tier": "paid", "days""#, #""tier": "max", "days""#),
    .loader(#""addon": "extra", "days""#, #""addon": "more", "days""#),
    .loader(#""name": "spring""#, #""name": "try-paid""#),
    .loader(#""gold": true"#, #""silver": true"#), .loader(#""gold": true"#, #""gold": 1"#),
    .loader(#""default_tier": "free""#, #""default_tier": "fre""#),
    .loader(#""name": "paid""#, #""name": "free""#),
  ]

  private static let everything = #"""
    {
      "features": {
        "gold": { "kind": "flag" },
        "silver_lining": { "kind": "flag", "default": true },
        "stories": { "kind": "limit", "default": 3 },
        "minutes": { "kind": "limit", "metered": "day", "soft": true }
      },
      "tiers": [
        { "name": "free", "rank": 0, "features": {} },
        { "name": "paid", "rank": 1, "features": { "gold": true, "stories": "unlimited" } }
      ],
      "addons": [{ "name": "extra", "features": { "minutes": 60 } }],
      "products": [
        { "name": "com.example.gold", "features": { "gold": true } },
        { "name": "com.example.season", "days": 30, "features": { "gold": true } },
        { "name": "com.example.monthly", "tier": "paid" },
        { "name": "com.example.yearly", "tier": "paid", "features": { "minutes": 90 } }
      ],
      "promotions": [
        { "name": "try-paid", "kind": "trial", "tier": "paid", "days": 14, "for": ["organization"] },
        { "name": "spring", "kind": "coupon", "code": "SPRING-26", "addon": "extra", "days": 90,
          "limit": 500 },
        { "name": "launch", "kind": "campaign", "tier": "free",
          "from": "2026-12-01T00:00:00Z", "until": "2027-01-01T00:00:00Z" }
      ],
      "default_tier": "free", "unknown_tier": "free"
    }
    """#
}
