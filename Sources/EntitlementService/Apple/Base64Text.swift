internal import ServiceKit

/// Base 64 as certificates in `x5c` have it (RFC 7515, 4.1.6): the standard alphabet, filled up with
/// `=` to a multiple of four letters.
enum Base64Text {
  /// The bytes that `text` stands for; nil unless it is exactly what an encoder writes for some
  /// bytes.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let filling = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var letters = Array(text.dropLast(filling))
    for index in letters.indices {
      switch letters[index] {
      case UInt8(ascii: "+"): letters[index] = UInt8(ascii: "-")
      case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
      default: break
      }
    }
    return Base64URL.decode(letters[...])
  }
}
