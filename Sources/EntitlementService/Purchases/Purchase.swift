/// Something bought in a store, as the newest data that the store signed describes it, in no store's words.
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
  /// The store that sold it, by its name.
  var store: String
  /// Where it was bought.
  var environment: PurchaseEnvironment
  /// The store's identifier of the purchase and all that follows from it.
  var originalTransactionID: String
  /// The store's identifier of the newest transaction.
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
  /// When the store signed the newest transaction.
  var signedAt: Int64
  /// When the store signed the newest word on renewal.
  var renewalSignedAt: Int64?
  /// The user of ours that the application named when it was bought.
  var namedUserID: String?
  /// The application's customer, as the store refers to it.
  var customerReference: String?
  /// Whether the subscription was replaced by a better one before its end.
  var isUpgraded = false
  /// The offer that the newest transaction was bought with.
  var offer: Offer?
  /// The store's last word on the renewal of the newest period, if any.
  var renewal: Renewal?
  /// The refund that the user has asked for and the store has not decided on.
  var refundRequest: RefundRequest?
  /// When the store signed the newest word on that.
  var refundSignedAt: Int64?
  /// Whether it is used up: what it gave is given once.
  var isConsumable = false
  /// How many were bought.
  var quantity: Int64 = 1
  /// The period before the newest one, of something renewed: it counts until the newest begins.
  var previous: Period?

  /// An offer of a store.
  struct Offer: Hashable, Sendable {
    /// The kind of an offer; the raw value is what the store of this service keeps, and others may come.
    struct Kind: RawRepresentable, Hashable, Sendable {
      let rawValue: Int64

      /// For new subscribers.
      static let introductory = Kind(rawValue: 1)
      /// For current and former subscribers.
      static let promotional = Kind(rawValue: 2)
      /// For those with a code.
      static let code = Kind(rawValue: 3)
      /// For former subscribers.
      static let winBack = Kind(rawValue: 4)
    }

    /// How an offer is paid, in the words of the contract; others may come.
    static let freeTrial = "FREE_TRIAL"

    var kind: Kind
    /// Its identifier; introductory offers have none.
    var identifier: String?
    /// How it is paid: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`, `ONE_TIME`.
    var discountType: String?
  }

  /// Why a subscription was not renewed; the raw value is what the store of this service keeps.
  enum ExpirationReason: Int64, Hashable, Sendable {
    case cancelled = 1
    case billing = 2
    case price = 3
    case product = 4
    case other = 5
  }

  /// The event at the end of a period.
  struct Renewal: Hashable, Sendable {
    /// Whether it will be renewed; nil when the store has not said.
    var willRenew: Bool?
    /// The product that it renews as: after a downgrade another one.
    var productID: String?
    /// Whether the store still tries to collect the money.
    var isInBillingRetry: Bool
    /// Why it ended.
    var expirationReason: ExpirationReason?
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
    /// When the store signed this.
    var signedAt: Int64
  }

  /// A refund that was asked for.
  struct RefundRequest: Hashable, Sendable {
    /// When the store reported it.
    var requestedAt: Int64
    /// Why, in the store's words.
    var reason: String?
  }
}

/// Where a purchase was made; the raw value is what the store of this service keeps.
///
/// What a store's tools make on a developer's computer is not here on purpose: such data carries no signature that
/// means anything. Nothing in this service can be configured to take it.
enum PurchaseEnvironment: String, Hashable, Sendable, CaseIterable {
  /// With money.
  case production = "Production"
  /// Without: developers, testers and App Review.
  case sandbox = "Sandbox"
}
