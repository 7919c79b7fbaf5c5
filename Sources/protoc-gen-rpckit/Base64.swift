/// RFC 4648 section 4: how descriptor bytes fit into a string literal, which costs nothing at start.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func encode(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= UInt32(3 - group.count) * 8
      for position in 0..<4 {
        guard position <= group.count else {
          result.append(UInt8(ascii: "="))
          continue
        }
        result.append(alphabet[Int(bits >> UInt32(18 - 6 * position)) & 63])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
