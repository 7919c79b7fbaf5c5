internal import TextEncodings

/// Percent-encoding of paths and queries (RFC 3986 section 2.1).
enum PercentDecoding {
  /// Why text cannot be decoded.
  enum Failure: Error {
    /// A percent sign without two hexadecimal digits behind it.
    case malformed
    /// The decoded bytes are not UTF-8.
    case notUTF8
    /// U+0000, which ends text for programs further down.
    case zero
  }

  /// The text without escapes, decoded once: what it says then stays.
  ///
  /// With `isQuery` a plus sign is a space, and with `keepsSlashes` an escaped slash stays as it is.
  static func decode(
    _ text: Substring.UTF8View,
    isQuery: Bool = false,
    keepsSlashes: Bool = false
  ) throws(Failure) -> String {
    // Most text has no escape.
    let isPlain = text.allSatisfy {
      $0 != UInt8(ascii: "%") && $0 != 0 && ($0 != UInt8(ascii: "+") || !isQuery)
    }
    guard !isPlain else { return String(Substring(text)) }
    let bytes = try Self.bytes(text, isQuery: isQuery, keepsSlashes: keepsSlashes)
    guard !bytes.contains(0) else { throw .zero }
    guard let result = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
    return result
  }

  /// The bytes without escapes, whatever they are: `malformed` is the only failure.
  static func bytes(
    _ text: Substring.UTF8View,
    isQuery: Bool = false,
    keepsSlashes: Bool = false
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      text.formIndex(after: &index)
      guard byte == UInt8(ascii: "%") else {
        bytes.append(isQuery && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        continue
      }
      let escape = text[index...].prefix(2)
      guard escape.count == 2, let high = escape.first?.hexadecimalValue,
        let low = escape.last?.hexadecimalValue
      else { throw .malformed }
      text.formIndex(&index, offsetBy: 2)
      let value = high << 4 | low
      if keepsSlashes, value == UInt8(ascii: "/") {
        bytes.append(UInt8(ascii: "%"))
        bytes += escape
      } else {
        bytes.append(value)
      }
    }
    return bytes
  }
}
