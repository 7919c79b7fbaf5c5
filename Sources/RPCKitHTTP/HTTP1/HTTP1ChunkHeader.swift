internal import TextEncodings

/// The line in front of a chunk (RFC 9112 section 7.1).
enum HTTP1ChunkHeader {
  /// The most bytes that the extensions of one chunk may have.
  static let extensionByteCountMax = 256
  /// The most bytes that the extensions of all chunks of a request may have.
  static let extensionTotalByteCountMax = 16 << 10
  /// Longest size, with zeros in front.
  private static let digitCountMax = 16
  /// Longest line without its end.
  static let byteCountMax = digitCountMax + extensionByteCountMax

  /// The size of the chunk and how many bytes its extensions have, which are not looked at otherwise.
  static func read(
    _ line: Span<UInt8>
  ) throws(HTTP1Rejection) -> (size: Int, extensionByteCount: Int) {
    let refused = HTTP1Rejection.badRequest("the size of a chunk is not a hexadecimal number")
    var size = 0
    var end = 0
    while end < line.count, let digit = line[end].hexadecimalValue {
      guard end < digitCountMax, size <= Int.max >> 4 else { throw refused }
      size = size << 4 | Int(digit)
      end += 1
    }
    guard end > 0 else { throw refused }
    guard end < line.count else { return (size, 0) }
    try checkExtensions(line.extracting(end..<line.count))
    return (size, line.count - end)
  }

  /// `;name`, `;name=token`, `;name="text"`, as many as there are, without blanks between.
  private static func checkExtensions(_ bytes: Span<UInt8>) throws(HTTP1Rejection) {
    let refused = HTTP1Rejection.badRequest("what follows the size of a chunk is no extension")
    guard bytes.count <= extensionByteCountMax else {
      throw .badRequest("the extensions of a chunk are too long")
    }
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: ";"), let nameEnd = token(bytes, index + 1) else {
        throw refused
      }
      index = nameEnd
      guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
      guard let valueEnd = token(bytes, index + 1) ?? quoted(bytes, index + 1) else {
        throw refused
      }
      index = valueEnd
    }
  }

  /// Where a token ends that begins here.
  private static func token(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    var end = start
    while end < bytes.count, HTTP1Syntax.isToken(bytes[end]) { end += 1 }
    return end > start ? end : nil
  }

  /// Where a quoted string ends that begins here (RFC 9110 section 5.6.4).
  private static func quoted(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else { return nil }
    var index = start + 1
    while index < bytes.count, HTTP1Syntax.isFieldValue(bytes[index]) {
      if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}
