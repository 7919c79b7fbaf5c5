import TestingContracts
import RPCKit
import Testing

/// The rules of `(gatehouse.field)`.
@Suite struct ValidationTests {
  private typealias Ruled = Testing_V1.Ruled

  private static var valid: Testing_V1.Ruled {
    Testing_V1.Ruled(
      name: "ann-1",
      mood: .happy,
      tags: ["a"],
      since: Google_Protobuf.Timestamp()
    )
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var field: String
    var description: String
    var reason = ""
    var change: @Sendable (inout Testing_V1.Ruled) -> Void
    var testDescription: String { "\(field) \(description)" }
  }

  static let cases: [Case] = [
    Case(field: "name", description: "must be set") { $0.name = "" },
    Case(field: "name", description: "must have at least 2 bytes") { $0.name = "a" },
    Case(field: "name", description: "must have at most 8 bytes") { $0.name = "abcdefghi" },
    Case(
      field: "name",
      description: "must begin with a small letter and consist of small letters, digits and \"-\""
    ) { $0.name = "Ann" },
    Case(field: "stars", description: "must be at least 1") { $0.stars = -1 },
    Case(field: "stars", description: "must be at most 5") { $0.stars = 6 },
    Case(field: "mood", description: "must be set") { $0.mood = .unspecified },
    Case(field: "mood", description: "must be a value that the contract names") {
      $0.mood = Testing_V1.Mood(rawValue: 99)
    },
    Case(field: "tags", description: "must have at least 1 items") { $0.tags = [] },
    Case(field: "tags", description: "must have at most 3 items") {
      $0.tags = ["a", "b", "c", "d"]
    },
    Case(field: "tags[1]", description: "must have at most 4 bytes") { $0.tags = ["a", "abcde"] },
    Case(field: "inner.name", description: "must be set") {
      var inner = ValidationTests.valid
      inner.name = ""
      $0.inner = inner
    },
    Case(field: "others", description: "must have at most 2 items") {
      $0.others = [ValidationTests.valid, ValidationTests.valid, ValidationTests.valid]
    },
    Case(field: "others[1].stars", description: "must be at most 5") {
      var other = ValidationTests.valid
      other.stars = 9
      $0.others = [ValidationTests.valid, other]
    },
    Case(field: "named[\"k\"].mood", description: "must be set") {
      var other = ValidationTests.valid
      other.mood = .unspecified
      $0.named = ["k": other]
    },
    Case(field: "key", description: "must have at least 16 bytes") { $0.key = [] },
    Case(field: "key", description: "must have at most 16 bytes") {
      $0.key = [UInt8](repeating: 0, count: 17)
    },
    Case(field: "ratio", description: "must be at most 1") { $0.ratio = 1.5 },
    Case(field: "email", description: "must match [a-z.]+@[a-z.]+|none") {
      $0.contact = .email("nobody")
    },
    Case(field: "friend.tags", description: "must have at least 1 items") {
      var friend = ValidationTests.valid
      friend.tags = []
      $0.contact = .friend(friend)
    },
    Case(field: "since", description: "must be set") { $0.since = nil },
    Case(field: "title", description: "must not be only white space", reason: "TEXT_BLANK") {
      $0.title = "   "
    },
    Case(
      field: "title",
      description: "must not contain U+202E, which changes the direction of text",
      reason: "TEXT_BIDIRECTIONAL_CONTROL"
    ) { $0.title = "a\u{202E}b" },
    Case(
      field: "nicknames[1]",
      description: "must not contain the control character U+0000",
      reason: "TEXT_CONTROL_CHARACTER"
    ) { $0.nicknames = ["a", "b\0"] },
    Case(
      field: "note",
      description: "must not contain U+200B, which is invisible",
      reason: "TEXT_INVISIBLE_CHARACTER"
    ) { $0.note = "a\nb\u{200B}" },
    Case(field: "title", description: "must have at most 64 bytes") {
      $0.title = String(repeating: "\0", count: 65)
    },
    Case(field: "hints", description: "must have at most 2 items") {
      $0.hints = ["a": "too long", "b": "", "c": ""]
    },
    Case(field: "hints", description: "must have keys of at most 4 bytes") {
      $0.hints = ["abcde": ""]
    },
    Case(field: "hints[\"k\"]", description: "must have at most 4 bytes") {
      $0.hints = ["k": "abcde"]
    },
    Case(field: "extra", description: "must have at most 32 bytes encoded") {
      $0.extra = Google_Protobuf.Struct(fields: [
        "k": Google_Protobuf.Value(kind: .stringValue(String(repeating: "x", count: 32)))
      ])
    },
  ]

  private func violations(_ message: some Message) -> [FieldViolation] {
    var violations: [FieldViolation] = []
    message.validate(path: "", into: &violations)
    return violations
  }

  @Test("A message that keeps every rule has no violations")
  func rules_allKept_noViolations() {
    #expect(violations(Self.valid) == [])
    var full = Self.valid
    full.stars = 5
    full.key = [UInt8](repeating: 1, count: 16)
    full.ratio = 0
    full.contact = .email("a.b@c.d")
    full.inner = Self.valid
    full.title = "Anna Müller"
    full.nicknames = ["آنا", "安娜"]
    full.note = "one\n\ttwo"
    full.hints = ["key1": "val1"]
    full.extra = Google_Protobuf.Struct(fields: ["k": Google_Protobuf.Value()])
    #expect(violations(full) == [])
    full.contact = .email("none")
    #expect(violations(full) == [])
  }

  @Test("One broken rule is one violation that names field and rule", arguments: cases)
  func rule_broken_isNamed(_ example: Case) {
    var message = Self.valid
    example.change(&message)
    #expect(
      violations(message) == [
        FieldViolation(
          field: example.field,
          description: example.description,
          reason: example.reason
        )
      ]
    )
  }

  @Test("All broken rules are reported at once, in the order of the fields")
  func rules_manyBroken_allReported() {
    var message = Testing_V1.Ruled(stars: 9, ratio: .nan)
    message.key = [1]
    #expect(
      violations(message).map(\.field) == [
        "name", "stars", "mood", "tags", "key", "ratio", "ratio", "since",
      ]
    )
  }

  @Test("The path of an outer message is in front")
  func path_ofOuterMessage_isInFront() {
    var violations: [FieldViolation] = []
    var message = Self.valid
    message.name = ""
    message.validate(path: "guests[2].", into: &violations)
    #expect(violations.map(\.field) == ["guests[2].name"])
  }

  @Test("A message without rules has nothing to break")
  func rules_none_noViolations() {
    #expect(violations(RichExamples.everything) == [])
  }
}
