private import COpenSSL

/// A private key that signs with Ed25519 (RFC 8032, section 5.1).
package struct Ed25519Key: Hashable, Sendable {
  /// Bytes of the secret from which a key is made (section 5.1.5).
  package static let secretByteCount = 32

  private let secret: [UInt8]
  /// The key that verifies its signatures, 32 bytes.
  package let publicKey: [UInt8]

  /// The key of a secret; nil unless that has 32 bytes.
  package init?(secret: [UInt8]) {
    guard secret.count == Self.secretByteCount,
      let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count)
    else { return nil }
    defer { unsafe EVP_PKEY_free(key) }
    var publicKey = [UInt8](repeating: 0, count: 32)
    var count = publicKey.count
    guard unsafe EVP_PKEY_get_raw_public_key(key, &publicKey, &count) == 1 else { return nil }
    (self.secret, self.publicKey) = (secret, publicKey)
  }

  /// The signature of a message, 64 bytes.
  package func sign(_ message: [UInt8]) -> [UInt8] {
    let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, secret, secret.count)
    let context = unsafe EVP_MD_CTX_new()
    defer {
      unsafe EVP_MD_CTX_free(context)
      unsafe EVP_PKEY_free(key)
    }
    var signature = [UInt8](repeating: 0, count: 64)
    var count = signature.count
    let isSigned =
      unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1
      && EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    precondition(isSigned, "OpenSSL signs with a key that it has read")
    return signature
  }
}
