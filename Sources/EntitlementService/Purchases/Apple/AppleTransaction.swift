internal import RPCKit

/// A transaction of StoreKit 2 as Apple signed it (`JWSTransactionDecodedPayload`).
///
/// Every field may be missing. Instants are milliseconds since 1970.
struct AppleTransaction: Hashable, Sendable {
  /// This event.
  var transactionID: String?
  /// The purchase that the event belongs to: the same for a purchase, its renewals and its refund.
  var originalTransactionID: String?
  /// Stable for one Apple account and one application.
  var appTransactionID: String?
  /// The product.
  var productID: String?
  /// `Non-Consumable`, `Auto-Renewable Subscription` and so on.
  var type: String?
  /// The user of ours that the application named (a UUID), in lower case.
  var appAccountToken: String?
  /// `PURCHASED` or `FAMILY_SHARED`.
  var ownership: String?
  /// When this event was bought.
  var purchaseDate: Int64?
  /// When the purchase began.
  var originalPurchaseDate: Int64?
  /// When a subscription ends unless renewed.
  var expiresDate: Int64?
  /// When Apple signed this.
  var signedDate: Int64?
  /// When the purchase was refunded or no longer shared; nil while it stands.
  var revocationDate: Int64?
  /// 1 for a problem of the application, 0 for anything else.
  var revocationReason: Int64?
  /// Thousandths of a percent that were refunded; nil for everything.
  var revocationPercentage: Int64?
  /// How many were bought.
  var quantity: Int64?
  /// Thousandths of `currency`.
  var price: Int64?
  /// ISO 4217.
  var currency: String?
  /// Where it was bought: ISO 3166, three letters.
  var storefront: String?
  /// Whether a subscription was replaced by a better one.
  var isUpgraded: Bool?
  /// The offer that it was bought with.
  var offer: Purchase.Offer?

  /// Nothing that Apple signed; for what is read from other data than a payload.
  init() {}

  init(_ fields: PayloadFields) throws(AppleVerificationError) {
    transactionID = try fields.text("transactionId")
    originalTransactionID = try fields.text("originalTransactionId")
    appTransactionID = fields.word("appTransactionId")
    productID = try fields.text("productId")
    type = fields.word("type")
    appAccountToken = fields.word("appAccountToken")?.lowercased()
    ownership = try fields.text("inAppOwnershipType")
    purchaseDate = try fields.instant("purchaseDate")
    originalPurchaseDate = fields.knownInstant("originalPurchaseDate")
    expiresDate = try fields.instant("expiresDate")
    signedDate = try fields.instant("signedDate")
    revocationDate = try fields.instant("revocationDate")
    revocationReason = fields.integer("revocationReason")
    revocationPercentage = fields.integer("revocationPercentage")
    quantity = fields.integer("quantity")
    price = fields.integer("price")
    currency = fields.word("currency")
    storefront = fields.word("storefront")
    isUpgraded = try fields.boolean("isUpgraded")
    offer = Purchase.Offer(fields)
  }
}

/// The renewal of a subscription (`JWSRenewalInfoDecodedPayload`).
///
/// It does not say for which application it is: believe it only beside a transaction with the same
/// `originalTransactionID`.
struct AppleRenewal: Hashable, Sendable {
  /// The purchase that is renewed.
  var originalTransactionID: String?
  /// The product that it renews as.
  var autoRenewProductID: String?
  /// 1 when it will be renewed.
  var autoRenewStatus: Int64?
  /// Whether Apple still tries to collect the money.
  var isInBillingRetryPeriod: Bool?
  /// Until when the application should grant access although the money is missing.
  var gracePeriodExpiresDate: Int64?
  /// Why it ended: 1 cancelled, 2 billing, 3 price, 4 product gone.
  var expirationIntent: Int64?
  /// When it is renewed.
  var renewalDate: Int64?
  /// The offer of the next period.
  var offer: Purchase.Offer?
  /// When Apple signed this.
  var signedDate: Int64?

