/// Data that was verified, and what speaks for it.
struct Verified<Payload: Hashable & Sendable>: Hashable, Sendable {
  /// The data.
  var payload: Payload
  /// The evidence for it.
  var evidence: VerificationEvidence
}

/// The kept evidence of a verification: enough to say later what was believed and why, without the
/// signed text itself.
struct VerificationEvidence: Hashable, Sendable {
  /// SHA-256 of the payload, in hexadecimal digits.
  var payloadDigest: String
  /// Serial number of the certificate that signed, in hexadecimal digits.
  var leafSerial: String
  /// When the store signed: milliseconds since 1970; nil when the data does not say.
  var signedDate: Int64?
  /// Where the purchase was made.
  var environment: PurchaseEnvironment
  /// Verified with a root that is configured for tests, so it must unlock nothing of value.
  var isTest: Bool
}
