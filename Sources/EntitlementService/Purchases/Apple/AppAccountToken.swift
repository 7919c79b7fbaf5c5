/// The UUID under which the App Store knows a user of ours (`appAccountToken`).
///
/// Nothing has to be stored or asked for: the 26 letters of a user's identifier are 128 bits in
/// Crockford's base 32, and these bits are the UUID. An application computes it the same way before
/// it buys.
struct AppAccountToken: Hashable, Sendable {
  /// The UUID, in lower case with hyphens.
  let text: String

  /// The token of a user; nil for an identifier that is not one of ours.
  init?(userID: String) {
    guard userID.hasPrefix(Self.prefix) else { return nil }
    guard let bytes = Self.bytes(ofLetters: userID.utf8.dropFirst(Self.prefix.utf8.count)) else {
      return nil
    }
    text = Self.uuid(bytes)
  }

  /// The user whose token this is; nil for text that is not a UUID.
  static func userID(of token: String) -> String? {
    var digits: [UInt8] = []
    for (index, digit) in token.utf8.enumerated() {
      if [8, 13, 18, 23].contains(index) {
        guard digit == UInt8(ascii: "-") else { return nil }
      } else {
        guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
        digits.append(UInt8(value))
      }
    }
    guard digits.count == 32, token.utf8.count == 36 else { return nil }
    let bytes = (0..<16).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    return prefix + letters(of: bytes)
  }

  private static let prefix = "usr_"
  private static let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  private static func letters(of bytes: [UInt8]) -> String {
    let letters = (0..<26).map { index -> UInt8 in
      let value = (0..<5).reduce(0) { value, offset in
        let bit = index * 5 + offset
        return value << 1 | (bit < 128 ? Int(bytes[bit / 8] >> UInt8(7 - bit % 8)) & 1 : 0)
      }
      return alphabet[value]
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// 16 bytes; nil for anything but 26 letters whose last two bits are zero.
  private static func bytes(ofLetters letters: some Collection<UInt8>) -> [UInt8]? {
    guard letters.count == 26 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for letter in letters {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = bits << 5 | UInt32(value)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return bits & 3 == 0 ? bytes : nil
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append("-") }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}
