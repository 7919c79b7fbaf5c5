internal import COpenSSL

/// The callback of OpenSSL for each certificate of a peer's chain, after its own checks.
///
/// OpenSSL has checked signatures, dates, purposes, name constraints, the security level and, for
/// clients, the host name. Two things that it lets pass are refused here.
func verifyCertificate(_ isAcceptable: CInt, _ store: OpaquePointer?) -> CInt {
  guard isAcceptable == 1 else { return 0 }
  let depth = unsafe X509_STORE_CTX_get_error_depth(store)
  guard let certificate = unsafe X509_STORE_CTX_get_current_cert(store) else { return 0 }
  if depth == 0 {
    // Without the extension a certificate is good for everything (RFC 5280 section 4.2.1.12), so
    // a server's could be used as a client's. Ours have to say what they are for.
    guard unsafe X509_get_extended_key_usage(certificate) != UInt32.max else {
      unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_PURPOSE)
      return 0
    }
  } else {
    // 1 is "basic constraints say CA"; the other values are guesses for certificates of the 1990s
    // (X509_check_ca(3)).
    guard unsafe X509_check_ca(certificate) == 1 else {
      unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_CA)
      return 0
    }
  }
  return 1
}
