/// A root certificate that signed data may descend from.
public struct TrustAnchor: Hashable, Sendable {
  /// Why the root is trusted.
  public enum Origin: Hashable, Sendable {
    /// It is Apple's, known by its fingerprint.
    case apple
    /// The operator says so, for tests; everything verified with it is marked.
    case test
  }

  /// The certificate (DER).
  public let der: [UInt8]
  /// Why the root is trusted.
  public let origin: Origin
  /// Whether the whole path must follow RFC 5280 to the letter (`X509_V_FLAG_X509_STRICT`).
  public let isStrict: Bool

  /// Apple Root CA - G3, built in.
  public static let apple = TrustAnchor(
    der: AppleRootCertificate.der,
    origin: .apple,
    isStrict: true
  )

  /// A root of a test authority.
  ///
  /// Apple's own test authority has no subject key identifier and fails the strict rules, so they
  /// are off unless asked for. Never configure one where real purchases count: everything verified
  /// with it counts like a real purchase, marked as a test.
  public static func test(der: [UInt8], isStrict: Bool = false) -> TrustAnchor {
    TrustAnchor(der: der, origin: .test, isStrict: isStrict)
  }

  private init(der: [UInt8], origin: Origin, isStrict: Bool) {
    self.der = der
    self.origin = origin
    self.isStrict = isStrict
  }
}

/// A root certificate that cannot be used.
public struct TrustAnchorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it.
  public let description: String
}
