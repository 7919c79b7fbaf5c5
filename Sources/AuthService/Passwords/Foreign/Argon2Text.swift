/// A PHC string of Argon2id (RFC 9106), as libsodium reads it: `$argon2id$v=19$m=65536,t=2,p=1$SALT$TAG`.
enum Argon2Text {
  static let prefix = "$argon2id$"
  /// libsodium's crypto_pwhash_STRBYTES, without the NUL.
  private static let byteCountMax = 127
  private static let saltByteCounts = 8...48
  private static let tagByteCounts = 16...64

  /// Throws unless libsodium can verify it within the limits of our own hashes: one lane, and version 19.
  static func check(_ text: String) throws(ForeignHash.Objection) {
    let parts = text.dollarParts
    guard text.utf8.count <= byteCountMax, parts.count == 6, parts[2] == "v=19" else {
      throw .unknown
    }
    let cost = parts[3].split(separator: ",", omittingEmptySubsequences: false)
    guard cost.count == 3, cost[0].hasPrefix("m="), cost[1].hasPrefix("t="), cost[2] == "p=1",
      let memory = HashText.number(cost[0].dropFirst(2)),
      let passes = HashText.number(cost[1].dropFirst(2)),
      memory >= PasswordCost.memoryRange.lowerBound, passes >= PasswordCost.passRange.lowerBound,
      isBase64(parts[4], saltByteCounts), isBase64(parts[5], tagByteCounts)
    else { throw .unknown }
    guard PasswordCost.memoryRange.contains(memory), PasswordCost.passRange.contains(passes) else {
      throw .tooCostly
    }
  }

  /// The alphabet with `+` and `/`, without padding.
  private static func isBase64(_ text: Substring, _ byteCounts: ClosedRange<Int>) -> Bool {
    guard !text.utf8.contains(where: { "-_.=".utf8.contains($0) }),
      let bytes = HashText.base64(text)
    else { return false }
    return byteCounts.contains(bytes.count)
  }
}
