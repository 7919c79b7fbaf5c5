internal import COpenSSL

/// The signed message that a legacy receipt is in (CMS SignedData, RFC 5652), with a signature that fits the
/// certificate it brings along.
///
/// Whether that certificate may sign receipts is another question; see `ReceiptVerifier`.
struct ReceiptContainer {
  /// Certificates in a receipt, at most; Apple's have three.
  static let certificateCountMax = 8

  /// The signed content.
  let content: [UInt8]
  /// The certificate of the signer (DER).
  let signer: [UInt8]
  /// The other certificates (DER).
  let others: [[UInt8]]
  /// Whether the signature is over a SHA-1 digest.
  let usesSHA1: Bool

  /// Parses a message and checks its signature.
  ///
  /// Throws `malformed` for anything but one message of one signer with its content in it, or
  /// `badSignature`.
  init(der: [UInt8]) throws(AppleVerificationError) {
    defer { ERR_clear_error() }
    guard let message = unsafe Self.parse(der) else { throw .invalid(.malformed) }
    defer { unsafe CMS_ContentInfo_free(message) }
    guard unsafe OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed,
      unsafe OBJ_obj2nid(CMS_get0_eContentType(message)) == NID_pkcs7_data,
      let content = unsafe Self.content(of: message)
    else { throw .invalid(.malformed) }
    // Looked at before anything is computed: each signer and each certificate costs.
    let signers = unsafe CMS_get0_SignerInfos(message)
    guard unsafe OPENSSL_sk_num(signers) == 1, let signerInfo = unsafe OPENSSL_sk_value(signers, 0)
    else { throw .invalid(.malformed) }
    let certificates = try unsafe Self.certificates(of: message)
    let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY)
    guard unsafe CMS_verify(message, nil, nil, nil, nil, flags) == 1 else {
      throw .invalid(.badSignature)
    }
    var certificate: OpaquePointer?
    var algorithm: UnsafeMutablePointer<X509_ALGOR>?
    unsafe CMS_SignerInfo_get0_algs(OpaquePointer(signerInfo), nil, &certificate, &algorithm, nil)
    guard let certificate = unsafe certificate, let algorithm = unsafe algorithm,
      let signer = unsafe Self.der(of: certificate)
    else { throw .invalid(.badCertificate) }
    switch unsafe OBJ_obj2nid(algorithm.pointee.algorithm) {
    case NID_sha1: usesSHA1 = true
    case NID_sha256, NID_sha384, NID_sha512: usesSHA1 = false
    default: throw .invalid(.wrongAlgorithm)
    }
    self.content = content
    self.signer = signer
    others = certificates.filter { $0 != signer }
  }

  /// The message, if that is all there is.
  private static func parse(_ der: [UInt8]) -> OpaquePointer? {
    unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      guard let parsed = unsafe d2i_CMS_ContentInfo(nil, &position, bytes.count) else { return nil }
      guard unsafe position == bytes.baseAddress?.advanced(by: bytes.count) else {
        unsafe CMS_ContentInfo_free(parsed)
        return nil
      }
      return unsafe parsed
    }
  }

  private static func content(of message: OpaquePointer) -> [UInt8]? {
    guard let place = unsafe CMS_get0_content(message), let text = unsafe place.pointee else {
      return nil
    }
    let count = Int(unsafe ASN1_STRING_length(text))
    return unsafe Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: count))
  }

  /// The certificates in the message (DER).
  private static func certificates(
    of message: OpaquePointer
  ) throws(AppleVerificationError) -> [[UInt8]] {
    guard let stack = unsafe CMS_get1_certs(message) else { throw .invalid(.malformed) }
    let count = unsafe OPENSSL_sk_num(stack)
    defer {
      for index in 0..<max(0, count) {
        if let raw = unsafe OPENSSL_sk_value(stack, index) { unsafe X509_free(OpaquePointer(raw)) }
      }
      unsafe OPENSSL_sk_free(stack)
    }
    guard (1...Self.certificateCountMax).contains(Int(count)) else { throw .invalid(.malformed) }
    var certificates: [[UInt8]] = []
    for index in 0..<count {
      guard let raw = unsafe OPENSSL_sk_value(stack, index),
        let der = unsafe Self.der(of: OpaquePointer(raw))
      else { throw .invalid(.badCertificate) }
      certificates.append(der)
    }
    return certificates
  }

  /// The bytes of a certificate; nil for one that is larger than any of Apple's.
  private static func der(of certificate: OpaquePointer) -> [UInt8]? {
    let count = Int(unsafe i2d_X509(certificate, nil))
    guard (1...CertificateChains.certificateByteCountMax).contains(count) else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
      var position = target.baseAddress
      written = max(0, Int(unsafe i2d_X509(certificate, &position)))
    }
  }
}
