extension Metadata {
  /// Reads every `KeyValue { string key=1; string value=2; }` in field `number` of a message.
  init(
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    field number: Int
  ) throws(WireFormatError) {
    self.init()
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (number, .lengthDelimited): try appendPair(bytes, try cursor.lengthDelimited(bytes))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
  }

  private mutating func appendPair(
    _ bytes: Span<UInt8>,
    _ range: Range<Int>
  ) throws(WireFormatError) {
    var key = ""
    var value = ""
    var cursor = WireCursor(range)
    while !cursor.isAtEnd {
      switch try cursor.tag(bytes) {
      case (1, .lengthDelimited): key = try String(bytes, try cursor.lengthDelimited(bytes))
      case (2, .lengthDelimited): value = try String(bytes, try cursor.lengthDelimited(bytes))
      case (_, let type): try cursor.skip(type, bytes)
      }
    }
    appendReceived(key: key, value: value)
  }

  /// Bytes that `append(to:field:)` writes.
  func encodedByteCount(field number: Int) -> Int {
    entries.reduce(0) { $0 + fieldByteCount(number, length: Self.pairByteCount($1)) }
  }

  /// Writes every pair as a `KeyValue` in field `number`.
  func append(to buffer: inout ByteBuffer, field number: Int) {
    for entry in entries {
      buffer.append(varint: UInt64(number << 3 | 2))
      buffer.append(varint: UInt64(Self.pairByteCount(entry)))
      buffer.append(field: 1, utf8: entry.key)
      buffer.append(field: 2, utf8: entry.value)
    }
  }

  private static func pairByteCount(_ entry: Entry) -> Int {
    fieldByteCount(1, length: entry.key.utf8.count)
      + fieldByteCount(2, length: entry.value.utf8.count)
  }
}
