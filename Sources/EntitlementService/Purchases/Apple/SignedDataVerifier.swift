internal import RPCKit

/// Verifies what Apple signed for one application, without asking anybody (StoreKit 2 transactions,
/// renewals and App Store Server Notifications V2).
///
/// The rules are those of Apple's own libraries with online checks off: ES256 by a leaf that is
/// marked as a signer of the store and descends, over one intermediate, from a pinned root; all three
/// valid when the data was signed; meant for this application and environment. Revocation of
/// certificates is not asked for. Which environment is expected is the caller's choice and never the
/// data's.
///
/// About 3 ms for data of a chain not seen before, else 0.15 ms: call it where that may block.
struct SignedDataVerifier: Sendable {
  /// Bytes of a signed transaction or renewal, at most.
  static let transactionByteCountMax = 64 * 1024
  /// Bytes of a notification, at most.
  static let notificationByteCountMax = 256 * 1024
  /// How far ahead of our clock data may be signed, in milliseconds.
  ///
  /// Apple's libraries set no bound, and the newest signed state of a purchase wins forever.
  static let futureMillisecondsMax: Int64 = 24 * 3600 * 1000

  private let application: AppleApplication
  private let chains: CertificateChains
  private let clock: any WallClock

  /// Fails for roots that cannot be used.
  init(
    application: AppleApplication,
    anchors: [TrustAnchor] = [.apple],
    clock: any WallClock = SystemWallClock()
  ) throws(TrustAnchorError) {
    self.application = application
    self.clock = clock
    chains = try CertificateChains(anchors: anchors)
  }

  /// A transaction for this application.
  func transaction(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<AppleTransaction> {
    let (fields, evidence) = try verify(text, in: environment)
    try requireApplication(fields)
    try require(environment, try fields.text("environment"))
    return Verified(payload: try AppleTransaction(fields), evidence: evidence)
  }

  /// A renewal.
  ///
  /// See `AppleRenewal` on what it may be used for.
  func renewal(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<AppleRenewal> {
    let (fields, evidence) = try verify(text, in: environment)
    try require(environment, try fields.text("environment"))
    return Verified(payload: try AppleRenewal(fields), evidence: evidence)
  }

  /// A notification, with the transaction and renewal inside, each of which has a signature of its
  /// own that the outer one does not cover for.
  func notification(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<AppleNotification> {
    let (fields, evidence) = try verify(
      text,
      in: environment,
      byteCountMax: Self.notificationByteCountMax
    )
    let envelope = try NotificationEnvelope(fields)
    guard envelope.bundleID == application.bundleID else { throw .invalid(.wrongApplication) }
    if environment == .production, envelope.environmentName == environment.rawValue {
      guard let appleID = application.appleID, envelope.appleID == appleID else {
        throw .invalid(.wrongApplication)
      }
    }
    try require(environment, envelope.environmentName)
    return Verified(payload: try open(envelope, in: environment), evidence: evidence)
  }

  /// Chains remembered, for metrics.
  var rememberedChainCount: Int { chains.count }

  private func open(
    _ envelope: NotificationEnvelope,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> AppleNotification {
    var notification = envelope.notification
    if let signed = envelope.signedTransaction {
      notification.transaction = try transaction(signed, in: environment)
    }
    if let signed = envelope.signedRenewal {
      let renewal = try renewal(signed, in: environment).payload
      let purchase = notification.transaction?.payload.originalTransactionID
      guard purchase == nil || renewal.originalTransactionID == purchase else {
        throw .invalid(.malformed)
      }
      if purchase != nil { notification.renewal = renewal }
    }
    if let signed = envelope.signedAppTransaction {
      notification.appTransactionID = try appTransactionID(signed, in: environment)
    }
    return notification
  }

  private func appTransactionID(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> String? {
    let (fields, _) = try verify(text, in: environment, signedDateField: "receiptCreationDate")
    try requireApplication(fields)
    try require(environment, try fields.text("receiptType"))
    if environment == .production, fields.integer("appAppleId") != application.appleID {
      throw .invalid(.wrongApplication)
    }
    return try fields.text("appTransactionId")
  }

  /// Signature, chain and time; nothing about whom the data is for.
  private func verify(
    _ text: String,
    in environment: PurchaseEnvironment,
    byteCountMax: Int = transactionByteCountMax,
    signedDateField: String = "signedDate"
  ) throws(AppleVerificationError) -> (PayloadFields, VerificationEvidence) {
    let data = try CompactSignature(text, byteCountMax: byteCountMax)
    let fields = PayloadFields(data.payload)
    let signedDate = try fields.instant(signedDateField)
    let now = clock.now
    if let signedDate, signedDate > now, signedDate - now > Self.futureMillisecondsMax {
      throw .invalid(.signedInFuture)
    }
    let chain = try chains.verify(
      leaf: data.leaf,
      intermediate: data.intermediate,
      at: (signedDate ?? now) / 1000
    )
    guard try chain.key.verify(data.signature, over: data.signedBytes) else {
      throw .invalid(.badSignature)
    }
    let evidence = VerificationEvidence(
      payloadDigest: PayloadDigest.sha256(data.payloadBytes),
      leafSerial: chain.leafSerial,
      signedDate: signedDate,
      environment: environment,
      isTest: chain.origin == .test
    )
    return (fields, evidence)
  }

  private func requireApplication(_ fields: PayloadFields) throws(AppleVerificationError) {
    guard try fields.text("bundleId") == application.bundleID else {
      throw .invalid(.wrongApplication)
    }
  }

  private func require(
    _ environment: PurchaseEnvironment,
    _ name: String?
  ) throws(AppleVerificationError) {
    guard name == environment.rawValue else {
      throw .invalid(.wrongEnvironment(found: name.flatMap(PurchaseEnvironment.init)))
    }
  }
}
