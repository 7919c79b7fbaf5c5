internal import COpenSSL
internal import RPCKit

/// A key on P-256 in OpenSSL's hands, with or without its private part.
///
/// `@unchecked Sendable`: the key never changes after `init`, and OpenSSL lets any number of threads
/// use one that does not change (openssl-threads(7)).
@safe
final class EllipticCurveKey: @unchecked Sendable {
  private let key: OpaquePointer
  /// As many as verified with this key at once: making one takes a twentieth of using it.
  private let idleContexts = Lock<[VerificationContext]>([])

  /// Bytes of a point: 4, then x, then y (SEC 1, section 2.3.3).
  static let pointByteCount = 65

  /// The prefix of the point in a public key in DER: that it is one, and on which curve
  /// (RFC 5480, section 2).
  private static let publicKeyPrefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  private init(owning key: OpaquePointer) { unsafe self.key = key }

  deinit { unsafe EVP_PKEY_free(key) }

  /// A new key from OpenSSL's generator.
  static func generate() -> EllipticCurveKey {
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    let isMade =
      unsafe EVP_PKEY_keygen_init(context) == 1
      && EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
      && EVP_PKEY_generate(context, &key) == 1
    guard isMade, let key = unsafe key else { preconditionFailure("no key on P-256 can be made") }
    return unsafe EllipticCurveKey(owning: key)
  }

  /// The public key of a point, which must be one of the curve.
  convenience init(point: [UInt8]) throws(KeyError) {
    guard point.count == Self.pointByteCount, point[0] == 4 else { throw KeyError.malformed }
    ERR_clear_error()
    defer { ERR_clear_error() }
    let encoded = Self.publicKeyPrefix + point
    let key = unsafe encoded.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return unsafe d2i_PUBKEY(nil, &start, bytes.count)
    }
    guard let key = unsafe key else { throw KeyError.malformed }
    try unsafe self.init(checking: key)
  }

  /// A key in PEM: `PRIVATE KEY`, `EC PRIVATE KEY` or `PUBLIC KEY`, without a passphrase.
  convenience init(pem: [UInt8], isPrivate: Bool) throws(KeyError) {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard !pem.isEmpty, let count = CInt(exactly: pem.count) else { throw KeyError.malformed }
    let key = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
      let source = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
      defer { unsafe BIO_free(source) }
      // An empty passphrase, so that an encrypted key fails instead of asking on the terminal.
      return unsafe "".withCString { passphrase in
        let passphrase = unsafe UnsafeMutableRawPointer(mutating: passphrase)
        return isPrivate
          ? unsafe PEM_read_bio_PrivateKey(source, nil, nil, passphrase)
          : unsafe PEM_read_bio_PUBKEY(source, nil, nil, passphrase)
      }
    }
    guard let key = unsafe key else { throw KeyError.malformed }
    try unsafe self.init(checking: key)
  }

  /// A private key as `privateBytes` wrote it.
  convenience init(privateBytes: [UInt8]) throws(KeyError) {
    ERR_clear_error()
    defer { ERR_clear_error() }
    let key = unsafe privateBytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    guard let key = unsafe key else { throw KeyError.malformed }
    try unsafe self.init(checking: key)
  }

  /// Takes a key over, if it is one of our curve.
  private init(checking key: OpaquePointer) throws(KeyError) {
    unsafe self.key = key
    var name = [CChar](repeating: 0, count: 32)
    let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
    let text = String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
      as: UTF8.self
    )
    guard isNamed, text == "prime256v1" || text == "P-256" else { throw KeyError.otherKind }
  }

  /// The public point: 65 bytes.
  var point: [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe EVP_PKEY_get1_encoded_public_key(key, &start)
    defer { unsafe CRYPTO_free(start, #file, #line) }
    guard count == Self.pointByteCount, let start = unsafe start else {
      preconditionFailure("a key on P-256 has no uncompressed point")
    }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// The private key in DER (RFC 5915), to be sealed and never shown.
  var privateBytes: [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_PrivateKey(key, &start)
    guard count > 0, let start = unsafe start else {
      preconditionFailure("a private key cannot be encoded")
    }
    defer { unsafe CRYPTO_clear_free(start, Int(count), #file, #line) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Both parts in PEM (PKCS#8), for files.
  var privatePEM: String {
    let sink = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(sink) }
    let result = unsafe PEM_write_bio_PrivateKey(sink, key, nil, nil, 0, nil, nil)
    precondition(result == 1, "a private key cannot be written")
    return unsafe Self.text(of: sink)
  }

  /// The public part in PEM.
  var publicPEM: String {
    let sink = unsafe BIO_new(BIO_s_mem())
    defer { unsafe BIO_free(sink) }
    precondition(unsafe PEM_write_bio_PUBKEY(sink, key) == 1, "a public key cannot be written")
    return unsafe Self.text(of: sink)
  }

  private static func text(of sink: OpaquePointer?) -> String {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 512)
    while true {
      let count = unsafe BIO_read(sink, &part, CInt(part.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += part.prefix(Int(count))
    }
  }

  /// Signs a SHA-256 digest.
  func sign(digest: [UInt8]) -> ECDSASignature {
    ERR_clear_error()
    let context = unsafe EVP_PKEY_CTX_new(key, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 80)
    var count = signature.count
    let isSigned =
      unsafe EVP_PKEY_sign_init(context) == 1
      && EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1
    guard isSigned, let result = ECDSASignature(der: Array(signature.prefix(count))) else {
      preconditionFailure("a key on P-256 does not sign")
    }
    return result
  }

  /// Whether `signature` is this key's of a SHA-256 digest.
  func verify(_ signature: ECDSASignature, digest: [UInt8]) -> Bool {
    ERR_clear_error()
    defer { ERR_clear_error() }
    let idle = idleContexts.withLock { $0.popLast() }
    guard let context = unsafe idle ?? VerificationContext(key) else { return false }
    defer { idleContexts.withLock { $0.append(context) } }
    return context.verify(signature.der, digest: digest)
  }
}

/// The state of OpenSSL to verify with one key, for any number of signatures, one after the other
/// (EVP_PKEY_verify(3)).
///
/// `@unchecked Sendable`: one thread at a time has it, and takes it from under a lock.
@safe
private final class VerificationContext: @unchecked Sendable {
  private let context: OpaquePointer

  /// Nil when out of memory.
  init?(_ key: OpaquePointer) {
    guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { return nil }
    unsafe self.context = context
    guard unsafe EVP_PKEY_verify_init(context) == 1 else { return nil }
  }

  deinit { unsafe EVP_PKEY_CTX_free(context) }

  func verify(_ der: [UInt8], digest: [UInt8]) -> Bool {
    unsafe EVP_PKEY_verify(context, der, der.count, digest, digest.count) == 1
  }
}
