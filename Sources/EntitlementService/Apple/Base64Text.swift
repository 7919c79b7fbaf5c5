/// Base 64 as strict as RFC 4648, section 3.5 allows: no white space, no foreign letters, no bits
/// behind the last byte that are not zero.
///
/// What decodes to the same bytes is the same text, so that an edited token cannot pass as another
/// spelling of a good one.
enum Base64Text {
  /// Which letters stand for 62 and 63, and whether the text is filled up with `=`.
  enum Alphabet {
    /// `+` and `/`, filled up to a multiple of four: certificates in `x5c` (RFC 7515, 4.1.6).
    case standard
    /// `-` and `_`, never filled up: the segments of a token (RFC 7515, section 2).
    case url
  }

  /// The bytes that `text` stands for; nil when it is not base 64 of this alphabet.
  static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    var letters = text[...]
    if alphabet == .standard {
      guard letters.count % 4 == 0 else { return nil }
      let filling = letters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
      letters = letters.dropLast(filling)
    }
    guard letters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for letter in letters {
      guard let value = value(of: letter, alphabet) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    guard bits & (1 << bitCount - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+") where alphabet == .standard: 62
    case UInt8(ascii: "/") where alphabet == .standard: 63
    case UInt8(ascii: "-") where alphabet == .url: 62
    case UInt8(ascii: "_") where alphabet == .url: 63
    default: nil
    }
  }
}
