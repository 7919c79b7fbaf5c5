internal import COpenSSL

extension PeerCertificate {
  /// Reads names and fingerprint of the verified leaf certificate; nil when there was none.
  ///
  /// Names with bytes outside printable ASCII are left out: an embedded NUL or an overlong
  /// encoding must not turn into a name that somebody trusts.
  init?(of ssl: OpaquePointer) {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
    unsafe self.init(
      dnsNames: [],
      uris: [],
      fingerprint: [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { target, count in
        var size: CUnsignedInt = 0
        let result = unsafe X509_digest(certificate, EVP_sha256(), target.baseAddress, &size)
        count = result == 1 ? Int(size) : 0
      }
    )
    guard fingerprint.count == 32 else { return nil }
    guard
      let names = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil)
        .map({ OpaquePointer($0) })
    else { return }
    defer { unsafe GENERAL_NAMES_free(names) }
    for index in 0..<max(0, unsafe COpenSSL_sk_GENERAL_NAME_num(names)) {
      let name = unsafe COpenSSL_sk_GENERAL_NAME_value(names, index)
      guard let text = unsafe Self.printable(COpenSSL_GENERAL_NAME_text(name)) else { continue }
      if unsafe COpenSSL_GENERAL_NAME_type(name) == GEN_URI {
        uris.append(text)
      } else {
        dnsNames.append(text)
      }
    }
  }

  private static func printable(_ string: UnsafePointer<ASN1_STRING>?) -> String? {
    guard let string = unsafe string else { return nil }
    let count = unsafe Int(ASN1_STRING_length(string))
    let bytes = unsafe UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count)
    guard !bytes.isEmpty, unsafe bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    return unsafe String(decoding: bytes, as: UTF8.self)
  }
}
