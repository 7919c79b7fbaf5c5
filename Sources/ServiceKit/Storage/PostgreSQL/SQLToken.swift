/// A piece of a statement, as far as translations look at it.
enum SQLToken: Equatable {
  /// A keyword, a name or a number.
  case word(String)
  /// A text or a name in quotes, with them.
  case quoted(String)
  /// The place of a value: `?`, or `?2` with its number.
  case value(Int?)
  /// Bytes, `x'…'`, their digits.
  case bytes(String)
  /// Space and comments.
  case space(String)
  /// One other character.
  case other(String)

  /// The piece as it was written.
  var text: String {
    switch self {
    case .word(let text), .quoted(let text), .space(let text), .other(let text): text
    case .value(let number): "?\(number.map(String.init) ?? "")"
    case .bytes(let digits): "x'\(digits)'"
    }
  }

  /// The name or keyword that it is, without quotes.
  var name: String? {
    switch self {
    case .word(let name): name
    case .quoted(let name) where name.hasPrefix("\""): String(name.dropFirst().dropLast())
    default: nil
    }
  }

  /// The pieces of a statement, in order.
  static func all(in sql: String) -> [SQLToken] {
    var reader = Reader(bytes: Array(sql.utf8))
    var tokens: [SQLToken] = []
    while let token = reader.next() { tokens.append(token) }
    return tokens
  }

  private struct Reader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> SQLToken? {
      guard place < bytes.count else { return nil }
      let first = bytes[place]
      switch first {
      case UInt8(ascii: "'"), UInt8(ascii: "\""): return .quoted(quoted(by: first))
      case UInt8(ascii: "?"): return value()
      case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
        return .space(take { $0 != UInt8(ascii: "\n") })
      case UInt8(ascii: "x") where byte(1) == UInt8(ascii: "'"),
        UInt8(ascii: "X") where byte(1) == UInt8(ascii: "'"):
        place += 1
        return .bytes(String(quoted(by: UInt8(ascii: "'")).dropFirst().dropLast()))
      default:
        if Self.isSpace(first) { return .space(take(Self.isSpace)) }
        if Self.isWord(first) { return .word(take(Self.isWord)) }
        place += 1
        return .other(String(decoding: [first], as: UTF8.self))
      }
    }

    private func byte(_ distance: Int) -> UInt8? {
      place + distance < bytes.count ? bytes[place + distance] : nil
    }

    private mutating func take(_ belongs: (UInt8) -> Bool) -> String {
      let start = place
      while place < bytes.count, belongs(bytes[place]) { place += 1 }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// To the quote that is not doubled.
    private mutating func quoted(by quote: UInt8) -> String {
      let start = place
      place += 1
      while let next = byte(0) {
        place += 1
        guard next == quote else { continue }
        guard byte(0) == quote else { break }
        place += 1
      }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func value() -> SQLToken {
      place += 1
      return .value(Int(take { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// Letters, digits, `_`, and whatever is not ASCII.
    private static func isWord(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
        true
      default: false
      }
    }
  }
}
