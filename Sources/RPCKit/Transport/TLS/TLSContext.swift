internal import COpenSSL

/// Certificates, keys and rules that any number of sessions share: an `SSL_CTX`.
///
/// Complete and consistent once it exists, and never changed afterwards.
// OpenSSL's own locks protect a context that nobody configures: `SSL_new` from several
// threads is allowed (openssl-threads(7)). Everything here is set in `init` and constant after.
@safe
package final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer
  /// How the sessions of this context reach their buffers.
  let byteStoreMethod: OpaquePointer
  /// The configuration that the context was made from.
  package let configuration: TLSConfiguration

  // ALPN names as on the wire, each behind its length. OpenSSL's callback keeps a pointer to it.
  private let protocolNames: UnsafeMutablePointer<ApplicationProtocolList>

  /// Reads files, and throws when anything is missing, unreadable or contradicts the rest.
  package convenience init(_ configuration: TLSConfiguration) throws(TLSError) {
    try self.init(configuration, policy: .modern)
  }

  init(_ configuration: TLSConfiguration, policy: TLSPolicy) throws(TLSError) {
    let names = try ApplicationProtocolList(configuration.applicationProtocols)
    OpenSSLErrorQueue.clear()
    let method = unsafe configuration.isServer ? TLS_server_method() : TLS_client_method()
    guard let pointer = unsafe SSL_CTX_new(method) else {
      throw TLSError(.refusedBySecurityLevel, "SSL_CTX_new: \(OpenSSLErrorQueue.drain())")
    }
    self.configuration = configuration
    unsafe self.pointer = pointer
    unsafe byteStoreMethod = TLSByteStore.makeMethod()
    unsafe protocolNames = .allocate(capacity: 1)
    unsafe protocolNames.initialize(to: names)

    try applyPolicy(policy)
    if policy.speaksApplicationProtocols { try applyApplicationProtocols() }
    switch configuration.role {
    case .server(let identity, let clients):
      try use(identity)
      try applyClientVerification(clients)
    case .client(let identity, let roots, _):
      if let identity { try use(identity) }
      try trust(roots)
      unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, verifyCertificate)
    }
  }

  /// Whether the own certificate says that it is for a server, and for a client (RFC 5280, section 4.2.1.12).
  ///
  /// One that says nothing is for neither: peers of this library refuse it.
  package var certificateUsage: (server: Bool, client: Bool) {
    guard let certificate = unsafe SSL_CTX_get0_certificate(pointer) else { return (false, false) }
    let usage = unsafe X509_get_extended_key_usage(certificate)
    guard usage != UInt32.max else { return (false, false) }
    return (usage & UInt32(XKU_SSL_SERVER) != 0, usage & UInt32(XKU_SSL_CLIENT) != 0)
  }

  deinit {
    unsafe SSL_CTX_free(pointer)
    unsafe BIO_meth_free(byteStoreMethod)
    unsafe protocolNames.deinitialize(count: 1)
    unsafe protocolNames.deallocate()
  }

  private func applyPolicy(_ policy: TLSPolicy) throws(TLSError) {
    let versionMin =
      policy.versionMin ?? (configuration.versionMin == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION)
    unsafe SSL_CTX_set_security_level(pointer, policy.securityLevel)
    unsafe SSL_CTX_set_verify_depth(pointer, policy.chainLengthMax)
    // Tickets and the session cache are off: connections live long, and a resumed session would
    // skip the verification of certificates, so that an expired client could come back.
    unsafe COpenSSL_SSL_CTX_set_session_cache_mode(pointer, CLong(SSL_SESS_CACHE_OFF))
    unsafe SSL_CTX_set_num_tickets(pointer, 0)
    unsafe SSL_CTX_set_options(
      pointer,
      COpenSSL_OP_NO_RENEGOTIATION | COpenSSL_OP_NO_COMPRESSION | COpenSSL_OP_NO_TICKET
        | COpenSSL_OP_CIPHER_SERVER_PREFERENCE
    )
    // Released buffers are what keeps an idle connection small. Our buffers move between calls.
    // Only the chain from the file is sent, so that a missing intermediate shows at once.
    unsafe COpenSSL_SSL_CTX_set_mode(
      pointer,
      CLong(SSL_MODE_RELEASE_BUFFERS) | CLong(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        | CLong(SSL_MODE_NO_AUTO_CHAIN)
    )
    let isApplied =
      unsafe COpenSSL_SSL_CTX_set_min_proto_version(pointer, versionMin) == 1
      && COpenSSL_SSL_CTX_set_max_proto_version(pointer, policy.versionMax) == 1
      && SSL_CTX_set_cipher_list(pointer, policy.ciphers) == 1
      && SSL_CTX_set_ciphersuites(pointer, policy.cipherSuites) == 1
      && COpenSSL_SSL_CTX_set1_groups_list(pointer, policy.groups) == 1
    try check(isApplied, "protocol versions and ciphers")
  }

  private func applyApplicationProtocols() throws(TLSError) {
    if configuration.isServer {
      unsafe SSL_CTX_set_alpn_select_cb(pointer, selectApplicationProtocol, protocolNames)
      if configuration.requiresApplicationProtocol {
        unsafe SSL_CTX_set_client_hello_cb(pointer, refuseHelloWithoutApplicationProtocol, nil)
      }
    } else {
      let wire = unsafe protocolNames.pointee.wire
      // The one OpenSSL call here where zero means success.
      let result = unsafe SSL_CTX_set_alpn_protos(pointer, wire, CUnsignedInt(wire.count))
      try check(result == 0, "ALPN names")
    }
  }

  private func use(_ identity: TLSConfiguration.Identity) throws(TLSError) {
    let chainText = try PEMText(identity.certificateChain, holding: "certificate chain")
    let keyText = try PEMText(identity.privateKey, holding: "private key")
    let chain = try CertificateList(chainText)
    let key = try PrivateKey(keyText)
    guard chain.isChain else {
      throw TLSError(
        .inconsistentChain,
        "\(chainText.name): a certificate was not issued by the one that follows it"
      )
    }
    guard chain.leafMatches(key) else {
      _ = OpenSSLErrorQueue.drain()
      throw TLSError(.keyMismatch, "\(keyText.name) does not belong to \(chainText.name)")
    }
    var isUsed = true
    unsafe chain.forEach { index, certificate in
      let result =
        unsafe index == 0
        ? SSL_CTX_use_certificate(pointer, certificate)
        : COpenSSL_SSL_CTX_add1_chain_cert(pointer, certificate)
      isUsed = isUsed && result == 1
    }
    try check(isUsed, chainText.name)
    try check(unsafe SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1, keyText.name)
  }

  private func applyClientVerification(
    _ clients: TLSConfiguration.ClientVerification
  ) throws(TLSError) {
    switch clients {
    case .none:
      unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
    case .optional(let roots):
      try trust(.pem(roots))
      unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, verifyCertificate)
    case .required(let roots):
      try trust(.pem(roots))
      let mode = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
      unsafe SSL_CTX_set_verify(pointer, mode, verifyCertificate)
    }
  }

  private func trust(_ roots: TLSConfiguration.TrustRoots) throws(TLSError) {
    switch roots {
    case .system:
      try check(unsafe SSL_CTX_set_default_verify_paths(pointer) == 1, "the system's trust roots")
    case .pem(let source):
      let text = try PEMText(source, holding: "trust roots")
      let list = try CertificateList(text)
      let store = unsafe SSL_CTX_get_cert_store(pointer)
      var isTrusted = true
      unsafe list.forEach { _, certificate in
        let isAdded = unsafe X509_STORE_add_cert(store, certificate) == 1
        // A hint for clients that have several certificates.
        let isNamed =
          unsafe !configuration.isServer
          || SSL_CTX_add_client_CA(pointer, certificate) == 1
        isTrusted = isTrusted && isAdded && isNamed
      }
      try check(isTrusted, text.name)
    }
  }

  private func check(_ isDone: Bool, _ what: String) throws(TLSError) {
    let reason = OpenSSLErrorQueue.drain()
    guard isDone else { throw TLSError(.refusedBySecurityLevel, "\(what): \(reason)") }
  }
}

extension TLSConfiguration {
  var isServer: Bool {
    if case .server = role { true } else { false }
  }
}
