import COpenSSL

/// A private RSA key of a provider that the tests play.
///
/// `@unchecked Sendable`: the key never changes after `init` (openssl-threads(7)).
@safe
final class RSATestKey: @unchecked Sendable {
  private let key: OpaquePointer

  /// Two for all tests: making one takes a while.
  static let shared = RSATestKey()
  static let other = RSATestKey()

  init(bits: CInt = 2048) {
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    let isMade =
      unsafe EVP_PKEY_keygen_init(context) == 1
      && EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1
      && EVP_PKEY_generate(context, &key) == 1
    guard isMade, let key = unsafe key else { preconditionFailure("no RSA key can be made") }
    unsafe self.key = key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  var modulus: [UInt8] { number("n") }
  var exponent: [UInt8] { number("e") }

  private func number(_ name: String) -> [UInt8] {
    var number: OpaquePointer?
    let isFound = unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1
    precondition(isFound, "an RSA key has \(name)")
    defer { unsafe BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: Int(unsafe BN_num_bits(number) + 7) / 8)
    let count = unsafe BN_bn2bin(number, &bytes)
    precondition(Int(count) == bytes.count, "a number has as many bytes as its bits need")
    return bytes
  }

  /// A signature by RS256.
  func sign(_ message: [UInt8]) -> [UInt8] {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: 1024)
    var count = signature.count
    let isSigned =
      unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    precondition(isSigned, "an RSA key signs")
    return Array(signature.prefix(count))
  }
}
