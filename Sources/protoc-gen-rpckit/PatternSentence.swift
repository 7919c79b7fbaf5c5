import ProtoSchema

/// The demand of a pattern as a sentence: most callers read no regular expressions.
///
/// Covers words, literal beginnings and one class of characters after them, which is what contracts have; anything
/// else names the pattern.
struct PatternSentence {
  let pattern: String

  private static let known = [
    "[^@ ]+@[^@ ]+": "must be an e-mail address, like name@example.com",
    "[0-9]{4}-[0-9]{2}-[0-9]{2}": "must be a date, like 2026-11-22",
  ]

  /// The demand, from "must" on.
  var text: String {
    if let sentence = Self.known[pattern] { return sentence }
    if let words { return "must be one of \(words.joined(separator: ", "))" }
    // The checker has already refused patterns that do not parse.
    guard let alternatives = try? PatternParser.parse(pattern), alternatives.count == 1,
      let sentence = Self.sentence(of: alternatives[0])
    else { return "must match \(pattern)" }
    return sentence
  }

  private var words: [Substring]? {
    let words = pattern.split(separator: "|", omittingEmptySubsequences: false)
    let areWords = words.allSatisfy { word in
      !word.isEmpty
        && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
    }
    return words.count > 1 && areWords ? words : nil
  }

  /// Literal characters, at most one class once, and one class repeated; nil for anything else.
  private static func sentence(of steps: [PatternParser.Step]) -> String? {
    let prefix = steps.prefix { $0.literal != nil }
    let rest = steps.dropFirst(prefix.count)
    guard let last = rest.last, rest.count <= (prefix.isEmpty ? 2 : 1),
      let kinds = last.members
    else { return nil }
    let members = kinds.map(\.plural).listed("and")
    if !prefix.isEmpty {
      let literal = String(prefix.compactMap(\.literal))
      return "must be \"\(literal)\" followed by \(last.count)\(members)"
    }
    guard rest.count == 2, let first = rest.first else {
      let count = last.count
      return "must \(count.isEmpty ? "consist of" : "be") \(count)\(members)"
    }
    guard first.minimum == 1, first.maximum == 1, let beginnings = first.members else { return nil }
    let start = beginnings.map(\.singular).listed("or")
    let size = last.maximum.map { "at most \($0 + 1) " } ?? ""
    return "must begin with \(start) and consist of \(size)\(members)"
  }
}

/// A kind of characters, for people.
private struct CharacterKind {
  let singular: String
  let plural: String
}

extension PatternParser.Step {
  private static let letters: (small: UInt64, capital: UInt64) = (
    (UInt8(ascii: "a")...UInt8(ascii: "z")).reduce(0) { $0 | 1 << UInt64($1 - 64) },
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).reduce(0) { $0 | 1 << UInt64($1 - 64) }
  )
  private static let digits = (UInt8(ascii: "0")...UInt8(ascii: "9")).reduce(0 as UInt64) {
    $0 | 1 << UInt64($1)
  }

  /// The one character that it stands for, once.
  fileprivate var literal: Character? {
    guard !isNegated, minimum == 1, maximum == 1,
      low.nonzeroBitCount + high.nonzeroBitCount == 1
    else { return nil }
    return characters(low: low, high: high).first
  }

  /// "4 to 6 ", where it is bounded on both sides.
  fileprivate var count: String {
    guard let maximum, minimum > 0 else { return "" }
    return minimum == maximum ? "\(maximum) " : "\(minimum) to \(maximum) "
  }

  /// The kinds of characters that it stands for; nil for a class of what it does not name.
  fileprivate var members: [CharacterKind]? {
    guard !isNegated else { return nil }
    var kinds: [CharacterKind] = []
    var (low, high) = (low, high)
    let (small, capital) = Self.letters
    switch (high & small == small, high & capital == capital) {
    case (true, true): kinds.append(CharacterKind(singular: "a letter", plural: "letters"))
    case (true, false):
      kinds.append(CharacterKind(singular: "a small letter", plural: "small letters"))
    case (false, true):
      kinds.append(CharacterKind(singular: "a capital letter", plural: "capital letters"))
    case (false, false): break
    }
    if high & small == small { high &= ~small }
    if high & capital == capital { high &= ~capital }
    if low & Self.digits == Self.digits {
      kinds.append(CharacterKind(singular: "a digit", plural: "digits"))
      low &= ~Self.digits
    }
    if low & 1 << 32 != 0 {
      kinds.append(CharacterKind(singular: "a blank", plural: "blanks"))
      low &= ~(1 << 32)
    }
    for character in characters(low: low, high: high) {
      kinds.append(CharacterKind(singular: "\"\(character)\"", plural: "\"\(character)\""))
    }
    return kinds
  }

  private func characters(low: UInt64, high: UInt64) -> [Character] {
    var found: [Character] = []
    for code in UInt8(0)..<128 {
      let (word, bit) = code < 64 ? (low, code) : (high, code - 64)
      if word >> UInt64(bit) & 1 == 1 { found.append(Character(UnicodeScalar(code))) }
    }
    return found
  }
}

extension [String] {
  /// "letters, digits and blanks": all of them, `last` before the last one.
  fileprivate func listed(_ last: String) -> String {
    guard count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(last) \(self[count - 1])"
  }
}
