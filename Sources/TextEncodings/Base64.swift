/// Base64 (RFC 4648): bytes as text, and back.
package enum Base64 {
  /// Which letters stand for the last two of the 64 values.
  package enum Alphabet: Sendable {
    /// `+` and `/` (section 4).
    case standard
    /// `-` and `_`, for URLs and file names (section 5).
    case url
  }

  // MARK: - Encoding

  /// The text of bytes; padded, its length is a multiple of four.
  package static func encode(
    _ bytes: Span<UInt8>,
    _ alphabet: Alphabet = .standard,
    isPadded: Bool
  ) -> String {
    String(decoding: letters(bytes, alphabet, isPadded: isPadded), as: UTF8.self)
  }

  /// The letters of what `encode` writes.
  package static func letters(
    _ bytes: Span<UInt8>,
    _ alphabet: Alphabet = .standard,
    isPadded: Bool
  ) -> [UInt8] {
    // Once for all letters: each look at a global asks whether it has its value yet.
    let alphabet = alphabet == .standard ? standardLetters : urlLetters
    return [UInt8](capacity: (bytes.count + 2) / 3 * 4) { letters in
      var index = 0
      while index + 3 <= bytes.count {
        let (first, second, third) = (bytes[index], bytes[index + 1], bytes[index + 2])
        letters.append(alphabet[Int(first >> 2)])
        letters.append(alphabet[Int((first << 4 | second >> 4) & 63)])
        letters.append(alphabet[Int((second << 2 | third >> 6) & 63)])
        letters.append(alphabet[Int(third & 63)])
        index += 3
      }
      let rest = bytes.count - index
      guard rest > 0 else { return }
      let (first, second) = (bytes[index], rest == 2 ? bytes[index + 1] : 0)
      letters.append(alphabet[Int(first >> 2)])
      letters.append(alphabet[Int((first << 4 | second >> 4) & 63)])
      if rest == 2 { letters.append(alphabet[Int(second << 2 & 63)]) }
      if isPadded { for _ in rest..<3 { letters.append(padding) } }
    }
  }

  // MARK: - Decoding

  /// The bytes of a text; nil unless it is exactly what `encode` writes for some bytes.
  ///
  /// White space, the other alphabet, padding that is missing or too much, and bits in the last letter that no
  /// byte uses are all refused (sections 3.2, 3.3 and 3.5): two texts of one signature would make a token look
  /// like two.
  package static func decodeExact(
    _ text: Span<UInt8>,
    _ alphabet: Alphabet,
    isPadded: Bool
  ) -> [UInt8]? {
    let paddingCount = isPadded ? paddingCount(text) : 0
    guard let paddingCount, !isPadded || text.count % 4 == 0 else { return nil }
    let letters = text.extracting(first: text.count - paddingCount)
    guard let (bytes, unusedBits) = decodeLetters(letters, values(alphabet)), unusedBits == 0 else {
      return nil
    }
    return bytes
  }

  /// The bytes of a text as others write it; nil for anything else.
  ///
  /// Padding may be missing, but not be wrong, the letters of both alphabets do, and bits that no byte uses are
  /// ignored: what Protobuf's JSON and gRPC's metadata ask of a reader.
  package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard let paddingCount = paddingCount(text) else { return nil }
    return decodeLetters(text.extracting(first: text.count - paddingCount), anyValues)?.bytes
  }

  /// The value of a letter of either alphabet, for decoders that work piece by piece.
  package static func value(of letter: UInt8) -> UInt8? {
    let value = anyValues[Int(letter)]
    return value < 64 ? value : nil
  }

  /// The letter that fills a text up to a multiple of four.
  package static let padding = UInt8(ascii: "=")

  /// How many of the last letters are padding; nil if they do not fill the text up, or are too many.
  private static func paddingCount(_ text: Span<UInt8>) -> Int? {
    var count = 0
    while count < text.count, text[text.count - 1 - count] == padding { count += 1 }
    return count == 0 || (count <= 2 && text.count % 4 == 0) ? count : nil
  }

  /// The bytes of letters without padding, and the bits that are left; nil for what is no letter, and for one
  /// letter alone, which begins a byte and does not end it.
  private static func decodeLetters(
    _ text: Span<UInt8>,
    _ values: [UInt8]
  ) -> (bytes: [UInt8], unusedBits: UInt8)? {
    let rest = text.count % 4
    guard rest != 1 else { return nil }
    // All values together: more than six bits when a letter is none of the alphabet.
    var seen: UInt8 = 0
    var unusedBits: UInt8 = 0
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
      unusedBits = second << 4
      guard rest == 3 else { return }
      let third = next()
      bytes.append(second << 4 | third >> 2)
      unusedBits = third << 6
    }
    return seen < 64 ? (bytes, unusedBits) : nil
  }

  // MARK: - Letters

  private static let common = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
  )
  private static let standardLetters = common + Array("+/".utf8)
  private static let urlLetters = common + Array("-_".utf8)
  private static let standardValues = values(of: [standardLetters])
  private static let urlValues = values(of: [urlLetters])
  private static let anyValues = values(of: [standardLetters, urlLetters])

  private static func values(_ alphabet: Alphabet) -> [UInt8] {
    alphabet == .standard ? standardValues : urlValues
  }

  /// For each byte the value that it stands for, or more than any.
  private static func values(of alphabets: [[UInt8]]) -> [UInt8] {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for alphabet in alphabets {
      for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    }
    return values
  }
}
