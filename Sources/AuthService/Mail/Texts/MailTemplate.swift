/// The text of a mail with places for values: `{{name}}`, and nothing more clever than that.
struct MailTemplate: Hashable, Sendable {
  /// A mistake in a template, for people.
  struct Fault: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  /// Where values go in, and how they are written there.
  enum Format: Sendable {
    /// One line: control characters become blanks.
    case text
    /// The same, with the characters escaped that mean something in HTML or in an attribute.
    case html
  }

  private enum Piece: Hashable, Sendable {
    case literal(String)
    case value(String)
  }

  private let pieces: [Piece]

  /// Reads a template.
  ///
  /// Throws `Fault` for a name that is not among `placeholders`, and for one that does not end.
  init(_ text: String, placeholders: Set<String>) throws(Fault) {
    var pieces: [Piece] = []
    var rest = Array(text.utf8)[...]
    while let start = Self.pair(UInt8(ascii: "{"), in: rest) {
      if start > rest.startIndex { pieces.append(.literal(Self.text(rest[..<start]))) }
      rest = rest[(start + 2)...]
      guard let end = Self.pair(UInt8(ascii: "}"), in: rest) else {
        throw Fault(description: "a placeholder that begins with {{ has no end; close it with }}")
      }
      let name = Self.text(rest[..<end])
      guard placeholders.contains(name) else {
        let known = placeholders.sorted().map { "{{\($0)}}" }.joined(separator: ", ")
        throw Fault(description: "{{\(name.prefix(40))}} is unknown here; use \(known)")
      }
      pieces.append(.value(name))
      rest = rest[(end + 2)...]
    }
    if !rest.isEmpty { pieces.append(.literal(Self.text(rest))) }
    self.pieces = pieces
  }

  /// Where a byte is first followed by itself.
  private static func pair(_ byte: UInt8, in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.indices.dropLast().first { bytes[$0] == byte && bytes[$0 + 1] == byte }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// The placeholders that it uses.
  var names: Set<String> {
    Set(pieces.compactMap { if case .value(let name) = $0 { name } else { nil } })
  }

  /// The text with values in their places; one that is not given is empty.
  func filled(_ values: [String: String], _ format: Format) -> String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .value(let name): Self.written(values[name] ?? "", format)
      }
    }.joined()
  }

  private static func written(_ value: String, _ format: Format) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&" where format == .html: text += "&amp;"
      case "<" where format == .html: text += "&lt;"
      case ">" where format == .html: text += "&gt;"
      case "\"" where format == .html: text += "&quot;"
      case "'" where format == .html: text += "&#39;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += " "
      case "\u{2028}", "\u{2029}": text += " "
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
