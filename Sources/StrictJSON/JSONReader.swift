/// The limits of a JSON text.
public struct JSONLimits: Sendable {
  /// Bytes of the whole text, at most.
  public var byteCountMax: Int
  /// Arrays and objects inside one another, at most.
  public var depthMax: Int
  /// Values in the text, members and elements counted, at most.
  public var valueCountMax: Int

  /// Makes limits.
  public init(byteCountMax: Int, depthMax: Int = 32, valueCountMax: Int = 100_000) {
    self.byteCountMax = byteCountMax
    self.depthMax = depthMax
    self.valueCountMax = valueCountMax
  }
}

/// Why a text is not JSON, or not JSON that is accepted.
public struct JSONError: Error, Equatable, CustomStringConvertible {
  /// Which line, counted from 1.
  public let line: Int
  /// Which byte of the line, counted from 1.
  public let column: Int
  /// The problem there.
  public let problem: String

  /// Place and problem.
  public var description: String { "line \(line), column \(column): \(problem)" }
}

/// Reads JSON strictly (RFC 8259): valid UTF-8, no repeated names, nothing after the value, nothing
/// that the grammar does not have, and never past the limits.
public struct JSONReader {
  private let bytes: [UInt8]
  private let limits: JSONLimits
  private var position = 0
  private var depth = 0
  private var valueCount = 0

  /// Reads a whole text.
  public static func read(_ bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONValue {
    var reader = JSONReader(bytes: bytes, limits: limits)
    guard bytes.count <= limits.byteCountMax else {
      throw reader.failure("longer than \(limits.byteCountMax) bytes")
    }
    // Not `String(validating:as:)`, which is generic and looks types up for longer than it validates.
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      throw reader.failure("not valid UTF-8")
    }
    let value = try reader.readValue()
    reader.skipSpace()
    guard reader.position == bytes.count else {
      throw reader.failure("unexpected text after the value")
    }
    return value
  }

  /// Reads a value that lies in a text, behind white space if there is some; the position moves behind it.
  ///
  /// Returns how many values it is, itself included. The text must be valid UTF-8.
  package static func readPart(
    of bytes: [UInt8],
    at position: inout Int,
    limits: JSONLimits
  ) throws(JSONError) -> (value: JSONValue, count: Int) {
    var reader = JSONReader(bytes: bytes, limits: limits)
    reader.position = position
    let value = try reader.readValue()
    position = reader.position
    return (value, reader.valueCount)
  }

  private init(bytes: [UInt8], limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  private mutating func readValue() throws(JSONError) -> JSONValue {
    skipSpace()
    valueCount += 1
    guard valueCount <= limits.valueCountMax else {
      throw failure("more than \(limits.valueCountMax) values")
    }
    guard let byte = peek else { throw failure("expected a value, but the text ends") }
    switch byte {
    case UInt8(ascii: "{"):
      return .object(try nested { reader throws(JSONError) in try reader.readObject() })
    case UInt8(ascii: "["):
      return .array(try nested { reader throws(JSONError) in try reader.readArray() })
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "t"): return try readWord("true", .boolean(true))
    case UInt8(ascii: "f"): return try readWord("false", .boolean(false))
    case UInt8(ascii: "n"): return try readWord("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
    default: throw failure("this does not begin a value")
    }
  }

  private mutating func nested<Result>(
    _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws(JSONError) -> Result {
    depth += 1
    guard depth <= limits.depthMax else {
      throw failure("nested more than \(limits.depthMax) deep")
    }
    position += 1
    let result = try body(&self)
    depth -= 1
    return result
  }

  private mutating func readObject() throws(JSONError) -> JSONObject {
    var object = JSONObject()
    var names = MemberNames()
    if takesClosing(UInt8(ascii: "}")) { return object }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw failure("expected a name in quotes") }
      let name = try readString()
      guard names.insert(name, beside: object) else {
        throw failure("the name \"\(name)\" is there twice")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("expected a colon after the name") }
      object.append(name: name, value: try readValue())
      if takesClosing(UInt8(ascii: "}")) { return object }
      guard take(UInt8(ascii: ",")) else { throw failure("expected a comma or }") }
    }
  }

  private mutating func readArray() throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    if takesClosing(UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try readValue())
      if takesClosing(UInt8(ascii: "]")) { return elements }
      guard take(UInt8(ascii: ",")) else { throw failure("expected a comma or ]") }
    }
  }

  private mutating func readWord(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for byte in "\(word)".utf8 {
      guard take(byte) else { throw failure("this does not begin a value") }
    }
    return value
  }

  private mutating func readNumber() throws(JSONError) -> JSONNumber {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try readDigits() }
    if take(UInt8(ascii: ".")) { try readDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try readDigits()
    }
    // No number that means anything is longer, and converting one costs more than its length.
    guard position - start <= 64 else { throw failure("a number of more than 64 digits") }
    return JSONNumber(verified: String(decoding: bytes[start..<position], as: UTF8.self))
  }

  private mutating func readDigits() throws(JSONError) {
    let start = position
    while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw failure("expected a digit") }
  }
}

extension JSONReader {
  private mutating func readString() throws(JSONError) -> String {
    position += 1
    let start = position
    while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
      position += 1
    }
    // Few strings have an escape in them: the others are there as they will be.
    if take(UInt8(ascii: "\"")) {
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    }
    return try readRest(of: Array(bytes[start..<position]))
  }

  /// The rest of a string from its first escape on.
  private mutating func readRest(of beginning: [UInt8]) throws(JSONError) -> String {
    var text = beginning
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        position += 1
        try readEscape(into: &text)
      case 0..<0x20: throw failure("a control character in a string")
      default:
        text.append(byte)
        position += 1
      }
    }
    throw failure("a string is not closed")
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = peek else { throw failure("a string is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += String(try readScalar()).utf8
    default: throw failure("unknown escape")
    }
  }

  /// A code unit of UTF-16 after `\u`, or two that make a pair.
  private mutating func readScalar() throws(JSONError) -> Character {
    let first = try readCodeUnit()
    var value = first
    if (0xD800..<0xDC00).contains(first) {
      guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
        throw failure("half of a surrogate pair")
      }
      let second = try readCodeUnit()
      guard (0xDC00..<0xE000).contains(second) else { throw failure("half of a surrogate pair") }
      value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw failure("half of a surrogate pair") }
    return Character(scalar)
  }

  private mutating func readCodeUnit() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("expected four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func takesClosing(_ byte: UInt8) -> Bool {
    skipSpace()
    return take(byte)
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private func failure(_ problem: String) -> JSONError {
    let before = bytes[..<min(position, bytes.count)]
    let line = before.count { $0 == 0x0A } + 1
    let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return JSONError(line: line, column: column, problem: problem)
  }
}

/// Finds names that an object has twice, in a time that grows with their number alone.
private struct MemberNames {
  /// Empty while there are so few that comparing them is faster than hashing.
  private var names = Set<String>()

  private static let comparedCountMax = 16

  /// Adds a name; false when one of the members has it.
  mutating func insert(_ name: String, beside object: JSONObject) -> Bool {
    if object.members.count < Self.comparedCountMax { return object[name] == nil }
    if names.isEmpty { names.formUnion(object.members.lazy.map(\.name)) }
    return names.insert(name).inserted
  }
}
