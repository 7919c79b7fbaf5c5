internal import COpenSSL

/// One TLS connection as a transformation in memory: ciphertext in, plaintext out, and back.
///
/// Knows no socket, clock or loop. Not thread-safe; one owner. After a failure every call fails
/// again without touching OpenSSL, except that the alert it left can still be sent.
@safe
struct TLSSession: ~Copyable {
  private let ssl: OpaquePointer
  // On the heap, because OpenSSL's BIO keeps a pointer to it.
  private let store: UnsafeMutablePointer<TLSByteStore>
  // Owns what the session's callbacks point to.
  private let context: TLSContext
  private let expectedHost: ExpectedHost?
  private var failure: TLSError?

  /// The most plaintext that one record carries (RFC 8446 section 5.1).
  static let recordByteCountMax = 16 * 1024

  enum HandshakeOutcome: Equatable {
    /// Both sides are authenticated as configured. Next: `read` and `write`.
    case complete
    /// Send what is outbound and feed what comes back.
    case wantsInput
    /// The peer was refused, or refused us.
    case failed(TLSError)
  }

  enum ReadOutcome: Equatable {
    /// Plaintext was appended.
    case received
    /// No complete record is left.
    case wantsInput
    /// The peer sent close_notify: nothing follows, and nothing was cut off.
    case ended
    /// The connection cannot continue.
    case failed(TLSError)
  }

  /// Makes a session that has not spoken yet; a client needs the host that it expects.
  init(_ context: TLSContext, expectedHost: ExpectedHost?) throws(TLSError) {
    OpenSSLErrorQueue.clear()
    guard let ssl = unsafe SSL_new(context.pointer),
      let bio = unsafe BIO_new(context.byteStoreMethod)
    else { preconditionFailure("no memory for a TLS session") }
    unsafe self.ssl = ssl
    unsafe store = .allocate(capacity: 1)
    unsafe store.initialize(to: TLSByteStore())
    self.context = context
    self.expectedHost = expectedHost
    unsafe BIO_set_data(bio, store)
    unsafe BIO_set_init(bio, 1)
    // The session owns the BIO from here; given twice, it counts once (SSL_set_bio(3)).
    unsafe SSL_set_bio(ssl, bio, bio)
    if context.configuration.isServer {
      unsafe SSL_set_accept_state(ssl)
    } else {
      unsafe SSL_set_connect_state(ssl)
      guard let expectedHost else {
        throw TLSError(.invalidHost, "a client must name the host that it expects")
      }
      try unsafe expectedHost.apply(to: ssl)
    }
  }

  deinit {
    unsafe SSL_free(ssl)
    unsafe store.deinitialize(count: 1)
    unsafe store.deallocate()
  }

  /// Adds ciphertext from the peer.
  mutating func feed(_ ciphertext: Span<UInt8>) {
    unsafe store.pointee.inbound.append(ciphertext)
  }

  /// Ciphertext that waits to be sent.
  var outboundByteCount: Int { unsafe store.pointee.outbound.byteCount }

  /// Lets `send` take ciphertext off the front.
  mutating func drainOutbound(_ send: (inout ByteBuffer) -> Void) {
    guard unsafe !store.pointee.outbound.isEmpty else { return }
    unsafe send(&store.pointee.outbound)
  }

  /// Gives back the memory of buffers that are empty: an idle session holds none.
  mutating func releaseEmptyBuffers() {
    if unsafe store.pointee.inbound.isEmpty { unsafe store.pointee.inbound.release() }
    if unsafe store.pointee.outbound.isEmpty { unsafe store.pointee.outbound.release() }
  }

  /// Goes on with the handshake as far as the ciphertext at hand allows.
  mutating func handshake() -> HandshakeOutcome {
    if let failure { return .failed(failure) }
    OpenSSLErrorQueue.clear()
    let result = unsafe SSL_do_handshake(ssl)
    guard result != 1 else {
      // OpenSSL would have failed before; this is the last lock on the door.
      let verified = unsafe SSL_get_verify_result(ssl) == CLong(X509_V_OK)
      return verified ? .complete : .failed(fail("handshake"))
    }
    let code = unsafe SSL_get_error(ssl, result)
    return code == SSL_ERROR_WANT_READ ? .wantsInput : .failed(fail("handshake"))
  }

  /// Appends the plaintext of at most one record.
  mutating func read(into plaintext: inout ByteBuffer) -> ReadOutcome {
    if let failure { return .failed(failure) }
    OpenSSLErrorQueue.clear()
    var result: CInt = 0
    _ = unsafe plaintext.appendUpTo(Self.recordByteCountMax) { target in
      var count = 0
      result = unsafe SSL_read_ex(ssl, target.baseAddress, target.count, &count)
      return result == 1 ? count : 0
    }
    guard result != 1 else { return .received }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsInput
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: return .failed(fail("receiving"))
    }
  }

  /// Encrypts at most one record's worth from the front of `plaintext`; nil is success.
  mutating func write(from plaintext: inout ByteBuffer) -> TLSError? {
    if let failure { return failure }
    OpenSSLErrorQueue.clear()
    var written = 0
    let result = unsafe plaintext.withUnsafeBytes { bytes in
      let count = min(bytes.count, Self.recordByteCountMax)
      return unsafe SSL_write_ex(ssl, bytes.baseAddress, count, &written)
    }
    // The byte store takes everything, so there is no "try again" here.
    guard result == 1 else { return fail("sending") }
    plaintext.consume(written)
    return nil
  }

  /// Tells the peer that nothing more follows, if there is a session to end.
  mutating func sendCloseNotify() {
    guard failure == nil, unsafe SSL_is_init_finished(ssl) == 1 else { return }
    OpenSSLErrorQueue.clear()
    // 0 is "sent, the peer's has not come": all that is wanted.
    unsafe SSL_shutdown(ssl)
    OpenSSLErrorQueue.clear()
  }

  /// The protocol that ALPN agreed on, after the handshake.
  var applicationProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: CUnsignedInt = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    guard count > 0 else { return nil }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: name, count: Int(count)),
      as: UTF8.self
    )
  }

  /// Whether the configuration insists on ALPN and the peer did not take part in it.
  var lacksRequiredApplicationProtocol: Bool {
    context.configuration.requiresApplicationProtocol && applicationProtocol == nil
  }

  /// The verified certificate of the peer, after the handshake.
  var peerCertificate: PeerCertificate? { unsafe PeerCertificate(of: ssl) }

  /// The errors of OpenSSL when the certificate is good, and another host's.
  private static let mismatches = [
    CLong(X509_V_ERR_HOSTNAME_MISMATCH), CLong(X509_V_ERR_IP_ADDRESS_MISMATCH),
  ]

  private mutating func fail(_ step: String) -> TLSError {
    var text = "\(step): \(OpenSSLErrorQueue.drain())"
    let verification = unsafe SSL_get_verify_result(ssl)
    if verification != CLong(X509_V_OK) {
      text += unsafe ": \(String(cString: X509_verify_cert_error_string(verification)))"
      if let expectedHost, Self.mismatches.contains(verification) {
        text += " (the certificate does not name \(expectedHost.name))"
      }
    }
    let error = TLSError(.protocolFailure, text)
    failure = error
    return error
  }
}
