/// Base64 (RFC 4648), as header fields, queries and errors carry bytes.
enum Base64 {
  private static let letters = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  /// Appends the letters of section 4.
  static func append(_ bytes: Span<UInt8>, to text: inout [UInt8], isPadded: Bool) {
    text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let rest = min(3, bytes.count - index)
      var bits: UInt32 = 0
      for offset in 0..<3 {
        bits = bits << 8 | (offset < rest ? UInt32(bytes[index + offset]) : 0)
      }
      for place in 0..<4 {
        if place <= rest {
          text.append(letters[Int(bits >> UInt32(18 - 6 * place) & 63)])
        } else if isPadded {
          text.append(UInt8(ascii: "="))
        }
      }
      index += rest
    }
  }

  /// The letters of section 4 without padding.
  static func unpadded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    append(bytes.span, to: &text, isPadded: false)
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes; nil for anything else.
  ///
  /// Padding may be missing, but not be wrong, and the letters of section 5 do too.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var decoder = Base64Decoder()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    var paddingCount = 0
    for letter in text {
      if letter == UInt8(ascii: "=") {
        paddingCount += 1
      } else {
        guard paddingCount == 0, let value = value(of: letter) else { return nil }
        decoder.take(value, into: &bytes)
      }
    }
    // One letter is less than a byte, and padding fills the last four letters up.
    guard decoder.letterCount != 1 else { return nil }
    guard paddingCount == 0 || (decoder.letterCount + paddingCount == 4 && paddingCount < 3)
    else { return nil }
    return bytes
  }

  /// What a letter of either alphabet stands for.
  static func value(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Puts bytes together from the six bits of each letter.
struct Base64Decoder {
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  /// Letters since the last whole group of four.
  private(set) var letterCount = 0

  /// Takes what the next letter stands for.
  mutating func take(_ value: UInt8, into bytes: inout [UInt8]) {
    bits = bits << 6 | UInt32(value)
    bitCount += 6
    letterCount = (letterCount + 1) % 4
    if bitCount >= 8 {
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    if letterCount == 0 { bits = 0 }
  }

  /// Forgets the rest of a group that was padded.
  mutating func reset() { self = Base64Decoder() }
}
