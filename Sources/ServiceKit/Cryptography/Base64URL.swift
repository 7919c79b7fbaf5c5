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
    // Once for all letters: each look at a global asks whether it has its value yet.
    let alphabet = alphabet
    let bytes = bytes.span
    let letters = [UInt8](capacity: (bytes.count * 4 + 2) / 3) { letters in
      var index = 0
      while index + 3 <= bytes.count {
        let (first, second, third) = (bytes[index], bytes[index + 1], bytes[index + 2])
        letters.append(alphabet[Int(first >> 2)])
        letters.append(alphabet[Int((first << 4 | second >> 4) & 63)])
        letters.append(alphabet[Int((second << 2 | third >> 6) & 63)])
        letters.append(alphabet[Int(third & 63)])
        index += 3
      }
      guard index < bytes.count else { return }
      let (first, second) = (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0)
      letters.append(alphabet[Int(first >> 2)])
      letters.append(alphabet[Int((first << 4 | second >> 4) & 63)])
      if index + 1 < bytes.count { letters.append(alphabet[Int(second << 2 & 63)]) }
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bytes of a text; nil unless it is exactly what `encode` writes for some bytes.
  ///
  /// Padding, white space, the other alphabet, and bits in the last letter that no byte uses are all
  /// refused: two texts of one signature would make a token look like two.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text.span) }

  /// The bytes of a text; see `decode(_:)` of its bytes.
  public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8.span) }

  private static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    let rest = text.count % 4
    // One letter alone begins a byte and does not end it.
    guard rest != 1 else { return nil }
    // Once for all letters: each look at a global asks whether it has its value yet.
    let values = values
    // All values together: more than six bits when a letter is none of the alphabet.
    var seen: UInt8 = 0
    var unused: UInt8 = 0
    let bytes = [UInt8](capacity: text.count / 4 * 3 + 2) { bytes in
      var index = 0
      func next() -> UInt8 {
        defer { index += 1 }
        let value = values[Int(text[index])]
        seen |= value
        return value
      }
      while index + 4 <= text.count {
        let (first, second, third, fourth) = (next(), next(), next(), next())
        bytes.append(first << 2 | second >> 4)
        bytes.append(second << 4 | third >> 2)
        bytes.append(third << 6 | fourth)
      }
      guard rest > 0 else { return }
      let (first, second) = (next(), next())
      bytes.append(first << 2 | second >> 4)
      unused = second << 4
      guard rest == 3 else { return }
      let third = next()
      bytes.append(second << 4 | third >> 2)
      unused = third << 6
    }
    return seen < 64 && unused == 0 ? bytes : nil
  }
}
