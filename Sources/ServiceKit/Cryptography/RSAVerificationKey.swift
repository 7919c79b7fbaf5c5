internal import COpenSSL

/// A public RSA key that verifies tokens signed with RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518,
/// section 3.3).
///
/// `@unchecked Sendable`: the key never changes after `init`, and OpenSSL lets any number of threads
/// use one that does not change (openssl-threads(7)).
@safe
package final class RSAVerificationKey: @unchecked Sendable {
  private let key: OpaquePointer

  /// The algorithm, as tokens and key sets name it.
  package static let algorithm = "RS256"
  /// Bits of a modulus: fewer are too weak (RFC 7518, section 3.3), more cost too much to verify with.
  package static let modulusBits = 2048...4096
  /// Bytes of an exponent, at most; nearly all keys have 65537.
  private static let exponentByteCountMax = 8

  /// The beginning of a public RSA key in DER: its algorithm, without parameters (RFC 3279, section 2.3.1).
  private static let algorithmIdentifier: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  /// The key of a modulus and an exponent, both big-endian and without leading zeros.
  ///
  /// Throws `malformed` for numbers that cannot be a key or are outside of what is accepted here: 2048 to
  /// 4096 bits, an odd exponent of at least 3.
  package init(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
    guard let top = modulus.first, top != 0, modulus.count <= Self.modulusBits.upperBound / 8,
      Self.modulusBits.contains(modulus.count * 8 - top.leadingZeroBitCount),
      modulus.last.map({ $0 & 1 == 1 }) == true,
      exponent.first.map({ $0 != 0 }) == true, exponent.count <= Self.exponentByteCountMax,
      exponent.last.map({ $0 & 1 == 1 }) == true, exponent != [1]
    else { throw .malformed }
    ERR_clear_error()
    defer { ERR_clear_error() }
    let numbers = Self.element(0x30, Self.integer(modulus) + Self.integer(exponent))
    let encoded = Self.element(
      0x30,
      Self.algorithmIdentifier + Self.element(0x03, [0] + numbers)
    )
    let key = unsafe encoded.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return unsafe d2i_PUBKEY(nil, &start, bytes.count)
    }
    guard let key = unsafe key else { throw .malformed }
    unsafe self.key = key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Whether `signature`, as long as the modulus, is this key's of `message`.
  package func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    ERR_clear_error()
    defer { ERR_clear_error() }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    // Without anything else said the padding is that of PKCS #1, version 1.5 (EVP_PKEY_CTX_ctrl(3)).
    return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// A number that is not negative, in DER; `digits` has no leading zeros.
  private static func integer(_ digits: [UInt8]) -> [UInt8] {
    let needsZero = digits.first.map { $0 >= 0x80 } ?? true
    return element(0x02, (needsZero ? [0] : []) + digits)
  }

  /// An element of DER with fewer than 65,536 bytes (X.690, section 8.1.3).
  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
      }
    return [tag] + length + content
  }
}
