internal import CSodium

/// Argon2id of libsodium.
enum Argon2id {
  /// libsodium picks its fastest code once per process (sodium_init(3)).
  private static let isReady = sodium_init() >= 0

  /// The tag of a password; nil when out of memory for it.
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

  /// Whether a password is that of a PHC string of another system, which `Argon2Text` has found to be one.
  ///
  /// Without memory for it, it is not.
  static func matches(_ password: [UInt8], text: String) -> Bool {
    precondition(isReady, "libsodium cannot be used")
    // The function takes an array of this many characters (crypto_pwhash_str_verify).
    let count = Int(crypto_pwhash_STRBYTES)
    var characters = text.utf8.map { CChar(bitPattern: $0) }
    precondition(characters.count < count, "a PHC string has 127 characters at most")
    characters += [CChar](repeating: 0, count: count - characters.count)
    let result = unsafe crypto_pwhash_str_verify(
      characters,
      password.map { CChar(bitPattern: $0) },
      UInt64(password.count)
    )
    return result == 0
  }
}
