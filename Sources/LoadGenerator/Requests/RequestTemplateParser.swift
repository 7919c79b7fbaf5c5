internal import CommandLineTool
internal import TextEncodings

/// Reads the text of a template; see `RequestTemplate`.
struct RequestTemplateParser {
  private static let byteCountMax = 1 << 20
  private static let depthMax = 32
  private static let fieldNumberMax: UInt64 = (1 << 29) - 1

  private let text: [UInt8]
  private let option: String
  private var offset = 0

  init(_ text: String, option: String = "--template") {
    self.text = Array(text.utf8)
    self.option = option
  }

  /// Reads text in which only places to fill in mean something; see `TextTemplate`.
  mutating func parseText() throws(UsageError) -> [RequestTemplate.TextPart] {
    guard text.count <= Self.byteCountMax else {
      throw UsageError("\(option) has at most \(Self.byteCountMax) bytes")
    }
    var parts: [RequestTemplate.TextPart] = []
    var bytes: [UInt8] = []
    while let byte = peek {
      if let placeholder = try placeholder() {
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        bytes = []
        parts.append(.placeholder(placeholder))
      } else {
        bytes.append(byte)
        offset += 1
      }
    }
    return bytes.isEmpty ? parts : parts + [.bytes(bytes)]
  }

  /// Reads the whole text.
  mutating func parse() throws(UsageError) -> [RequestTemplate.Field] {
    guard text.count <= Self.byteCountMax else {
      throw UsageError("--template has at most \(Self.byteCountMax) bytes")
    }
    return try fields(depth: 0)
  }

  /// Fields up to the end, or up to the brace that closes a nested message.
  private mutating func fields(depth: Int) throws(UsageError) -> [RequestTemplate.Field] {
    guard depth <= Self.depthMax else {
      throw problem("messages are nested deeper than \(Self.depthMax)")
    }
    var fields: [RequestTemplate.Field] = []
    while true {
      skipBlanks()
      guard let byte = peek else {
        guard depth == 0 else { throw problem("a closing brace is missing") }
        return fields
      }
      if byte == UInt8(ascii: "}"), depth > 0 {
        offset += 1
        return fields
      }
      fields.append(try field(depth: depth))
    }
  }

  private mutating func field(depth: Int) throws(UsageError) -> RequestTemplate.Field {
    guard let number = decimal(), (1...Self.fieldNumberMax).contains(number) else {
      throw problem("a field number from 1 to \(Self.fieldNumberMax) is expected")
    }
    skipBlanks()
    let hasColon = take(":")
    skipBlanks()
    let value = try value(depth: depth)
    if case .message = value {
    } else if !hasColon {
      throw problem("a colon is expected between field number and value")
    }
    return RequestTemplate.Field(number: UInt32(number), value: value)
  }

  private mutating func value(depth: Int) throws(UsageError) -> RequestTemplate.Value {
    if take("\"") { return .text(try quoted()) }
    if let placeholder = try placeholder() { return .filled(placeholder) }
    if take("{") { return .message(try fields(depth: depth + 1)) }
    if take("0x") { return try fixed() }
    if take("true") { return .varint(1) }
    if take("false") { return .varint(0) }
    let isNegative = take("-")
    guard let number = decimal() else {
      throw problem("a value is expected: \"text\", 42, -1, 0x0000002a, true, {n} or { … }")
    }
    guard isNegative else { return .varint(number) }
    guard number <= 1 << 63 else { throw problem("the number does not fit into 64 bits") }
    return .varint(0 &- number)
  }

  /// As protoc prints them: 8 digits for fixed32 and float, 16 for fixed64 and double.
  private mutating func fixed() throws(UsageError) -> RequestTemplate.Value {
    var value: UInt64 = 0
    var digitCount = 0
    while digitCount <= 16, let byte = peek, let digit = byte.hexadecimalValue {
      value = value << 4 | UInt64(digit)
      digitCount += 1
      offset += 1
    }
    switch digitCount {
    case 8: return .fixed32(UInt32(value))
    case 16: return .fixed64(value)
    default: throw problem("a fixed value has 8 digits (32 bits) or 16 digits (64 bits)")
    }
  }

  // MARK: - Text

  private mutating func quoted() throws(UsageError) -> [RequestTemplate.TextPart] {
    var parts: [RequestTemplate.TextPart] = []
    var bytes: [UInt8] = []
    while true {
      if let placeholder = try placeholder() {
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        bytes = []
        parts.append(.placeholder(placeholder))
        continue
      }
      if take("{{") {
        bytes.append(UInt8(ascii: "{"))
        continue
      }
      guard let byte = peek else { throw problem("a closing quotation mark is missing") }
      guard byte != UInt8(ascii: "{") else {
        throw problem("{n}, {random} or {{ is expected here")
      }
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        return parts
      case UInt8(ascii: "\\"): bytes.append(try escaped())
      default: bytes.append(byte)
      }
    }
  }

  /// The C escapes that protoc writes.
  private mutating func escaped() throws(UsageError) -> UInt8 {
    guard let byte = peek else { throw problem("the text ends inside an escape") }
    if let first = octalDigit(byte) {
      var value = 0
      var digit: Int? = first
      var count = 0
      while count < 3, let next = digit {
        value = value * 8 + next
        offset += 1
        count += 1
        digit = peek.flatMap(octalDigit)
      }
      guard let result = UInt8(exactly: value) else {
        throw problem("the octal escape is too large")
      }
      return result
    }
    offset += 1
    switch byte {
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"): return byte
    case UInt8(ascii: "x"):
      guard let high = peek?.hexadecimalValue else { break }
      offset += 1
      guard let low = peek?.hexadecimalValue else { break }
      offset += 1
      return high << 4 | low
    default: break
    }
    throw problem("this escape is not known; \\n \\r \\t \\\" \\\\ \\x41 and \\101 are")
  }

  private func octalDigit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) ? Int(byte) - 48 : nil
  }

  /// `{n}`, `{n:10}`, `{random}`, `{random:10}`; nil when something else stands here.
  private mutating func placeholder() throws(UsageError) -> RequestTemplate.Placeholder? {
    for (name, isRandom) in [("{n", false), ("{random", true)] {
      let start = offset
      guard take(name) else { continue }
      var limit: UInt64?
      if take(":") {
        guard let number = decimal(), number > 0 else {
          throw problem("a limit above 0 is expected after the colon")
        }
        limit = number
      }
      guard take("}") else {
        offset = start
        throw problem("{n}, {n:LIMIT}, {random} or {random:LIMIT} is expected here")
      }
      return isRandom ? .random(limit: limit) : .number(limit: limit)
    }
    return nil
  }

  // MARK: - Characters

  private var peek: UInt8? { offset < text.count ? text[offset] : nil }

  private mutating func take(_ word: String) -> Bool {
    guard text[offset...].starts(with: word.utf8) else { return false }
    offset += word.utf8.count
    return true
  }

  private mutating func skipBlanks() {
    while let byte = peek, byte == 32 || (9...13).contains(byte) { offset += 1 }
  }

  private mutating func decimal() -> UInt64? {
    var value: UInt64?
    while let byte = peek, byte.isASCIIDigit {
      let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - 48))
      guard !overflow, !carry else { return nil }
      value = sum
      offset += 1
    }
    return value
  }

  private func problem(_ what: String) -> UsageError {
    UsageError("\(option), at byte \(offset): \(what)")
  }
}
