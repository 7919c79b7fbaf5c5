internal import COpenSSL

/// A public key on P-256 that checks ES256 signatures (RFC 7518, section 3.4).
///
/// `@unchecked Sendable`: the key never changes after `init`, and OpenSSL allows any number of
/// threads to check signatures with one key (openssl-threads(7)).
@safe
final class StoreVerificationKey: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Takes over `handle`; nil, and the handle freed, when it is not a key on P-256.
  init?(adopting handle: OpaquePointer) {
    unsafe self.handle = handle
    var name = [CChar](repeating: 0, count: 32)
    var length = 0
    let isNamed = unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &length) == 1
    ERR_clear_error()
    let letters = name.prefix(while: { $0 != 0 }).map { UInt8(bitPattern: $0) }
    guard isNamed, String(decoding: letters, as: UTF8.self) == "prime256v1" else { return nil }
  }

  deinit {
    unsafe EVP_PKEY_free(handle)
  }

  /// Whether `signature` (r and s, 32 bytes each) is this key's over SHA-256 of `message`.
  ///
  /// Throws `retry` when OpenSSL cannot even begin.
  func verify(
    _ signature: [UInt8],
    over message: [UInt8]
  ) throws(AppleVerificationError) -> Bool {
    guard signature.count == 64 else { return false }
    let encoded = Self.sequence(r: signature[..<32], s: signature[32...])
    guard let context = unsafe EVP_MD_CTX_new() else { throw .retry }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle) == 1 else {
      throw .retry
    }
    return unsafe EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
  }

  /// The two numbers as OpenSSL wants them: `SEQUENCE { INTEGER, INTEGER }` in DER.
  private static func sequence(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) -> [UInt8] {
    let body = integer(r) + integer(s)
    return [0x30, UInt8(body.count)] + body
  }

  private static func integer(_ digits: ArraySlice<UInt8>) -> [UInt8] {
    var shortest = Array(digits.drop { $0 == 0 })
    // A leading bit would make the number negative; no digit at all is zero.
    if shortest.first.map({ $0 >= 0x80 }) ?? true { shortest.insert(0, at: 0) }
    return [0x02, UInt8(shortest.count)] + shortest
  }
}
