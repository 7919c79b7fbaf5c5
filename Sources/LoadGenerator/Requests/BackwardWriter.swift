internal import RPCKit

/// Writes a buffer from its end to its beginning.
struct BackwardWriter {
  /// Where the last written byte is.
  var offset: Int

  mutating func byte(_ byte: UInt8, _ buffer: inout [UInt8]) {
    offset -= 1
    buffer[offset] = byte
  }

  mutating func varint(_ value: UInt64, _ buffer: inout [UInt8]) {
    let byteCount = max(1, (70 - value.leadingZeroBitCount) / 7)
    offset -= byteCount
    var rest = value
    for index in offset..<offset + byteCount - 1 {
      buffer[index] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
    }
    buffer[offset + byteCount - 1] = UInt8(truncatingIfNeeded: rest)
  }

  mutating func fixed(_ value: UInt64, byteCount: UInt64, _ buffer: inout [UInt8]) {
    // Little endian, the last byte first.
    for index in (0..<byteCount).reversed() {
      byte(UInt8(truncatingIfNeeded: value >> (8 * index)), &buffer)
    }
  }

  mutating func text(
    _ part: RequestTemplate.TextPart,
    _ number: UInt64,
    _ random: inout SplitMix64,
    _ buffer: inout [UInt8]
  ) {
    switch part {
    case .bytes(let bytes):
      for value in bytes.reversed() { byte(value, &buffer) }
    case .placeholder(.random(nil)):
      var value = random.next()
      for _ in 0..<16 {
        let digit = UInt8(value & 15)
        byte(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10), &buffer)
        value >>= 4
      }
    case .placeholder(let placeholder):
      var value = placeholder.value(number, &random)
      repeat {
        byte(UInt8(ascii: "0") + UInt8(value % 10), &buffer)
        value /= 10
      } while value > 0
    }
  }
}
