internal import COpenSSL

/// The certificate with which an authenticator signs that it made a key (WebAuthn, section 8.2.1).
///
/// Says nothing about trust: the one who made the certificate is not looked at.
package struct AttestationCertificate: Sendable {
  /// The kind of key, as COSE names algorithms.
  package enum Kind: Sendable {
    /// ECDSA on P-256 with SHA-256.
    case es256
    /// RSA with PKCS#1 v1.5 and SHA-256.
    case rs256
    /// Ed25519.
    case ed25519
  }

  /// Where a certificate names the model of the authenticator (id-fido-gen-ce-aaguid).
  private static let modelExtension = "1.3.6.1.4.1.45724.1.1.4"
  private static let byteCountMax = 8 * 1024

  private let der: [UInt8]
  /// The model that the certificate was made for, 16 bytes; nil when it does not say.
  package let model: [UInt8]?

  /// Reads a certificate; throws `key` for one that is none of an authenticator: version 3, a
  /// subject with country, organization, the unit "Authenticator Attestation" and a name, and no
  /// authority.
  package init(der: [UInt8]) throws(SignatureError) {
    guard der.count <= Self.byteCountMax else { throw .key }
    self.der = der
    let certificate = try unsafe Self.parse(der)
    defer { unsafe X509_free(certificate) }
    let flags = unsafe X509_get_extension_flags(certificate)
    // 2 is version 3.
    guard unsafe X509_get_version(certificate) == 2,
      flags & UInt32(EXFLAG_INVALID) == 0, flags & UInt32(EXFLAG_BCONS) != 0,
      flags & UInt32(EXFLAG_CA) == 0
    else { throw .key }
    let subject = unsafe X509_get_subject_name(certificate)
    func text(_ identifier: CInt) -> String {
      var text = [CChar](repeating: 0, count: 256)
      let count = unsafe X509_NAME_get_text_by_NID(subject, identifier, &text, CInt(text.count))
      return String(
        decoding: text.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) },
        as: UTF8.self
      )
    }
    guard text(NID_countryName).utf8.count == 2, !text(NID_organizationName).isEmpty,
      text(NID_organizationalUnitName) == "Authenticator Attestation",
      !text(NID_commonName).isEmpty
    else { throw .key }
    model = try unsafe Self.model(of: certificate)
  }

  /// Returns when `signature` is of the key in the certificate, and throws otherwise.
  package func verify(
    _ signature: [UInt8],
    of message: [UInt8],
    _ kind: Kind
  ) throws(SignatureError) {
    let certificate = try unsafe Self.parse(der)
    ERR_clear_error()
    defer {
      unsafe X509_free(certificate)
      ERR_clear_error()
    }
    guard let key = unsafe X509_get0_pubkey(certificate), unsafe Self.isKey(key, kind) else {
      throw .key
    }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    let digest: OpaquePointer?
    switch kind {
    case .es256, .rs256: unsafe digest = EVP_sha256()
    case .ed25519: unsafe digest = nil
    }
    guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1,
      unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    else { throw .signature }
  }

  /// A certificate to be freed; there is nothing after it.
  @unsafe private static func parse(_ der: [UInt8]) throws(SignatureError) -> OpaquePointer {
    ERR_clear_error()
    defer { ERR_clear_error() }
    var isWhole = false
    let certificate = unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      let parsed = unsafe d2i_X509(nil, &position, bytes.count)
      unsafe isWhole = position == bytes.baseAddress?.advanced(by: bytes.count)
      return unsafe parsed
    }
    guard let certificate = unsafe certificate else { throw .key }
    guard isWhole else {
      unsafe X509_free(certificate)
      throw .key
    }
    return unsafe certificate
  }

  /// The contents of the extension: an OCTET STRING in the OCTET STRING that every extension is, not
  /// critical.
  @unsafe private static func model(
    of certificate: OpaquePointer
  ) throws(SignatureError) -> [UInt8]? {
    guard let object = unsafe OBJ_txt2obj(modelExtension, 1) else { throw .key }
    defer { unsafe ASN1_OBJECT_free(object) }
    let place = unsafe X509_get_ext_by_OBJ(certificate, object, -1)
    guard place >= 0 else { return nil }
    let found = unsafe X509_get_ext(certificate, place)
    let value = unsafe X509_EXTENSION_get_data(found)
    let count = unsafe Int(ASN1_STRING_length(value))
    guard unsafe X509_EXTENSION_get_critical(found) == 0, count == 18,
      let start = unsafe ASN1_STRING_get0_data(value)
    else { throw .key }
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard bytes[0] == 4, bytes[1] == 16 else { throw .key }
    return Array(bytes[2...])
  }

  @unsafe private static func isKey(_ key: OpaquePointer, _ kind: Kind) -> Bool {
    let type = unsafe EVP_PKEY_get_base_id(key)
    let bits = unsafe Int(EVP_PKEY_get_bits(key))
    switch kind {
    case .es256:
      var name = [CChar](repeating: 0, count: 32)
      let isNamed = unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
      let text = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return type == EVP_PKEY_EC && isNamed && text == Array("prime256v1".utf8)
    case .rs256: return type == EVP_PKEY_RSA && RawPublicKey.modulusBits.contains(bits)
    case .ed25519: return type == EVP_PKEY_ED25519
    }
  }
}
