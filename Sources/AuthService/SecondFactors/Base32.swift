/// Base 32 (RFC 4648, section 6), as authenticator apps take secrets: upper case, without padding.
enum Base32 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The text of some bytes.
  static func encode(_ bytes: [UInt8]) -> String {
    var letters: [UInt8] = []
    letters.reserveCapacity((bytes.count * 8 + 4) / 5)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        letters.append(alphabet[Int(bits >> count & 31)])
      }
    }
    if count > 0 { letters.append(alphabet[Int(bits << (5 - count) & 31)]) }
    return String(decoding: letters, as: UTF8.self)
  }
}
