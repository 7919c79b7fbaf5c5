internal import ServiceKit

/// Keys that nobody has, for addresses without passkeys: anyone who asks for an address learns the
/// same of every one (WebAuthn Level 3, section 14.6.2).
///
/// Made of the address under a key, so that asking again gets the same one.
struct DecoyCredentials: Sendable {
  /// As long as those of authenticators that are common.
  private static let byteCounts = [16, 20, 32, 32]

  private let key: HMACKey
  /// The key of nobody: checking a response with it is as much work as checking one with a key of the store.
  let publicKey: PasskeyKey

  /// Works under a key of its own, derived from `secret`.
  init(secret: HMACKey) {
    key = HMACKey(secret.code(of: Array("key of decoy passkeys".utf8)))
    publicKey = PasskeyKey(SigningKey.generate().verificationKey)
  }

  /// The key that an address without passkeys has.
  func descriptor(of email: EmailAddress) -> CredentialDescriptor {
    let id = key.code(of: Array("id \(email.key)".utf8))
    let shape = key.code(of: Array("shape \(email.key)".utf8))
    return CredentialDescriptor(
      id: Array(id.prefix(Self.byteCounts[Int(shape[0]) % Self.byteCounts.count])),
      transports: shape[1] & 1 == 0 ? ["hybrid", "internal"] : ["internal"]
    )
  }
}
