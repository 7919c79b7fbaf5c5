internal import ServiceKit

/// A hash of crypt(5) that libxcrypt verifies, within limits of time and memory.
struct CryptHash: Hashable, Sendable {
  /// bcrypt's logarithm of rounds; 15 takes seconds.
  private static let bcryptCosts = 4...14
  /// Rounds of SHA-crypt.
  private static let roundCounts = 1000...1_000_000
  /// The notation of yescrypt's cost 1 to 8; 8 takes 128 MiB.
  private static let yescryptCosts: Set<Substring> = [
    "j75", "j85", "j7T", "j8T", "j9T", "jAT", "jBT", "jCT",
  ]
  /// Costs 9 to 11, up to 1 GiB.
  private static let yescryptCostsTooHigh: Set<Substring> = ["jDT", "jET", "jFT"]
  /// Bytes that scrypt may fill, all lanes together.
  private static let scryptByteCountMax = 128 << 20

  /// Bytes of a password that bcrypt looks at.
  private static let bcryptByteCount = 72
  /// Bytes that libxcrypt takes (CRYPT_MAX_PASSPHRASE_SIZE, with the NUL).
  private static let passwordByteCountMax = 511

  /// As it was read.
  let text: String
  private let isBcrypt: Bool
  /// Bytes at the end that are compared: bcrypt has letters before those that can be written differently.
  private let comparedCount: Int

  /// Reads a text; nil when it is none of crypt(5)'s forms, and throws when it is one that is not accepted.
  init?(_ text: String) throws(ForeignHash.Objection) {
    let parts = text.dollarParts
    guard parts.count >= 4, parts[0].isEmpty else { return nil }
    switch parts[1] {
    case "2a", "2b", "2y": try Self.checkBcrypt(parts)
    case "5": try Self.checkSHACrypt(parts, byteCount: 43)
    case "6": try Self.checkSHACrypt(parts, byteCount: 86)
    case "y": try Self.checkYescrypt(parts)
    case "7": try Self.checkScrypt(parts)
    default: return nil
    }
    self.text = text
    isBcrypt = parts[1].hasPrefix("2")
    comparedCount = isBcrypt ? 31 : text.utf8.count
  }

  /// `$2b$12$` and 22 letters of salt, 31 of the hash.
  private static func checkBcrypt(_ parts: [Substring]) throws(ForeignHash.Objection) {
    guard parts.count == 4, parts[2].utf8.count == 2,
      let cost = HashText.number(parts[2].hasPrefix("0") ? parts[2].dropFirst() : parts[2]),
      parts[3].utf8.count == 53, HashText.isCryptText(parts[3]), cost >= bcryptCosts.lowerBound
    else { throw .unknown }
    guard bcryptCosts.contains(cost) else { throw .tooCostly }
  }

  /// `$6$SALT$HASH` or `$6$rounds=5000$SALT$HASH`.
  private static func checkSHACrypt(
    _ parts: [Substring],
    byteCount: Int
  ) throws(ForeignHash.Objection) {
    var rest = parts[2...]
    var rounds = 5000
    if let first = rest.first, first.hasPrefix("rounds=") {
      guard let number = HashText.number(first.dropFirst("rounds=".count)) else { throw .unknown }
      rounds = number
      rest = rest.dropFirst()
    }
    guard rest.count == 2, let salt = rest.first, let hash = rest.last,
      salt.utf8.count <= 16, HashText.isCryptText(salt),
      hash.utf8.count == byteCount, HashText.isCryptText(hash), rounds >= roundCounts.lowerBound
    else { throw .unknown }
    guard roundCounts.contains(rounds) else { throw .tooCostly }
  }

  /// `$y$j9T$SALT$HASH`.
  private static func checkYescrypt(_ parts: [Substring]) throws(ForeignHash.Objection) {
    guard parts.count == 5 else { throw .unknown }
    guard !yescryptCostsTooHigh.contains(parts[2]) else { throw .tooCostly }
    guard yescryptCosts.contains(parts[2]) else { throw .unknown }
    try checkSaltAndHash(parts)
  }

  /// `$7$CU..../....SALT$HASH`: the logarithm of N in one letter, r and p in five each.
  private static func checkScrypt(_ parts: [Substring]) throws(ForeignHash.Objection) {
    guard parts.count == 4, parts[2].utf8.count >= 11,
      let logarithm = HashText.cryptNumber(parts[2].prefix(1)),
      let blocks = HashText.cryptNumber(parts[2].dropFirst().prefix(5)),
      let lanes = HashText.cryptNumber(parts[2].dropFirst(6).prefix(5)),
      logarithm > 0, blocks > 0, lanes > 0
    else { throw .unknown }
    try checkSaltAndHash([parts[2].dropFirst(11), parts[3]])
    guard logarithm <= 20, blocks <= 1 << 16, lanes <= 1 << 8,
      128 * blocks * (lanes << logarithm) <= scryptByteCountMax
    else { throw .tooCostly }
  }

  private static func checkSaltAndHash(_ parts: [Substring]) throws(ForeignHash.Objection) {
    let (salt, hash) = (parts[parts.count - 2], parts[parts.count - 1])
    guard (1...86).contains(salt.utf8.count), HashText.isCryptText(salt),
      hash.utf8.count == 43, HashText.isCryptText(hash)
    else { throw .unknown }
  }

  /// Whether all bytes of a password are looked at: not those of bcrypt behind the 72nd.
  func seesAll(of password: [UInt8]) -> Bool { !isBcrypt || password.count <= Self.bcryptByteCount }

  /// Whether a password is the hashed one, as far as the form looks at it.
  ///
  /// Libxcrypt takes passwords as C strings of at most 511 bytes, so that one with a NUL byte matches nothing,
  /// nor does a longer one, but for bcrypt.
  func matches(_ password: [UInt8]) throws -> Bool {
    let seen = isBcrypt ? Array(password.prefix(Self.bcryptByteCount)) : password
    guard !password.contains(0), seen.count <= Self.passwordByteCountMax else { return false }
    guard let hash = CryptLibrary.hash(seen, setting: text) else {
      throw PasswordHasher.OutOfMemory()
    }
    return Digests.areEqual(
      Array(hash.suffix(comparedCount)),
      Array(text.utf8.suffix(comparedCount))
    )
  }
}
