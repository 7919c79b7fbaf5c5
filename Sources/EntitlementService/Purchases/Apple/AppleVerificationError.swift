/// Why data that claims to come from Apple was not accepted.
///
/// The two cases ask for different answers: `invalid` will be so forever, `retry` may succeed
/// later. Mixing them up is why nobody knows what to send again
/// (apple/app-store-server-library-swift#70).
enum AppleVerificationError: Error, Hashable, Sendable {
  /// The data is not what it claims to be, or not meant for us.
  case invalid(Reason)
  /// The check could not be finished for a reason of our own, such as missing memory.
  case retry

  /// The fault of the data.
  enum Reason: Hashable, Sendable {
    /// More bytes than such data has.
    case tooLarge
    /// Not a compact signature over JSON, or JSON that has a field of the wrong kind; of receipts, not one
    /// signed message, or with content that is not a receipt's.
    case malformed
    /// Signed with another algorithm than ES256; of receipts, with a digest that is not accepted.
    case wrongAlgorithm
    /// Not exactly three certificates.
    case wrongChainLength
    /// A certificate that does not parse, or a key that is not on P-256.
    case badCertificate
    /// No path of three certificates, valid when the data was signed, to a pinned root.
    case untrustedChain
    /// Certificates of Apple, but not those that sign purchases.
    case notAStoreSigner
    /// The signature does not fit the data.
    case badSignature
    /// A receipt with more purchases than receipts have.
    case tooManyPurchases
    /// Signed more than a day ahead of our clock.
    case signedInFuture
    /// For another application.
    case wrongApplication
    /// From another environment than the one that was asked for; nil stands for Xcode, local tests
    /// and whatever Apple may add.
    case wrongEnvironment(found: PurchaseEnvironment?)
  }
}

extension AppleVerificationError.Reason {
  /// The reason as it is written to audit records and error details: `UNTRUSTED_CHAIN`.
  var name: String {
    switch self {
    case .tooLarge: "TOO_LARGE"
    case .tooManyPurchases: "TOO_MANY_PURCHASES"
    case .malformed: "MALFORMED"
    case .wrongAlgorithm: "WRONG_ALGORITHM"
    case .wrongChainLength: "WRONG_CHAIN_LENGTH"
    case .badCertificate: "BAD_CERTIFICATE"
    case .untrustedChain: "UNTRUSTED_CHAIN"
    case .notAStoreSigner: "NOT_A_STORE_SIGNER"
    case .badSignature: "BAD_SIGNATURE"
    case .signedInFuture: "SIGNED_IN_FUTURE"
    case .wrongApplication: "WRONG_APPLICATION"
    case .wrongEnvironment: "WRONG_ENVIRONMENT"
    }
  }
}
