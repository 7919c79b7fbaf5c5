internal import COpenSSL
internal import Glibc

/// The name that a server's certificate must carry: a DNS name or an IP address.
struct ExpectedHost {
  /// Without a trailing dot, never empty.
  let name: String
  /// Whether `name` is an IPv4 or IPv6 address in text form.
  let isAddress: Bool

  /// Refuses what OpenSSL would take as "any name" (empty) or "any subdomain" (leading dot).
  init(_ host: String) throws(TLSError) {
    var name = host
    // Certificates have no room for the dot that makes a name absolute.
    if name.hasSuffix(".") { name.removeLast() }
    guard !name.isEmpty, name.utf8.count <= 253, !name.hasPrefix("."),
      name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw TLSError(.invalidHost, "cannot verify a server as \"\(host)\"")
    }
    self.name = name
    isAddress = unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 4) { room in
      unsafe inet_pton(AF_INET, name, room.baseAddress) == 1
        || inet_pton(AF_INET6, name, room.baseAddress) == 1
    }
  }

  /// Makes a client session refuse certificates for other hosts, and names the host in its hello.
  func apply(to ssl: OpaquePointer) throws(TLSError) {
    let parameters = unsafe SSL_get0_param(ssl)
    // The subject's common name is never looked at (RFC 9525 section 2), nor is `f*.example`.
    let flags =
      CUnsignedInt(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
      | CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    unsafe X509_VERIFY_PARAM_set_hostflags(parameters, flags)
    let isSet: Bool
    if isAddress {
      // No server name indication: RFC 6066 section 3 has host names only.
      isSet = unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, name) == 1
    } else {
      isSet =
        unsafe X509_VERIFY_PARAM_set1_host(parameters, name, 0) == 1
        && COpenSSL_SSL_set_tlsext_host_name(ssl, name) == 1
    }
    let reason = OpenSSLErrorQueue.drain()
    guard isSet else { throw TLSError(.invalidHost, "cannot verify \(name): \(reason)") }
  }
}
