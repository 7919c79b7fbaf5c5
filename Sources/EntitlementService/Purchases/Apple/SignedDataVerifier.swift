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
    let data = try verify(text, byteCountMax: Self.transactionByteCountMax)
    guard try data.fields.text("bundleId") == application.bundleID else {
      throw .invalid(.wrongApplication)
    }
    try require(environment, try data.fields.text("environment"))
    return Verified(
      payload: try AppleTransaction(data.fields),
      evidence: data.evidence(in: environment)
    )
  }

  /// A renewal.
  ///
  /// See `AppleRenewal` on what it may be used for.
  func renewal(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<AppleRenewal> {
    let data = try verify(text, byteCountMax: Self.transactionByteCountMax)
    try require(environment, try data.fields.text("environment"))
    return Verified(
      payload: try AppleRenewal(data.fields),
      evidence: data.evidence(in: environment)
    )
  }

  /// A notification, with the transaction and renewal inside, each of which has a signature of its
  /// own that the outer one does not cover for.
  func notification(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<AppleNotification> {
    let data = try verify(text, byteCountMax: Self.notificationByteCountMax)
    let envelope = try NotificationEnvelope(data.fields)
    guard envelope.bundleID == application.bundleID else { throw .invalid(.wrongApplication) }
    if environment == .production, envelope.environmentName == environment.rawValue {
      guard let appleID = application.appleID, envelope.appleID == appleID else {
        throw .invalid(.wrongApplication)
      }
    }
    try require(environment, envelope.environmentName)
    return Verified(
      payload: try open(envelope, in: environment),
      evidence: data.evidence(in: environment)
    )
  }

  /// Chains remembered, for metrics.
  var rememberedChainCount: Int { chains.count }

  private func open(
    _ envelope: NotificationEnvelope,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> AppleNotification {
    var notification = AppleNotification(
      type: envelope.type,
      subtype: envelope.subtype,
      uuid: envelope.uuid,
      signedDate: envelope.signedDate,
      status: envelope.status,
      consumptionRequestReason: envelope.consumptionRequestReason
    )
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
    let data = try verify(
      text,
      byteCountMax: Self.transactionByteCountMax,
      signedDateField: "receiptCreationDate"
    )
    guard try data.fields.text("bundleId") == application.bundleID else {
      throw .invalid(.wrongApplication)
    }
    try require(environment, try data.fields.text("receiptType"))
    if environment == .production {
      guard data.fields.integer("appAppleId") == application.appleID else {
        throw .invalid(.wrongApplication)
      }
    }
    return try data.fields.text("appTransactionId")
  }

  /// Signature, chain and time; nothing about whom the data is for.
  private func verify(
    _ text: String,
    byteCountMax: Int,
    signedDateField: String = "signedDate"
  ) throws(AppleVerificationError) -> VerifiedData {
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
    return VerifiedData(
      fields: fields,
      payloadBytes: data.payloadBytes,
      signedDate: signedDate,
      chain: chain
    )
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

/// A payload whose signature was good.
private struct VerifiedData {
  let fields: PayloadFields
  let payloadBytes: [UInt8]
  let signedDate: Int64?
  let chain: VerifiedChain

  func evidence(in environment: PurchaseEnvironment) -> VerificationEvidence {
    VerificationEvidence(
      payloadDigest: PayloadDigest.sha256(payloadBytes),
      leafSerial: chain.leafSerial,
      signedDate: signedDate,
      environment: environment,
      isTest: chain.origin == .test
    )
  }
}
