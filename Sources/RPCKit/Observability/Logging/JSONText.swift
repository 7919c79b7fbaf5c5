/// JSON strings, for log lines and the admin port.
package enum JSONText {
  /// Text between quotes.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendQuoted(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends text between quotes.
  package static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if isPlain(text.utf8.span) {
      bytes += text.utf8
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether text is ASCII of which nothing is escaped; nearly all text is.
  package static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C else { return false }
    }
    return true
  }

  /// Appends one scalar, escaped where needed.
  ///
  /// That is where JSON asks for it (RFC 8259, section 7) and where a terminal or a line-based tool
  /// could be fooled: C1 controls, line and paragraph separators, and the marks that change the
  /// direction of text.
  static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar.value {
    // What is plain comes first: a policy is text of a hundred thousand scalars.
    case 0x20...0x21, 0x23...0x5B, 0x5D..<0x7F: bytes.append(UInt8(scalar.value))
    case 0x22: bytes += #"\""#.utf8
    case 0x5C: bytes += #"\\"#.utf8
    case 0x0A: bytes += #"\n"#.utf8
    case 0x0D: bytes += #"\r"#.utf8
    case 0x09: bytes += #"\t"#.utf8
    case 0x00..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      bytes += #"\u"#.utf8
      for shift in [12, 8, 4, 0] as [UInt32] {
        let digit = UInt8(scalar.value >> shift & 0xF)
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    }
  }
}