  init(_ fields: PayloadFields) throws(AppleVerificationError) {
    originalTransactionID = try fields.text("originalTransactionId")
    autoRenewProductID = fields.word("autoRenewProductId")
    autoRenewStatus = fields.integer("autoRenewStatus")
    isInBillingRetryPeriod = try fields.boolean("isInBillingRetryPeriod")
    gracePeriodExpiresDate = try fields.instant("gracePeriodExpiresDate")
    expirationIntent = fields.integer("expirationIntent")
    renewalDate = fields.knownInstant("renewalDate")
    offer = Purchase.Offer(fields)
    signedDate = try fields.instant("signedDate")
  }
}

extension AppleRenewal {
  /// The renewal of a purchase; nil when it is about another one, or not dated.
  ///
  /// It must have been verified beside a transaction of the purchase.
  func report(of purchase: Purchase) -> Purchase.RenewalReport? {
    guard originalTransactionID == purchase.originalTransactionID, let signedDate else {
      return nil
    }
    return Purchase.RenewalReport(
      renewal: Purchase.Renewal(
        willRenew: autoRenewStatus.map { $0 == 1 },
        productID: autoRenewProductID,
        isInBillingRetry: isInBillingRetryPeriod ?? false,
        expirationReason: expirationIntent.map { .init(rawValue: $0) ?? .other },
        renewsAt: renewalDate,
        offer: offer
      ),
      graceUntil: gracePeriodExpiresDate,
      signedAt: signedDate
    )
  }
}

extension Purchase {
  /// The purchase that a verified transaction describes.
  ///
  /// Throws for one without the fields that every purchase has.
  init(_ verified: Verified<AppleTransaction>) throws(RPCError) {
    let transaction = verified.payload
    guard let transactionID = transaction.transactionID, !transactionID.isEmpty else {
      throw PurchaseError.transactionIncomplete(lacks: "transactionId")
    }
    guard let productID = transaction.productID, !productID.isEmpty else {
      throw PurchaseError.transactionIncomplete(lacks: "productId")
    }
    guard let signedAt = verified.evidence.signedDate else {
      throw PurchaseError.transactionIncomplete(lacks: "signedDate")
    }
    guard let purchasedAt = transaction.purchaseDate ?? transaction.originalPurchaseDate else {
      throw PurchaseError.transactionIncomplete(lacks: "purchaseDate")
    }
    let original = transaction.originalTransactionID ?? transactionID
    self.init(
      store: AppleVerifier.storeName,
      environment: verified.evidence.environment,
      originalTransactionID: original.isEmpty ? transactionID : original,
      transactionID: transactionID,
      productID: productID,
      isRenewed: transaction.type == "Auto-Renewable Subscription",
      isFamilyShared: transaction.ownership == "FAMILY_SHARED",
      purchasedAt: purchasedAt,
      expiresAt: transaction.expiresDate,
      revokedAt: transaction.revocationDate,
      isUnshared: transaction.ownership == "FAMILY_SHARED",
      refundedShare: transaction.revocationPercentage,
      signedAt: signedAt,
      // Text that is no UUID names nobody; some of Apple's data has an empty one.
      namedUserID: transaction.appAccountToken.flatMap(AppAccountToken.userID),
      customerReference: transaction.appTransactionID,
      isUpgraded: transaction.isUpgraded ?? false,
      offer: transaction.offer,
      isConsumable: transaction.type == "Consumable",
      quantity: max(1, transaction.quantity ?? 1)
    )
  }
}

extension Verified where Payload == AppleTransaction {
  /// The purchase that the transaction describes, with the same evidence.
  func purchase() throws(RPCError) -> Verified<Purchase> {
    Verified<Purchase>(payload: try Purchase(self), evidence: evidence)
  }
}

extension Purchase.Offer {
  /// The offer of a transaction or a renewal; nil for none.
  init?(_ fields: PayloadFields) {
    guard let type = fields.integer("offerType") else { return nil }
    self.init(
      kind: Kind(rawValue: type),
      identifier: fields.word("offerIdentifier"),
      discountType: fields.word("offerDiscountType")
    )
  }
}
