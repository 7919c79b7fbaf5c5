/// Something bought in a store, as the newest data that the store signed describes it.
///
/// One for each store, environment and original transaction. Instants are milliseconds since 1970.
struct Purchase: Hashable, Sendable {
  /// The state of a purchase.
  enum State: String, Hashable, Sendable {
    /// It counts.
    case active
    /// It has ended.
    case expired
    /// The money went back.
    case refunded
    /// It was taken away: from Family Sharing, or because a parent withdrew consent.
    case revoked
  }

  /// Its identifier here, `pur_…`, once it is stored.
  var storedID = ""
  /// The store that sold it: `apple`.
  var store = "apple"
  /// Where it was bought.
  var environment: PurchaseEnvironment
  /// Apple's identifier of the purchase and all that follows from it.
  var originalTransactionID: String
  /// Apple's identifier of the newest transaction.
  var transactionID: String
  /// The product.
  var productID: String
  /// Whether it is renewed, each time with a new transaction.
  var isRenewed: Bool
  /// Whether a family member shares it.
  var isFamilyShared: Bool
  /// When the newest transaction was bought.
  var purchasedAt: Int64
  /// When it ends; nil for never.
  var expiresAt: Int64?
  /// Until when it counts although the money is missing.
  var graceUntil: Int64?
  /// When it was refunded or no longer shared.
  var revokedAt: Int64?
  /// Whether what `revokedAt` says was the end of sharing and not a refund.
  var isUnshared: Bool
  /// How much of the money went back, in thousandths of a percent; nil for all.
  var refundedShare: Int64?
  /// When a parent withdrew consent for this application's user.
  var withdrawnAt: Int64?
  /// When Apple signed the newest transaction.
  var signedAt: Int64
  /// When Apple signed the newest word on renewal.
  var renewalSignedAt: Int64?
  /// The user of ours that the application named when it was bought (a UUID).
  var appAccountToken: String?
  /// The application's user in Apple's terms.
  var appTransactionID: String?
  /// Whether the subscription was replaced by a better one before its end.
  var isUpgraded = false
  /// The offer that the newest transaction was bought with.
  var offer: Offer?
  /// Apple's last word on the renewal of the newest period, if any.
  var renewal: Renewal?
  /// The refund that the user has asked for and Apple has not decided on.
  var refundRequest: RefundRequest?
  /// When Apple signed the newest word on that.
  var refundSignedAt: Int64?
  /// Whether it is used up: what it gave is given once.
  var isConsumable = false
  /// How many were bought.
  var quantity: Int64 = 1
  /// The period before the newest one, of something renewed: it counts until the newest begins.
  var previous: Period?

  /// An offer of the App Store.
  struct Offer: Hashable, Sendable {
    /// 1 introductory, 2 promotional, 3 code, 4 win-back; others may come.
    var type: Int64
    /// Its identifier; introductory offers have none.
    var identifier: String?
    /// `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    var discountType: String?
  }

  /// The event at the end of a period.
  struct Renewal: Hashable, Sendable {
    /// 1 when it will be renewed.
    var autoRenewStatus: Int64?
    /// The product that it renews as: after a downgrade another one.
    var productID: String?
    /// Whether Apple still tries to collect the money.
    var isInBillingRetry: Bool
    /// Why it ended: 1 cancelled, 2 billing, 3 price, 4 product gone, 5 other.
    var expirationIntent: Int64?
    /// When it is renewed.
    var renewsAt: Int64?
    /// The offer of the next period.
    var offer: Offer?
  }

  /// A report about the end of a period.
  struct RenewalReport: Hashable, Sendable {
    /// The renewal at that end.
    var renewal: Renewal
    /// Until when the purchase counts although the money is missing.
    var graceUntil: Int64?
    /// When Apple signed this.
    var signedAt: Int64
  }

  /// A refund that was asked for.
  struct RefundRequest: Hashable, Sendable {
    /// When Apple reported it.
    var requestedAt: Int64
    /// Why, in Apple's words.
    var reason: String?
  }
}

/// Where a purchase was made.
///
/// Apple's `Xcode` and `LocalTesting` are not here on purpose: their data carries no signature that
/// means anything, and Apple's libraries then check none. Nothing
/// in this service can be configured to do the same.
enum PurchaseEnvironment: String, Hashable, Sendable, CaseIterable {
  /// With money.
  case production = "Production"
  /// Without: developers, testers and App Review.
  case sandbox = "Sandbox"
}
