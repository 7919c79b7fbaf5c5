/// Base 64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
public enum Base64URL {
  private static let alphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  /// The text of `bytes`.
  public static func encode(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    letters.reserveCapacity((bytes.count * 4 + 2) / 3)
    let alphabet = alphabet
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        letters.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { letters.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bytes of a text; nil unless it is exactly what `encode` writes for some bytes.
  ///
  /// Padding, white space, the other alphabet, and bits in the last letter that no byte uses are all
  /// refused: two texts of one signature would make a token look like two.
  public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.underestimatedCount * 3 / 4)
    // Once for all letters: each look at a global asks whether it has its value yet.
    let values = values
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for letter in text {
      let value = values[Int(letter)]
      guard value != 0xFF else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    // Six bits left over are a letter that begins a byte and does not end it.
    guard bitCount < 6, bits & (1 << bitCount - 1) == 0 else { return nil }
    return bytes
  }

  /// The bytes of a text; see `decode(_:)` of its bytes.
  public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}
