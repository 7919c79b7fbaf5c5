internal import ServiceKit

/// A hash of Firebase Authentication, with the parameters of its project, as GoTrue writes them:
/// `$fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=SIGNER_KEY$SALT$HASH`.
///
/// scrypt makes a key of the password, with which Firebase encrypts the project's signer key (AES-256-CTR); the
/// hash is the ciphertext.
struct FirebaseHash: Hashable, Sendable {
  let logarithm: Int
  let blocks: Int
  private let salt: [UInt8]
  private let signerKey: [UInt8]
  private let hash: [UInt8]

  /// 128 MiB with eight blocks.
  private static let logarithmMax = 17
  private static let blocksMax = 8

  /// Reads a text; nil when it has not this form, and throws when it is one that is not accepted.
  init?(_ text: String) throws(ForeignHash.Objection) {
    let parts = text.dollarParts
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "fbscrypt" else { return nil }
    let names = ["v", "n", "r", "p", "ss", "sk"]
    let fields = parts[2].split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == names.count,
      zip(fields, names).allSatisfy({ $0.hasPrefix("\($1)=") })
    else { throw .unknown }
    let values = zip(fields, names).map { $0.dropFirst($1.utf8.count + 1) }
    guard values[0] == "1", values[3] == "1",
      let logarithm = HashText.number(values[1]), let blocks = HashText.number(values[2]),
      logarithm >= 1, blocks >= 1,
      let separator = HashText.base64(values[4]), separator.count <= 16,
      let signerKey = HashText.base64(values[5]), signerKey.count == 64,
      let salt = HashText.base64(parts[3]), (1...64).contains(salt.count),
      let hash = HashText.base64(parts[4]), hash.count == signerKey.count
    else { throw .unknown }
    guard logarithm <= Self.logarithmMax, blocks <= Self.blocksMax else { throw .tooCostly }
    self.logarithm = logarithm
    self.blocks = blocks
    self.salt = salt + separator
    self.signerKey = signerKey
    self.hash = hash
  }

  /// Whether a password is the hashed one.
  func matches(_ password: [UInt8]) throws -> Bool {
    let key = KeyDerivation.scrypt(
      password,
      salt: salt,
      rounds: 1 << logarithm,
      blocks: blocks,
      byteCount: 32
    )
    guard let key, let encrypted = KeyDerivation.encryptedCTR(signerKey, key: key) else {
      throw PasswordHasher.OutOfMemory()
    }
    return Digests.areEqual(encrypted, hash)
  }
}
