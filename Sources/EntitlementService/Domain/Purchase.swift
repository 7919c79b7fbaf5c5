/// Something bought in the App Store, as the newest data that Apple signed describes it.
///
/// One for each environment and original transaction. Instants are milliseconds since 1970.
public struct Purchase: Hashable, Sendable {
  /// What a purchase is worth.
  public enum State: String, Hashable, Sendable {
    /// It counts.
    case active
    /// It has ended.
    case expired
    /// The money went back.
    case refunded
    /// It was taken away: from Family Sharing, or because a parent withdrew consent.
    case revoked
  }

  /// Where it was bought.
  public var environment: AppleEnvironment
  /// What Apple calls the purchase and all that follows from it.
  public var originalTransactionID: String
  /// What Apple calls its newest transaction.
  public var transactionID: String
  /// What was bought.
  public var productID: String
  /// Whether it is renewed, each time with a new transaction.
  public var isRenewed: Bool
  /// Whether a family member shares it.
  public var isFamilyShared: Bool
  /// When the newest transaction was bought.
  public var purchasedAt: Int64
  /// When it ends; nil for never.
  public var expiresAt: Int64?
  /// Until when it counts although the money is missing.
  public var graceUntil: Int64?
  /// When it was refunded or no longer shared.
  public var revokedAt: Int64?
  /// Whether what `revokedAt` says was the end of sharing and not a refund.
  public var isUnshared: Bool
  /// How much of the money went back, in thousandths of a percent; nil for all.
  public var refundedShare: Int64?
  /// When a parent withdrew consent for this application's user.
  public var withdrawnAt: Int64?
  /// When Apple signed the newest transaction.
  public var signedAt: Int64
  /// When Apple signed the newest word on renewal.
  public var renewalSignedAt: Int64?
  /// The user of ours that the application named when it was bought (a UUID).
  public var appAccountToken: String?
  /// The application's user in Apple's terms.
  public var appTransactionID: String?

  /// What the purchase is worth at `now`.
  ///
  /// Derived each time: a state that was stored outlives its date sooner or later.
  public func state(at now: Int64) -> State {
    if revokedAt != nil { return isUnshared ? .revoked : .refunded }
    if withdrawnAt != nil { return .revoked }
    return isCurrent(end, at: now) ? .active : .expired
  }

  /// When it ends by itself; nil for never.
  public var end: Int64? {
    expiresAt.map { max($0, graceUntil ?? $0) }
  }
}
