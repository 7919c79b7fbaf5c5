/// A root certificate that signed data may descend from.
struct TrustAnchor: Hashable, Sendable {
  /// Why the root is trusted.
  enum Origin: Hashable, Sendable {
    /// It is Apple's, known by its fingerprint.
    case apple
    /// The operator says so, for tests; everything verified with it is marked.
    case test
  }

  /// The certificate (DER).
  let der: [UInt8]
  /// Why the root is trusted.
  let origin: Origin
  /// Which certificate it must be; nil for whatever an operator names for tests.
  let identity: Identity?
  /// Whether the whole path must follow RFC 5280 to the letter (`X509_V_FLAG_X509_STRICT`).
  let isStrict: Bool

  /// Apple Root CA - G3, built in.
  static let apple = TrustAnchor(
    der: AppleRootCertificate.der,
    origin: .apple,
    identity: Identity(
      name: "Apple Root CA - G3",
      fingerprint: AppleRootCertificate.fingerprint
    ),
    isStrict: true
  )

  /// A certificate that is known by its fingerprint.
  struct Identity: Hashable, Sendable {
    var name: String
    /// SHA-256 of the certificate.
    var fingerprint: [UInt8]
  }

  /// The root of legacy receipts: Apple's of 2006, from a file (DER).
  ///
  /// Operators get it from www.apple.com/certificateauthority ("Apple Inc. Root"); any other certificate is
  /// refused. What it signed is older than the strict rules.
  static func appleReceipts(der: [UInt8]) -> TrustAnchor {
    TrustAnchor(
      der: der,
      origin: .apple,
      identity: Identity(name: "Apple Inc. Root of 2006", fingerprint: receiptFingerprint),
      isStrict: false
    )
  }

  private static let receiptFingerprint: [UInt8] = [
    0xB0, 0xB1, 0x73, 0x0E, 0xCB, 0xC7, 0xFF, 0x45, 0x05, 0x14, 0x2C, 0x49, 0xF1, 0x29, 0x5E, 0x6E,
    0xDA, 0x6B, 0xCA, 0xED, 0x7E, 0x2C, 0x68, 0xC5, 0xBE, 0x91, 0xB5, 0xA1, 0x10, 0x01, 0xF0, 0x24,
  ]

  /// A root of a test authority.
  ///
  /// Apple's own test authority has no subject key identifier and fails the strict rules, so they
  /// are off unless asked for. Never configure one where real purchases count: everything verified
  /// with it counts like a real purchase, marked as a test.
  static func test(der: [UInt8], isStrict: Bool = false) -> TrustAnchor {
    TrustAnchor(der: der, origin: .test, identity: nil, isStrict: isStrict)
  }
}

/// A root certificate that cannot be used.
struct TrustAnchorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem.
  let description: String
}
