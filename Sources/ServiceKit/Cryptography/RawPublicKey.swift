internal import COpenSSL

/// Why a signature was not accepted.
public enum SignatureError: Error, Hashable, Sendable {
  /// The bytes are no key of their kind, or one of a size that is not used.
  case key
  /// The signature is not the key's of the message.
  case signature
}

/// A public key as authenticators give it (RFC 9053, RFC 8230): its numbers, without an encoding
/// around.
///
/// It is made ready for OpenSSL at each use, because keys of users are seen too seldom to be kept.
/// That is why P-256 keys use EC_KEY: see docs/decisions/0130.
public enum RawPublicKey: Hashable, Sendable {
  /// ES256: the coordinates of a point on P-256, 32 bytes each.
  case p256(x: [UInt8], y: [UInt8])
  /// RS256: modulus and exponent, big-endian and without leading zeros.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// EdDSA: a key of Ed25519, 32 bytes (RFC 8032, section 5.1.5).
  case ed25519([UInt8])

  /// Bits that a modulus may have: fewer are broken, more are work for anyone who checks.
  public static let modulusBits = 2048...4096

  /// Returns when `signature` is this key's of `message`, and throws otherwise.
  ///
  /// ES256 signatures are DER with the shortest lengths, as authenticators write them; RS256 is
  /// PKCS#1 v1.5 and as long as the modulus; EdDSA has 64 bytes. Takes 0.02 to 0.2 ms.
  public func verify(
    _ signature: [UInt8],
    of message: [UInt8]
  ) throws(SignatureError) {
    ERR_clear_error()
    defer { ERR_clear_error() }
    let isRight =
      switch self {
      case .p256(let x, let y):
        try Self.verify(signature, of: message, point: Self.point(x, y))
      case .rsa(let modulus, let exponent):
        try unsafe Self.verify(
          signature,
          of: message,
          EVP_sha256(),
          Self.rsaKey(modulus, exponent)
        )
      case .ed25519(let key):
        try unsafe Self.verify(signature, of: message, nil, Self.ed25519Key(key))
      }
    guard isRight else { throw .signature }
  }

  /// Throws `key` unless these are the numbers of a key: a point of the curve, a modulus of a size
  /// that is used.
  public func check() throws(SignatureError) {
    ERR_clear_error()
    defer { ERR_clear_error() }
    switch self {
    case .p256(let x, let y):
      let key = try unsafe Self.curveKey(Self.point(x, y))
      unsafe COpenSSL_EC_KEY_free(key)
    case .rsa(let modulus, let exponent):
      let key = try unsafe Self.rsaKey(modulus, exponent)
      unsafe EVP_PKEY_free(key)
    case .ed25519(let key):
      let key = try unsafe Self.ed25519Key(key)
      unsafe EVP_PKEY_free(key)
    }
  }

  // MARK: - P-256

  /// 4, then x, then y (SEC 1, section 2.3.3).
  private static func point(_ x: [UInt8], _ y: [UInt8]) throws(SignatureError) -> [UInt8] {
    guard x.count == 32, y.count == 32 else { throw .key }
    return [4] + x + y
  }

  /// A key to be freed; its point was found to be on the curve.
  @unsafe private static func curveKey(_ point: [UInt8]) throws(SignatureError) -> OpaquePointer {
    guard let key = unsafe COpenSSL_EC_KEY_new_P256() else { throw .key }
    guard unsafe COpenSSL_EC_KEY_oct2key(key, point, point.count) == 1 else {
      unsafe COpenSSL_EC_KEY_free(key)
      throw .key
    }
    return unsafe key
  }

  private static func verify(
    _ signature: [UInt8],
    of message: [UInt8],
    point: [UInt8]
  ) throws(SignatureError) -> Bool {
    let key = try unsafe curveKey(point)
    defer { unsafe COpenSSL_EC_KEY_free(key) }
    let digest = Digests.sha256(message)
    guard let count = CInt(exactly: signature.count) else { return false }
    // -1 is an error, and no yes (ECDSA_verify(3)).
    return unsafe COpenSSL_ECDSA_verify(digest, CInt(digest.count), signature, count, key) == 1
  }

  // MARK: - RSA and Ed25519

  /// Checks with a key, which it frees.
  private static func verify(
    _ signature: [UInt8],
    of message: [UInt8],
    _ digest: OpaquePointer?,
    _ key: OpaquePointer
  ) throws(SignatureError) -> Bool {
    defer { unsafe EVP_PKEY_free(key) }
    guard unsafe signature.count == Int(EVP_PKEY_get_size(key)) else { return false }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    return unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// A key to be freed.
  @unsafe private static func ed25519Key(_ key: [UInt8]) throws(SignatureError) -> OpaquePointer {
    guard key.count == 32, !Ed25519Point.isOfSmallOrder(key),
      let key = unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count)
    else { throw .key }
    return unsafe key
  }

  /// A key to be freed.
  @unsafe private static func rsaKey(
    _ modulus: [UInt8],
    _ exponent: [UInt8]
  ) throws(SignatureError) -> OpaquePointer {
    try checkSizes(modulus, exponent)
    let (n, e) = unsafe (
      BN_bin2bn(modulus, CInt(modulus.count), nil), BN_bin2bn(exponent, CInt(exponent.count), nil)
    )
    let builder = unsafe OSSL_PARAM_BLD_new()
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
    defer {
      unsafe BN_free(n)
      unsafe BN_free(e)
      unsafe OSSL_PARAM_BLD_free(builder)
      unsafe EVP_PKEY_CTX_free(context)
    }
    guard unsafe COpenSSL_OSSL_PARAM_BLD_push_RSA_N(builder, n) == 1,
      unsafe COpenSSL_OSSL_PARAM_BLD_push_RSA_E(builder, e) == 1,
      let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
    else { throw .key }
    defer { unsafe OSSL_PARAM_free(parameters) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, COpenSSL_EVP_PKEY_PUBLIC_KEY, parameters) == 1,
      let key = unsafe key
    else { throw .key }
    return unsafe key
  }

  /// Before OpenSSL works with them: what a long exponent costs is for anyone who checks to pay.
  private static func checkSizes(_ modulus: [UInt8], _ exponent: [UInt8]) throws(SignatureError) {
    guard let first = modulus.first, let last = modulus.last, let low = exponent.last,
      let high = exponent.first
    else { throw .key }
    let bits = modulus.count * 8 - first.leadingZeroBitCount
    guard first != 0, last & 1 == 1, modulusBits.contains(bits), high != 0, exponent.count <= 4,
      low & 1 == 1, exponent != [1]
    else { throw .key }
  }
}
