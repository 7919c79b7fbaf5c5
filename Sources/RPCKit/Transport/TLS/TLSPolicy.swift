internal import COpenSSL

/// The negotiable protocols and ciphers, in OpenSSL's words.
///
/// Not configurable; tests weaken it to play a bad peer.
struct TLSPolicy: Sendable {
  /// 112 bits: no RSA below 2048, no SHA-1 signatures (`SSL_CTX_set_security_level(3)`).
  var securityLevel: CInt = 2
  /// Overrides the configured minimum; nil in production.
  var versionMin: CInt?
  /// The newest version spoken.
  var versionMax: CInt = TLS1_3_VERSION
  /// TLS 1.2: forward secrecy and AEAD (RFC 9325 section 4.2).
  var ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// TLS 1.3 has no weak ones; AES-128 first, because it is the fastest with hardware support.
  var cipherSuites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  /// Key exchange; the first is what a client guesses.
  var groups = "X25519:P-256:P-384"
  /// Whether ALPN is spoken; off only to play a stock peer that knows nothing of it.
  var speaksApplicationProtocols = true
  /// Leaf, intermediates and root together.
  var chainLengthMax: CInt = 8

  static let modern = TLSPolicy()
}
