/// Parses a line of `Forwarded` (RFC 7239 section 4).
///
/// All of a line or nothing: a quote that a client leaves open reaches into what the next proxy writes behind it,
/// and then nobody can tell whose words are whose.
struct ForwardedElements {
  private let bytes: [UInt8]
  private var index = 0

  private init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// The value of `for` of each element, from left to right, without quotes; nil if the line is malformed or an
  /// element has none.
  static func nodes(of line: String) -> [String]? {
    var parser = ForwardedElements(line)
    return parser.nodes()
  }

  private mutating func nodes() -> [String]? {
    var nodes: [String] = []
    while true {
      guard let node = element() else { return nil }
      nodes.append(node)
      skipSpace()
      guard index < bytes.count else { return nodes }
      guard take(",") else { return nil }
      skipSpace()
    }
  }

  /// Pairs between semicolons, none of which may come twice.
  private mutating func element() -> String? {
    var names: Set<String> = []
    var node: String?
    skipSpace()
    repeat {
      guard let name = token()?.lowercased(), take("="), let value = value(),
        names.insert(name).inserted
      else { return nil }
      if name == "for" { node = value }
    } while take(";")
    return node
  }

  private mutating func value() -> String? {
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return token() }
    return quotedString()
  }

  /// RFC 9110 section 5.6.4; its text is ASCII here.
  private mutating func quotedString() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while index < bytes.count {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") {
        guard index < bytes.count else { return nil }
        byte = bytes[index]
        index += 1
      }
      guard (0x20...0x7E).contains(byte) || byte == UInt8(ascii: "\t") else { return nil }
      text.append(byte)
    }
    return nil
  }

  /// RFC 9110 section 5.6.2; nil if there is none.
  private mutating func token() -> String? {
    let start = index
    while index < bytes.count, HTTP1Syntax.isToken(bytes[index]) { index += 1 }
    guard index > start else { return nil }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() {
    while index < bytes.count,
      bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t")
    {
      index += 1
    }
  }
}
