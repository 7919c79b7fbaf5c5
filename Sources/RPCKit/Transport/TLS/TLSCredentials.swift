internal import COpenSSL

/// Certificates parsed from PEM text, in their order.
@safe
struct CertificateList: ~Copyable {
  private var certificates: [OpaquePointer]

  init(_ text: borrowing PEMText) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    unsafe certificates = text.withUnsafeBytes { unsafe Self.parse($0) }
    // The parser stops at the first thing that is not a certificate; only a clean end is an end.
    let code = ERR_peek_last_error()
    let isCleanEnd =
      ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
    let reason = OpenSSLErrorQueue.drain()
    guard isCleanEnd, unsafe !certificates.isEmpty else {
      throw TLSError(.malformedPEM, "\(text.name) holds no readable certificates: \(reason)")
    }
  }

  deinit {
    unsafe certificates.forEach { unsafe X509_free($0) }
  }

  var count: Int { unsafe certificates.count }

  /// Whether each certificate was issued by the next one.
  var isChain: Bool {
    for index in 1..<max(1, count) {
      let result = unsafe X509_check_issued(certificates[index], certificates[index - 1])
      guard result == X509_V_OK else { return false }
    }
    return true
  }

  /// Whether `key` belongs to the first certificate.
  func leafMatches(_ key: borrowing PrivateKey) -> Bool {
    guard let leaf = unsafe certificates.first else { return false }
    return unsafe X509_check_private_key(leaf, key.pointer) == 1
  }

  func forEach(_ body: (_ index: Int, _ certificate: OpaquePointer) -> Void) {
    for index in 0..<count { unsafe body(index, certificates[index]) }
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer) -> [OpaquePointer] {
    guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(clamping: bytes.count)) else {
      return unsafe []
    }
    defer { unsafe BIO_free(bio) }
    var found: [OpaquePointer] = unsafe []
    while let certificate = unsafe PEM_read_bio_X509(bio, nil, noPassword, nil) {
      unsafe found.append(certificate)
    }
    return unsafe found
  }
}

/// A private key parsed from PEM text.
@safe
struct PrivateKey: ~Copyable {
  let pointer: OpaquePointer

  init(_ text: borrowing PEMText) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    let parsed: OpaquePointer? = unsafe text.withUnsafeBytes { bytes in
      let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, CInt(clamping: bytes.count))
      defer { unsafe BIO_free(bio) }
      return unsafe PEM_read_bio_PrivateKey(bio, nil, noPassword, nil)
    }
    let reason = OpenSSLErrorQueue.drain()
    guard let parsed = unsafe parsed else {
      throw TLSError(.malformedPEM, "\(text.name) holds no readable private key: \(reason)")
    }
    unsafe pointer = parsed
  }

  deinit {
    unsafe EVP_PKEY_free(pointer)
  }
}

/// Refuses to give a password; without it OpenSSL would ask for one on the terminal.
private func noPassword(
  _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: CInt,
  _ isEncrypting: CInt,
  _ context: UnsafeMutableRawPointer?
) -> CInt {
  -1
}
