internal import ServiceKit

/// A hash of PBKDF2 (RFC 8018, section 5.2), as Django, passlib and ASP.NET write it.
struct PBKDF2Hash: Hashable, Sendable {
  let digest: KeyDerivation.Digest
  let iterations: Int
  private let salt: [UInt8]
  let key: [UInt8]

  /// Two millions take some two seconds.
  private static let iterationCounts = 1...2_000_000
  private static let saltByteCounts = 1...128

  private init(
    _ digest: KeyDerivation.Digest,
    iterations: Int?,
    salt: [UInt8]?,
    key: [UInt8]?,
    _ keyByteCounts: ClosedRange<Int>
  ) throws(ForeignHash.Objection) {
    guard let iterations, iterations >= Self.iterationCounts.lowerBound,
      let salt, Self.saltByteCounts.contains(salt.count),
      let key, keyByteCounts.contains(key.count)
    else { throw .unknown }
    guard Self.iterationCounts.contains(iterations) else { throw .tooCostly }
    self.digest = digest
    self.iterations = iterations
    self.salt = salt
    self.key = key
  }

  /// Reads a text; nil when it has none of these forms, and throws when it is one that is not accepted.
  init?(_ text: String) throws(ForeignHash.Objection) {
    let parts = text.dollarParts
    switch (parts.count, parts[0]) {
    case (4, "pbkdf2_sha256"):
      // Django's salt is text, and not base 64.
      try self.init(
        .sha256,
        iterations: HashText.number(parts[1]),
        salt: Array(parts[2].utf8),
        key: HashText.base64(parts[3]),
        32...32
      )
    case (5, "") where parts[1] == "pbkdf2-sha256" || parts[1] == "pbkdf2-sha512":
      let digest: KeyDerivation.Digest = parts[1] == "pbkdf2-sha256" ? .sha256 : .sha512
      try self.init(
        digest,
        iterations: HashText.number(parts[2]),
        salt: HashText.base64(parts[3]),
        key: HashText.base64(parts[4]),
        digest.byteCount...digest.byteCount
      )
    case (1, _):
      // ASP.NET Core Identity has no prefix: the first byte is the version.
      guard let bytes = HashText.base64(parts[0]), let version = bytes.first, version <= 1 else {
        return nil
      }
      try self.init(aspNet: bytes)
    default: return nil
    }
  }

  /// Version 2 has SHA-1, 1,000 iterations, a salt of 16 bytes and a key of 32; version 3 says so itself, in
  /// numbers of four bytes: which digest, how many iterations, how long the salt is.
  private init(aspNet bytes: [UInt8]) throws(ForeignHash.Objection) {
    if bytes[0] == 0 {
      guard bytes.count == 49 else { throw .unknown }
      try self.init(
        .sha1,
        iterations: 1000,
        salt: Array(bytes[1..<17]),
        key: Array(bytes[17...]),
        32...32
      )
      return
    }
    guard bytes.count > 13 else { throw .unknown }
    func number(at index: Int) -> Int {
      bytes[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    let digests: [KeyDerivation.Digest] = [.sha1, .sha256, .sha512]
    let (digest, saltCount) = (number(at: 1), number(at: 9))
    guard digests.indices.contains(digest), (16...64).contains(saltCount),
      saltCount <= bytes.count - 13
    else { throw .unknown }
    try self.init(
      digests[digest],
      iterations: number(at: 5),
      salt: Array(bytes[13..<13 + saltCount]),
      key: Array(bytes[(13 + saltCount)...]),
      16...64
    )
  }

  /// Whether a password is the hashed one.
  func matches(_ password: [UInt8]) throws -> Bool {
    let derived = KeyDerivation.pbkdf2(
      password,
      salt: salt,
      iterations: iterations,
      digest: digest,
      byteCount: key.count
    )
    guard let derived else { throw PasswordHasher.OutOfMemory() }
    return Digests.areEqual(derived, key)
  }
}
