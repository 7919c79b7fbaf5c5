internal import CommandLineTool
internal import TextEncodings

/// Bytes written as hexadecimal digits.
enum HexText {
  /// Reads pairs of digits; blanks between them are skipped.
  static func bytes(_ text: String, option: String) throws(UsageError) -> [UInt8] {
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: " ") {
      guard let digit = byte.hexadecimalValue else {
        throw UsageError("\(option) takes hexadecimal digits only")
      }
      digits.append(digit)
    }
    guard digits.count.isMultiple(of: 2) else {
      throw UsageError("\(option) needs two digits for each byte; there are \(digits.count)")
    }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    guard bytes.count <= EncodedRequests.messageByteCountMax else {
      throw UsageError("a message has at most \(EncodedRequests.messageByteCountMax) bytes")
    }
    return bytes
  }
}
