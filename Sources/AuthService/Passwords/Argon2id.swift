internal import CSodium

/// Argon2id of libsodium.
enum Argon2id {
  /// libsodium picks its fastest code once per process (sodium_init(3)).
  private static let isReady = sodium_init() >= 0

  /// The tag of a password; nil when there is no memory for it.
  ///
  /// Takes as much memory as `cost` says and some 30 ms at the standard cost, so not on a loop.
  static func tag(password: [UInt8], salt: [UInt8], cost: PasswordCost) -> [UInt8]? {
    precondition(isReady, "libsodium cannot be used")
    precondition(salt.count == Int(crypto_pwhash_SALTBYTES), "a salt has 16 bytes")
    var tag = [UInt8](repeating: 0, count: PasswordRecord.tagByteCount)
    let result = unsafe crypto_pwhash(
      &tag,
      UInt64(tag.count),
      password.map { CChar(bitPattern: $0) },
      UInt64(password.count),
      salt,
      UInt64(cost.passes),
      cost.memory * 1024,
      crypto_pwhash_ALG_ARGON2ID13
    )
    return result == 0 ? tag : nil
  }
}
