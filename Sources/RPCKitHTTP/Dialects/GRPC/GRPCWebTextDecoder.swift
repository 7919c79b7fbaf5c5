internal import TextEncodings

/// Decodes base64 that may be padded anywhere, because each flush of a client may end with padding.
struct GRPCWebTextDecoder {
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  /// Letters since the last whole group of four.
  private var letterCount = 0
  private var paddingDue = 0

  /// Whether nothing is missing; padding at the end may be.
  var isAtBoundary: Bool { letterCount != 1 && paddingDue == 0 }

  /// Appends decoded bytes; false for what is no base64.
  mutating func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
    for index in text.indices {
      let letter = text[index]
      if letter == Base64.padding {
        guard takePadding() else { return false }
      } else {
        guard paddingDue == 0, let value = Base64.value(of: letter) else { return false }
        take(value, into: &bytes)
      }
    }
    return true
  }

  /// Takes what the next letter stands for.
  private mutating func take(_ value: UInt8, into bytes: inout [UInt8]) {
    bits = bits << 6 | UInt32(value)
    bitCount += 6
    letterCount = (letterCount + 1) % 4
    if bitCount >= 8 {
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    if letterCount == 0 { bits = 0 }
  }

  private mutating func takePadding() -> Bool {
    if paddingDue > 0 {
      paddingDue -= 1
      return true
    }
    guard letterCount >= 2 else { return false }
    paddingDue = 3 - letterCount
    (bits, bitCount, letterCount) = (0, 0, 0)
    return true
  }
}
