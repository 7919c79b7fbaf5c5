/// A hashed password of another system, of a form that this service can verify, and at a cost that it accepts.
///
/// Made only by reading: anyone who has one can verify it without further questions. The parsers are our own
/// and look at every byte, because the libraries accept costs that take minutes (`crypt_checksalt` finds
/// nothing wrong with `$2y$31$`).
enum ForeignHash: Hashable, Sendable {
  /// bcrypt, SHA-crypt, yescrypt or scrypt as libxcrypt writes them (crypt(5)).
  case crypt(CryptHash)
  /// Argon2id as a PHC string with one lane, which libsodium verifies.
  case argon2id(String)
  /// PBKDF2 of Django, passlib or ASP.NET.
  case pbkdf2(PBKDF2Hash)
  /// scrypt as Firebase does it.
  case firebase(FirebaseHash)
  /// One digest of password and salt, as LDAP directories have them.
  case salted(SaltedDigest)

  /// Why a text is not accepted.
  enum Objection: Error, Hashable, Sendable {
    /// It has none of the forms.
    case unknown
    /// Verifying it would take too much time or memory.
    case tooCostly
  }

  /// Bytes of a text, at most: those of Firebase carry a key of their own.
  static let byteCountMax = 512

  /// Reads the text of another system; throws `Objection`.
  init(_ text: String) throws(Objection) {
    guard text.utf8.count <= Self.byteCountMax, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .unknown }
    if let hash = try CryptHash(text) {
      self = .crypt(hash)
    } else if text.hasPrefix(Argon2Text.prefix) {
      try Argon2Text.check(text)
      self = .argon2id(text)
    } else if let hash = try PBKDF2Hash(text) {
      self = .pbkdf2(hash)
    } else if let hash = try FirebaseHash(text) {
      self = .firebase(hash)
    } else if let digest = try SaltedDigest(text) {
      self = .salted(digest)
    } else {
      throw .unknown
    }
  }

  /// Whether the form looks at all bytes of a password.
  func seesAll(of password: [UInt8]) -> Bool {
    switch self {
    case .crypt(let hash): hash.seesAll(of: password)
    case .argon2id, .pbkdf2, .firebase, .salted: true
    }
  }

  /// Whether a password is the hashed one; on no loop, as it takes up to some seconds.
  ///
  /// Throws `PasswordHasher.OutOfMemory` when out of memory for it.
  func matches(_ password: [UInt8]) throws -> Bool {
    switch self {
    case .crypt(let hash): try hash.matches(password)
    case .argon2id(let text): Argon2id.matches(password, text: text)
    case .pbkdf2(let hash): try hash.matches(password)
    case .firebase(let hash): try hash.matches(password)
    case .salted(let digest): digest.matches(password)
    }
  }
}
