import RPCKit
import Testing

/// The matcher behind `pattern` rules.
@Suite struct TextPatternTests {
  private func step(
    _ characters: String,
    _ minimum: Int = 1,
    _ maximum: Int? = 1
  ) -> TextPattern.Step {
    var step = TextPattern.Step(low: 0, high: 0, minimum: minimum, maximum: maximum)
    for byte in characters.utf8 {
      if byte < 64 { step.low |= 1 << UInt64(byte) } else { step.high |= 1 << UInt64(byte - 64) }
    }
    return step
  }

  @Test("A sequence of steps matches the whole value or nothing")
  func steps_match_wholeValue() {
    let pattern = TextPattern([[step("ab", 1, nil), step("-"), step("0123456789", 2, 3)]])
    for text in ["a-12", "abba-123"] { #expect(pattern.matches(text)) }
    for text in ["", "-12", "a-1", "a-1234", "xa-12", "a-12x", "a12", "ä-12"] {
      #expect(!pattern.matches(text))
    }
  }

  @Test("Steps that share characters give back what the next one needs")
  func steps_overlapping_match() {
    let pattern = TextPattern([[step("ab", 0, nil), step("a"), step("ab", 2, 2)]])
    for text in ["abb", "aaa", "bbbabb", "aaaaaa"] { #expect(pattern.matches(text)) }
    for text in ["bbb", "ab", "a", ""] { #expect(!pattern.matches(text)) }
  }

  @Test("Any alternative is enough, and an empty one matches the empty value")
  func alternatives_any_isEnough() {
    let pattern = TextPattern([[step("a")], [], [step("b", 2, 2)]])
    for text in ["a", "", "bb"] { #expect(pattern.matches(text)) }
    for text in ["b", "ab"] { #expect(!pattern.matches(text)) }
  }

  @Test("Only a class of what it does not name contains characters beyond ASCII")
  func steps_beyondASCII_needANegatedClass() {
    var others = step("abc", 1, nil)
    others.containsOthers = true
    let pattern = TextPattern([[others, step("@"), others]])
    for text in ["a@b", "ä@b", "a@ü", "日本@例え"] { #expect(pattern.matches(text), "\(text)") }
    for text in ["ä", "@ü", "ä@", "ä@b@c", "ä b@c"] { #expect(!pattern.matches(text), "\(text)") }
  }

  @Test("What takes a backtracking matcher for ever is linear here")
  func steps_catastrophic_isLinear() {
    let anyNumber = [TextPattern.Step](repeating: step("a", 0, nil), count: 30)
    let pattern = TextPattern([anyNumber + [step("b")]])
    #expect(!pattern.matches(String(repeating: "a", count: 10_000)))
    #expect(pattern.matches(String(repeating: "a", count: 10_000) + "b"))
  }
}
