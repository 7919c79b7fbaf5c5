internal import COpenSSL

/// Keys made of passwords, and the digests below them, by OpenSSL.
enum KeyDerivation {
  /// A digest.
  enum Digest: Hashable, Sendable {
    case sha1, sha256, sha512

    /// Bytes of its values.
    var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }

    fileprivate var algorithm: OpaquePointer? {
      switch self {
      case .sha1: unsafe EVP_sha1()
      case .sha256: unsafe EVP_sha256()
      case .sha512: unsafe EVP_sha512()
      }
    }

    /// The digest of bytes.
    func of(_ bytes: [UInt8]) -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: byteCount)
      let result = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil)
      precondition(result == 1, "a digest failed: out of memory")
      return digest
    }
  }

  /// PBKDF2 (PKCS5_PBKDF2_HMAC(3)); nil when out of memory for it.
  static func pbkdf2(
    _ password: [UInt8],
    salt: [UInt8],
    iterations: Int,
    digest: Digest,
    byteCount: Int
  ) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: byteCount)
    let result = unsafe PKCS5_PBKDF2_HMAC(
      password.map { CChar(bitPattern: $0) },
      CInt(password.count),
      salt,
      CInt(salt.count),
      CInt(iterations),
      digest.algorithm,
      CInt(byteCount),
      &key
    )
    ERR_clear_error()
    return result == 1 ? key : nil
  }

  /// scrypt with one lane (EVP_PBE_scrypt(3)); nil when out of memory for it.
  static func scrypt(
    _ password: [UInt8],
    salt: [UInt8],
    rounds: UInt64,
    blocks: Int,
    byteCount: Int
  ) -> [UInt8]? {
    var key = [UInt8](repeating: 0, count: byteCount)
    // What it takes, and a little for what it keeps besides; by default OpenSSL refuses more than 32 MiB.
    let memory = 128 * UInt64(blocks) * (rounds + 2) + (1 << 20)
    let result = unsafe EVP_PBE_scrypt(
      password.map { CChar(bitPattern: $0) },
      password.count,
      salt,
      salt.count,
      rounds,
      UInt64(blocks),
      1,
      memory,
      &key,
      byteCount
    )
    ERR_clear_error()
    return result == 1 ? key : nil
  }

  /// AES-256-CTR from a counter of zero; nil when out of memory for it.
  static func encryptedCTR(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
    precondition(key.count == 32, "a key of AES-256 has 32 bytes")
    let counter = [UInt8](repeating: 0, count: 16)
    var encrypted = [UInt8](repeating: 0, count: bytes.count)
    var count: CInt = 0
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    let isDone =
      unsafe EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key, counter) == 1
      && EVP_EncryptUpdate(context, &encrypted, &count, bytes, CInt(bytes.count)) == 1
    ERR_clear_error()
    return isDone && Int(count) == bytes.count ? encrypted : nil
  }
}
