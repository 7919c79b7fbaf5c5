/// The template of a path as google.api.http writes it (google/api/http.proto, "Path template syntax").
struct PathTemplate {
  /// The demand on one segment of a path.
  enum Segment: Hashable {
    case literal(String)
    /// `*`: any one.
    case single
    /// `**`: any number of them, none included; the last.
    case rest
  }

  /// A field of the request that some segments are the value of.
  struct Variable {
    /// `portfolio_id`, `owner.id`.
    let field: String
    let segments: Range<Int>
  }

  private(set) var segments: [Segment] = []
  private(set) var variables: [Variable] = []
  /// The verb behind the last colon; empty for none.
  private(set) var verb = ""

  static func parse(_ text: String) throws(GeneratorError) -> PathTemplate {
    guard text.hasPrefix("/") else { throw GeneratorError("does not begin with a slash") }
    var parser = PathTemplateParser(Array(text.utf8.dropFirst()))
    var template = PathTemplate()
    try parser.segments(of: &template, inVariable: false)
    if parser.take(":") { template.verb = try parser.literal() }
    guard parser.isAtEnd else { throw GeneratorError("has `\(parser.rest)` where it should end") }
    return template
  }

  fileprivate mutating func append(_ segment: Segment) throws(GeneratorError) {
    guard segments.last != .rest else {
      throw GeneratorError("has something behind `**`, which takes all that follows")
    }
    segments.append(segment)
  }

  fileprivate mutating func append(_ variable: Variable) throws(GeneratorError) {
    guard !variables.contains(where: { $0.field == variable.field }) else {
      throw GeneratorError("names `\(variable.field)` twice")
    }
    variables.append(variable)
  }
}

/// The grammar, by recursive descent.
private struct PathTemplateParser {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) {
    self.text = text
  }

  var isAtEnd: Bool { position == text.count }
  var rest: String { String(decoding: text[position...], as: UTF8.self) }

  mutating func segments(
    of template: inout PathTemplate,
    inVariable: Bool
  ) throws(GeneratorError) {
    repeat {
      if take("{") {
        guard !inVariable else { throw GeneratorError("has a variable inside a variable") }
        try variable(of: &template)
      } else if take("*") {
        try template.append(take("*") ? .rest : .single)
      } else {
        try template.append(.literal(try literal()))
      }
    } while take("/")
  }

  private mutating func variable(of template: inout PathTemplate) throws(GeneratorError) {
    let name = fieldPath()
    guard !name.isEmpty, !name.hasPrefix("."), !name.hasSuffix("."), !name.contains("..") else {
      throw GeneratorError("has a variable without the name of a field")
    }
    let first = template.segments.count
    if take("=") {
      try segments(of: &template, inVariable: true)
    } else {
      try template.append(.single)
    }
    guard take("}") else { throw GeneratorError("has a variable that is not closed with }") }
    try template.append(.init(field: name, segments: first..<template.segments.count))
  }

  private mutating func fieldPath() -> String {
    let start = position
    while let byte = peek, isNameByte(byte) || byte == UInt8(ascii: ".") { position += 1 }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  /// Letters, digits and `-_.~`: what needs no escape in a path (RFC 3986 section 2.3), so a path that
  /// escapes them can be compared once they are decoded.
  mutating func literal() throws(GeneratorError) -> String {
    let start = position
    while let byte = peek, isNameByte(byte) || "-.~".utf8.contains(byte) { position += 1 }
    let literal = String(decoding: text[start..<position], as: UTF8.self)
    guard !literal.isEmpty else { throw GeneratorError("has an empty segment or verb") }
    guard literal != ".", literal != ".." else {
      throw GeneratorError("has the segment `\(literal)`, which no path keeps")
    }
    return literal
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private var peek: UInt8? { position < text.count ? text[position] : nil }

  private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

// MARK: - Which of two templates a path means

extension PathTemplate {
  /// How two templates relate whose HTTP method is the same.
  enum Relation {
    /// No path fits both, or every path that fits one fits the other too, which is the wider one.
    case clear
    /// Exactly the same paths fit both.
    case same
    /// Some paths fit both, and others fit only one or only the other.
    case crossing
  }

  func relation(to other: PathTemplate) -> Relation {
    guard verb == other.verb else { return .clear }
    var isNarrower = false
    var isWider = false
    for index in 0..<max(segments.count, other.segments.count) {
      let mine = index < segments.count ? segments[index] : nil
      let theirs = index < other.segments.count ? other.segments[index] : nil
      switch (mine, theirs) {
      case (.rest, .rest): break
      case (.rest, _): isWider = true
      case (_, .rest): isNarrower = true
      case (nil, _), (_, nil): return .clear
      case (.literal(let first), .literal(let second)):
        if first != second { return .clear }
      case (.literal, .single): isNarrower = true
      case (.single, .literal): isWider = true
      case (.single, .single): break
      }
      if mine == .rest || theirs == .rest { break }
    }
    if isNarrower, isWider { return .crossing }
    return isNarrower || isWider ? .clear : .same
  }
}
