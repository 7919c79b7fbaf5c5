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
    guard userID.hasPrefix(Self.prefix),
      let value = Self.value(ofLetters: userID.utf8.dropFirst(Self.prefix.utf8.count))
    else { return nil }
    let short = String(value, radix: 16)
    let digits = Array(String(repeating: "0", count: 32 - short.utf8.count) + short)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
    text = parts.joined(separator: "-")
  }

  /// The user whose token this is; nil for text that is not a UUID.
  static func userID(of token: String) -> String? {
    let parts = token.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12],
      token.utf8.first != UInt8(ascii: "+"), let value = UInt128(parts.joined(), radix: 16)
    else { return nil }
    return prefix + letters(of: value)
  }

  private static let prefix = "usr_"
  private static let alphabet = [UInt8]("0123456789abcdefghjkmnpqrstvwxyz".utf8)

  /// Five bits a letter, the first ones first; the last letter is filled up with zero bits.
  private static func letters(of value: UInt128) -> String {
    let letters = (1...26).map { place in
      let bits = place < 26 ? value >> (128 - 5 * place) : value << 2
      return alphabet[Int(truncatingIfNeeded: bits) & 31]
    }
    return String(decoding: letters, as: UTF8.self)
  }

  /// The bits; nil for anything but 26 letters whose last two bits are zero.
  private static func value(ofLetters letters: some Collection<UInt8>) -> UInt128? {
    let digits = letters.compactMap { alphabet.firstIndex(of: $0) }
    guard letters.count == 26, digits.count == 26, digits[25] & 3 == 0 else { return nil }
    return digits.dropLast().reduce(UInt128(0)) { $0 << 5 | UInt128($1) } << 3
      | UInt128(digits[25] >> 2)
  }
}
