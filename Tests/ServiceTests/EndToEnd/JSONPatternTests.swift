import ServiceKit
import Testing

@Suite("Patterns of answers")
struct JSONPatternTests {
  private static let answer: JSONValue = [
    "id": "a", "count": 2, "none": [], "no": "", "off": false,
    "list": [["n": 1, "m": 2], ["n": 2]],
  ]

  @Test(
    "An answer that has what the pattern names is right, whatever else it has",
    arguments: [
      ["id": "a"], ["id": "<any>"], ["count": 2], ["other": "<absent-or-empty>"],
      ["none": "<absent-or-empty>", "no": "<absent-or-empty>"], ["none": ["<count>": 0]],
      ["other": ["<count>": 0]], ["list": [["n": 1], ["m": "<absent-or-empty>"]]],
      ["list": ["<some>": [["n": 2]]]], ["list": ["<none>": ["n": 3]]],
      ["list": ["<each>": ["n": "<any>"]]], ["list": ["<count>": 2]], ["off": ["<not>": true]],
      ["id": ["<either>": ["b", "a"]]],
    ] as [JSONValue]
  )
  func pattern_right_matches(pattern: JSONValue) {
    #expect(JSONPattern.differences(Self.answer, pattern, at: "answer") == [])
  }

  @Test(
    "An answer that differs is refused with the place of the difference",
    arguments: [
      (["id": "b"], "answer.id"), (["id": ["b"]], "answer.id"), (["count": 3], "answer.count"),
      (["count": "2"], "answer.count"), (["other": "<any>"], "answer.other"),
      (["none": "<any>"], "answer.none"), (["id": "<absent-or-empty>"], "answer.id"),
      (["off": "<absent-or-empty>"], "answer.off"), (["list": [["n": 1]]], "answer.list"),
      (["list": [["n": 1], ["n": 3]]], "answer.list.1.n"), (["id": ["x": 1]], "answer.id"),
      (["list": ["<some>": [["n": 1], ["n": 3]]]], "answer.list"),
      (["list": ["<none>": ["n": 1]]], "answer.list"),
      (["list": ["<each>": ["m": 2]]], "answer.list.1.m"),
      (["list": ["<count>": 3]], "answer.list"),
      (["id": ["<not>": "a"]], "answer.id"), (["id": ["<either>": ["b", "c"]]], "answer.id"),
      (["id": ["<count>": 1]], "answer.id"),
    ] as [(JSONValue, String)]
  )
  func pattern_wrong_isTold(pattern: JSONValue, place: String) {
    let differences = JSONPattern.differences(Self.answer, pattern, at: "answer")
    #expect(differences.count == 1)
    #expect(differences.first?.hasPrefix("\(place) ") == true, "\(differences)")
  }
}
