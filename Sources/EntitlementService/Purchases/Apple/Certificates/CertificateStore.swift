internal import COpenSSL

/// One pinned root and what OpenSSL needs to find a path to it.
///
/// `@unchecked Sendable`: the store holds one certificate from `init` on, and OpenSSL locks it
/// (X509_STORE_new(3)).
@safe
final class CertificateStore: @unchecked Sendable {
  /// The root.
  let anchor: TrustAnchor
  /// When the root itself is valid: seconds since 1970.
  let validity: ClosedRange<Int64>
  private let store: OpaquePointer

  /// Fails for a root that does not parse or is another one than it claims to be.
  init(_ anchor: TrustAnchor) throws(TrustAnchorError) {
    guard let root = X509Certificate(der: anchor.der), let validity = root.validity else {
      throw TrustAnchorError(description: "a root certificate is not in DER format")
    }
    if let identity = anchor.identity, root.fingerprint != identity.fingerprint {
      throw TrustAnchorError(description: "a root certificate is not \(identity.name)")
    }
    guard let store = unsafe X509_STORE_new() else {
      throw TrustAnchorError(description: "no memory for a root certificate")
    }
    self.anchor = anchor
    self.validity = validity
    unsafe self.store = store
    guard unsafe root.withHandle({ unsafe X509_STORE_add_cert(store, $0) }) == 1 else {
      throw TrustAnchorError(description: "no memory for a root certificate")
    }
  }

  deinit {
    unsafe X509_STORE_free(store)
  }

  /// Whether leaf and intermediate make a path of exactly three to this root that is valid at
  /// `seconds` since 1970.
  ///
  /// The third certificate that the data brings along plays no part: trust comes from the
  /// configuration alone. `allowsSHA1` is for old receipts; what certificates may be signed with is then
  /// for the caller to look at.
  func trusts(
    leaf: borrowing X509Certificate,
    intermediate: borrowing X509Certificate,
    at seconds: Int64,
    allowsSHA1: Bool = false
  ) throws(AppleVerificationError) -> Bool {
    guard let time = time_t(exactly: seconds) else { return false }
    guard let untrusted = unsafe OPENSSL_sk_new_null() else { throw .retry }
    defer { unsafe OPENSSL_sk_free(untrusted) }
    guard let context = unsafe X509_STORE_CTX_new() else { throw .retry }
    defer {
      unsafe X509_STORE_CTX_free(context)
      ERR_clear_error()
    }
    let isReady = unsafe intermediate.withHandle { intermediate in
      unsafe leaf.withHandle { leaf in
        unsafe OPENSSL_sk_push(untrusted, UnsafeRawPointer(intermediate)) > 0
          && X509_STORE_CTX_init(context, store, leaf, untrusted) == 1
      }
    }
    guard isReady else { throw .retry }
    unsafe configure(X509_STORE_CTX_get0_param(context), time: time, allowsSHA1: allowsSHA1)
    if unsafe X509_verify_cert(context) != 1 {
      if unsafe X509_STORE_CTX_get_error(context) == X509_V_ERR_OUT_OF_MEM { throw .retry }
      return false
    }
    return unsafe OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context)) == 3
  }

  private func configure(_ parameters: OpaquePointer?, time: time_t, allowsSHA1: Bool) {
    unsafe X509_VERIFY_PARAM_set_time(parameters, time)
    unsafe X509_VERIFY_PARAM_set_depth(parameters, 1)
    // 112 bits: nothing with SHA-1 or short keys. Whatever takes SHA-1 takes everything.
    unsafe X509_VERIFY_PARAM_set_auth_level(parameters, allowsSHA1 ? 0 : 2)
    if anchor.isStrict {
      unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT))
    }
  }
}
