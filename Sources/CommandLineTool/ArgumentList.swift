/// The words that a command takes, read from the text that its help shows: `USER|EMAIL REASON [NOTE]`.
///
/// A word in brackets may be left out, and one with dots behind it may be repeated.
package struct ArgumentList: Sendable, ExpressibleByStringLiteral {
  /// The names of the words that must be there.
  private let required: [String]
  /// The most words there may be; nil for any number.
  private let countMax: Int?

  /// Reads the text of the help.
  package init(_ text: String) {
    let words = text.split(separator: " ")
    required = words.filter { !$0.hasPrefix("[") }.map { word in
      word.split(separator: "|").joined(separator: " or ")
    }
    countMax = text.hasSuffix("...") ? nil : words.count
  }

  /// As a literal.
  package init(stringLiteral text: String) { self.init(text) }

  /// Refuses words of which one is missing or too many.
  package func check(_ words: [String]) throws(UsageError) {
    guard words.count >= required.count else {
      throw UsageError("missing argument \(required[words.count])")
    }
    if let countMax, words.count > countMax {
      throw UsageError("unexpected argument \"\(words[countMax])\"")
    }
  }
}
