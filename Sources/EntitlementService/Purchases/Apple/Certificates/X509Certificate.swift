internal import COpenSSL
internal import Glibc

/// A parsed certificate (X509_new(3)).
///
/// Parsing says nothing about trust.
@safe
struct X509Certificate: ~Copyable {
  private let handle: OpaquePointer

  /// Parses one certificate; nil when `der` is not exactly one.
  init?(der: [UInt8]) {
    let handle = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      guard let parsed = unsafe d2i_X509(nil, &position, bytes.count) else { return nil }
      guard unsafe position == bytes.baseAddress?.advanced(by: bytes.count) else {
        unsafe X509_free(parsed)
        return nil
      }
      return unsafe parsed
    }
    ERR_clear_error()
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = handle
  }

  deinit {
    unsafe X509_free(handle)
  }

  /// Lends the certificate to OpenSSL; the pointer must not leave `body`.
  @unsafe func withHandle<Result, Failure: Error>(
    _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(handle)
  }

  /// Seconds since 1970 from which and until which the certificate is valid, both included; nil when
  /// they are not dates.
  var validity: ClosedRange<Int64>? {
    guard
      let start = unsafe Self.seconds(X509_get0_notBefore(handle)),
      let end = unsafe Self.seconds(X509_get0_notAfter(handle)),
      start <= end
    else { return nil }
    return start...end
  }

  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = unsafe tm()
    guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return unsafe Int64(timegm(&parts))
  }

  /// Whether the certificate has an extension with this object identifier, written with dots.
  func hasExtension(_ identifier: String) -> Bool {
    guard let object = unsafe OBJ_txt2obj(identifier, 1) else { return false }
    defer { unsafe ASN1_OBJECT_free(object) }
    return unsafe X509_get_ext_by_OBJ(handle, object, -1) >= 0
  }

  /// Whether the certificate says that it may sign others: basic constraints and key usage.
  var maySignCertificates: Bool {
    // 1 is "the extensions say so"; the other values are guesses for certificates of the 1990s
    // (X509_check_ca(3)).
    guard unsafe X509_check_ca(handle) == 1 else { return false }
    return unsafe X509_get_key_usage(handle) & UInt32(KU_KEY_CERT_SIGN) != 0
  }

  /// Whether the certificate is signed over a digest that Apple has ever used for receipts: SHA-1 or SHA-2.
  var hasKnownDigest: Bool {
    var digest: CInt = 0
    let signature = unsafe X509_get_signature_nid(handle)
    guard unsafe OBJ_find_sigid_algs(signature, &digest, nil) == 1 else { return false }
    return [NID_sha1, NID_sha256, NID_sha384, NID_sha512].contains(digest)
  }

  /// SHA-256 of the whole certificate.
  var fingerprint: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { target, count in
      var size: CUnsignedInt = 0
      let result = unsafe X509_digest(handle, EVP_sha256(), target.baseAddress, &size)
      count = result == 1 ? Int(size) : 0
    }
  }

  /// Bytes of the serial number, without its sign.
  var serialNumber: [UInt8] {
    guard let number = unsafe X509_get0_serialNumber(handle) else { return [] }
    let count = Int(unsafe ASN1_STRING_length(number))
    return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: count))
  }

  /// The public key, when it is one for ES256.
  var verificationKey: StoreVerificationKey? {
    guard let key = unsafe X509_get_pubkey(handle) else {
      ERR_clear_error()
      return nil
    }
    return unsafe StoreVerificationKey(adopting: key)
  }
}
