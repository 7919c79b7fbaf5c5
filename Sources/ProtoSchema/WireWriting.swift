/// Fields in protobuf's wire format (protobuf.dev/programming-guides/encoding).
package enum WireWriting {
  package static func varint(_ value: UInt64, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3) + base128(value)
  }

  /// A signed number whose small magnitudes are short.
  package static func zigzag(_ value: Int64, field number: Int) -> [UInt8] {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63), field: number)
  }

  package static func fixed32(_ value: UInt32, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  package static func fixed64(_ value: UInt64, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  package static func bytes(_ bytes: [UInt8], field number: Int) -> [UInt8] {
    var field: [UInt8] = []
    field.reserveCapacity(bytes.count + 10)
    append(base128: UInt64(number) << 3 | 2, to: &field)
    append(base128: UInt64(bytes.count), to: &field)
    field += bytes
    return field
  }

  package static func text(_ text: String, field number: Int) -> [UInt8] {
    bytes(Array(text.utf8), field: number)
  }

  /// A field as it was read.
  package static func field(_ number: Int, _ value: WireFields.Value) -> [UInt8] {
    switch value {
    case .varint(let value): varint(value, field: number)
    case .fixed32(let bits): fixed32(bits, field: number)
    case .fixed64(let bits): fixed64(bits, field: number)
    case .bytes(let content): bytes(Array(content), field: number)
    }
  }

  /// A message with other fields in the place of those for which `body` returns some.
  package static func rewritten(
    _ message: ArraySlice<UInt8>,
    _ body: (_ number: Int, _ value: WireFields.Value) throws(SchemaError) -> [UInt8]?
  ) throws(SchemaError) -> [UInt8] {
    var bytes: [UInt8] = []
    var fields = WireFields(message)
    while let (number, value) = try fields.next() {
      bytes += try body(number, value) ?? field(number, value)
    }
    return bytes
  }

  private static func base128(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(base128: value, to: &bytes)
    return bytes
  }

  package static func append(base128 value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
