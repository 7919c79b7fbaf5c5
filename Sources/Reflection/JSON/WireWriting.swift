/// Fields in protobuf's wire format (protobuf.dev/programming-guides/encoding).
enum WireWriting {
  static func varint(_ value: UInt64, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3) + base128(value)
  }

  /// A signed number whose small magnitudes are short.
  static func zigzag(_ value: Int64, field number: Int) -> [UInt8] {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63), field: number)
  }

  static func fixed32(_ value: UInt32, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3 | 5) + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func fixed64(_ value: UInt64, field number: Int) -> [UInt8] {
    base128(UInt64(number) << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func bytes(_ bytes: [UInt8], field number: Int) -> [UInt8] {
    var field: [UInt8] = []
    field.reserveCapacity(bytes.count + 10)
    append(base128: UInt64(number) << 3 | 2, to: &field)
    append(base128: UInt64(bytes.count), to: &field)
    field += bytes
    return field
  }

  private static func base128(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(base128: value, to: &bytes)
    return bytes
  }

  private static func append(base128 value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
