internal import RPCKit
internal import ServiceKit
internal import TextEncodings

/// Decides whether a legacy receipt comes from Apple and is meant for us.
///
/// A CMS message by a signer that is marked as the store's and descends, over one intermediate, from a root
/// that is configured for receipts; all three valid when the receipt was made; for this application and
/// environment. Which device it was made for is not checked: that takes the device's identifier.
struct ReceiptVerifier: Sendable {
  /// Bytes of a receipt, at most.
  static let byteCountMax = 2 << 20
  /// From this instant on Apple signs receipts with SHA-256 throughout: 2025-01-24, in milliseconds since
  /// 1970.
  static let sha1End: Int64 = 1_737_676_800_000

  private let application: AppleApplication
  /// Nil when no root is configured.
  private let chains: CertificateChains?
  private let clock: any WallClock

  /// Fails for roots that cannot be used; without any, every receipt is refused.
  init(
    application: AppleApplication,
    anchors: [TrustAnchor],
    clock: any WallClock = SystemWallClock()
  ) throws(TrustAnchorError) {
    self.application = application
    self.clock = clock
    chains = anchors.isEmpty ? nil : try CertificateChains(anchors: anchors)
  }

  /// Whether receipts are accepted at all.
  var isConfigured: Bool { chains != nil }

  /// A receipt for this application; `text` is its base 64.
  func receipt(
    _ text: String,
    in environment: PurchaseEnvironment
  ) throws(AppleVerificationError) -> Verified<LegacyReceipt> {
    guard let chains else { throw .invalid(.untrustedChain) }
    guard text.utf8.count <= Self.byteCountMax / 3 * 4 + 4 else { throw .invalid(.tooLarge) }
    guard let der = Base64.decodeExact(text.utf8.span, .standard, isPadded: true) else {
      throw .invalid(.malformed)
    }
    let container = try ReceiptContainer(der: der)
    let receipt = try LegacyReceipt(content: container.content)
    guard let createdAt = receipt.createdAt else { throw .invalid(.malformed) }
    let now = clock.now
    guard createdAt <= now || createdAt - now <= SignedDataVerifier.futureMillisecondsMax else {
      throw .invalid(.signedInFuture)
    }
    let allowsSHA1 = createdAt < Self.sha1End
    guard allowsSHA1 || !container.usesSHA1 else { throw .invalid(.wrongAlgorithm) }
    let signer = try chains.signer(
      container.signer,
      below: container.others,
      at: createdAt / 1000,
      allowsSHA1: allowsSHA1
    )
    guard receipt.bundleID == application.bundleID else { throw .invalid(.wrongApplication) }
    let found = receipt.environment
    guard found == environment else { throw .invalid(.wrongEnvironment(found: found)) }
    return Verified(
      payload: receipt,
      evidence: VerificationEvidence(
        payloadDigest: PayloadDigest.sha256(container.content),
        leafSerial: signer.serial,
        signedDate: createdAt,
        environment: environment,
        isTest: signer.origin == .test
      )
    )
  }
}

extension LegacyReceipt {
  /// Where it was made; nil for Xcode and whatever else there may be.
  var environment: PurchaseEnvironment? {
    switch environmentName {
    case "Production": .production
    case "ProductionSandbox": .sandbox
    default: nil
    }
  }

  /// Purchases of one product that count, at most: the newest.
  static let purchaseCountMax = 100
}

extension Verified<LegacyReceipt> {
  /// The newest transaction of each purchase of a product, the newest purchase first.
  func transactions(of productID: String) -> [Verified<AppleTransaction>] {
    var newest: [String: AppleTransaction] = [:]
    for item in payload.purchases where item.productID == productID {
      guard let id = item.originalTransactionID ?? item.transactionID else { continue }
      guard item.purchaseDate ?? .min >= newest[id]?.purchaseDate ?? .min else { continue }
      newest[id] = item
    }
    let items = newest.sorted {
      ($1.value.purchaseDate ?? .min, $0.key) < ($0.value.purchaseDate ?? .min, $1.key)
    }
    return items.prefix(LegacyReceipt.purchaseCountMax).map { id, item in
      var transaction = item
      transaction.transactionID = item.transactionID ?? id
      transaction.originalTransactionID = id
      return Verified<AppleTransaction>(payload: transaction, evidence: evidence)
    }
  }
}
