/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
  private static let alphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let group = rest.prefix(3)
      rest = rest.dropFirst(3)
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        let letter = alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)]
        text.append(place <= group.count ? letter : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes; nil for anything else.
  ///
  /// Padding may be missing, and the letters of section 5 do too.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    var letters = Array(text.utf8)[...]
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    for letter in letters {
      let standard =
        switch letter {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: letter
        }
      guard let value = alphabet.firstIndex(of: standard) else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    return letters.count % 4 == 1 ? nil : bytes
  }
}
