internal import TextEncodings

/// The kinds of bytes that HTTP/1.1 distinguishes.
package enum HTTP1Syntax {
  /// The characters of names and methods (RFC 9110 section 5.6.2).
  package static func isToken(_ byte: UInt8) -> Bool {
    // A bit for each code: names are looked at byte by byte in every request.
    let low: UInt64 = 0x03FF_6CFA_0000_0000
    let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
  }

  /// Whether all bytes belong to a token, of which there is one at least.
  static func isToken(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count > 0 else { return false }
    for index in bytes.indices where !isToken(bytes[index]) { return false }
    return true
  }

  /// The characters of field values (RFC 9110 section 5.5); bytes above 127 are looked at as UTF-8.
  static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  /// Whether all bytes may stand in a field value.
  static func isFieldValue(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where !isFieldValue(bytes[index]) { return false }
    return true
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether the bytes are those of a text.
  static func isEqual(_ bytes: Span<UInt8>, _ text: String) -> Bool {
    guard bytes.count == text.utf8.count else { return false }
    for (index, byte) in text.utf8.enumerated() where bytes[index] != byte { return false }
    return true
  }

  /// Where the bytes are that have no blanks at either end.
  static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
    var range = 0..<bytes.count
    while let first = range.first, isBlank(bytes[first]) { range.removeFirst() }
    while let last = range.last, isBlank(bytes[last]) { range.removeLast() }
    return range
  }

  /// The text of ASCII bytes.
  static func text(_ bytes: Span<UInt8>) -> String {
    // Every caller has seen that the bytes are ASCII, which is UTF-8.
    guard let text = try? UTF8Span(validating: bytes) else {
      preconditionFailure("text was made of bytes that are not ASCII")
    }
    return String(copying: text)
  }

  /// The text of ASCII bytes in lower case.
  static func lowercased(_ bytes: Span<UInt8>) -> String {
    var isLowercase = true
    for index in bytes.indices where bytes[index].isASCIIUppercase { isLowercase = false }
    guard !isLowercase else { return text(bytes) }
    var lowercase: [UInt8] = []
    lowercase.reserveCapacity(bytes.count)
    for index in bytes.indices { lowercase.append(bytes[index].lowercasedASCII) }
    return text(lowercase.span)
  }

  /// The elements of a list (RFC 9110 section 5.6.1) in lower case, empty ones too.
  static func listElements(_ value: String) -> [String] {
    value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      let bytes = Array($0)
      return String(decoding: bytes[trimmed(bytes.span)], as: UTF8.self).lowercased()
    }
  }
}
