internal import COpenSSL

/// A key that seals secrets for storage: AES-256-GCM, with what the secret is bound in.
///
/// A sealed secret is a version byte, a nonce of 12 random bytes, the ciphertext and a tag of 16.
public struct SealingKey: Sendable {
  /// Why sealed bytes do not open.
  public enum Failure: Error, Hashable, Sendable {
    /// They were not sealed by this key for this purpose, or were changed since.
    case notAuthentic
  }

  /// Bytes of a key.
  public static let byteCount = 32

  private static let version: UInt8 = 1
  private static let nonceByteCount = 12
  private static let tagByteCount = 16
  private let key: [UInt8]

  /// Takes a key of 32 bytes; nil for any other length.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    key = bytes
  }

  /// Seals `secret`; it opens only for the same `purpose`, so that one sealed secret cannot be put in
  /// the place of another.
  public func seal(_ secret: [UInt8], for purpose: String, random: any RandomSource) -> [UInt8] {
    let nonce = random.bytes(Self.nonceByteCount)
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var ciphertext = [UInt8](repeating: 0, count: secret.count + Self.tagByteCount)
    var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
    var count: CInt = 0
    var lastCount: CInt = 0
    let bound = Self.bound(to: purpose)
    let isSealed =
      unsafe EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
      && EVP_EncryptUpdate(context, nil, &count, bound, CInt(bound.count)) == 1
      && EVP_EncryptUpdate(context, &ciphertext, &count, secret, CInt(secret.count)) == 1
      && EVP_EncryptFinal_ex(context, &tag, &lastCount) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(Self.tagByteCount), &tag) == 1
    precondition(isSealed && Int(count) == secret.count, "AES-256-GCM failed: out of memory")
    return [Self.version] + nonce + ciphertext.prefix(secret.count) + tag
  }

  /// Opens what `seal` made for `purpose`.
  public func open(_ sealed: [UInt8], for purpose: String) throws(Failure) -> [UInt8] {
    let overhead = 1 + Self.nonceByteCount + Self.tagByteCount
    guard sealed.count >= overhead, sealed[0] == Self.version,
      sealed.count < Int(CInt.max)
    else { throw .notAuthentic }
    let nonce = Array(sealed[1..<1 + Self.nonceByteCount])
    let ciphertext = Array(sealed[(1 + Self.nonceByteCount)..<(sealed.count - Self.tagByteCount)])
    var tag = Array(sealed.suffix(Self.tagByteCount))
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var secret = [UInt8](repeating: 0, count: ciphertext.count + Self.tagByteCount)
    var last = [UInt8](repeating: 0, count: Self.tagByteCount)
    var count: CInt = 0
    var lastCount: CInt = 0
    let bound = Self.bound(to: purpose)
    let isAuthentic =
      unsafe EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
      && EVP_DecryptUpdate(context, nil, &count, bound, CInt(bound.count)) == 1
      && EVP_DecryptUpdate(context, &secret, &count, ciphertext, CInt(ciphertext.count)) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(Self.tagByteCount), &tag) == 1
      && EVP_DecryptFinal_ex(context, &last, &lastCount) == 1
    ERR_clear_error()
    guard isAuthentic else { throw .notAuthentic }
    return Array(secret.prefix(ciphertext.count))
  }

  private static func bound(to purpose: String) -> [UInt8] { [version] + Array(purpose.utf8) }
}
