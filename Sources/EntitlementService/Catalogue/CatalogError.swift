/// Why something about entitlements cannot be done or answered.
public enum EntitlementError: Error, Hashable, Sendable {
  /// No tier has this name.
  case tierUnknown(String)
  /// No add-on has this name.
  case addonUnknown(String)
  /// No feature has this key.
  case featureUnknown(String)
  /// A limit was given for a flag, or a flag for a limit.
  case typeMismatch(String)
  /// The same add-on or override twice.
  case duplicate(String)
  /// A window of time that ends before it begins.
  case emptyWindow
  /// The subject has no subscription.
  case subscriptionUnknown
  /// The subject was changed since the caller read it.
  case versionMismatch(current: UInt64)
  /// A transaction without a field that every purchase has.
  case transactionIncomplete(lacks: String)
  /// The purchase belongs to another user.
  case alreadyClaimed
  /// What is used up was given to a user who is there no more.
  case alreadyUsedUp
  /// The purchase changed hands too often today.
  case transferLimit
  /// No trial has this name.
  case promotionUnknown(String)
  /// No coupon has this code.
  case couponUnknown
  /// The promotion is not for subjects of this kind.
  case promotionForOthers(String)
  /// The promotion cannot be redeemed yet, or no more.
  case promotionClosed(String)
  /// The subject has redeemed the promotion before.
  case alreadyRedeemed(String)
  /// As many have redeemed the promotion as may.
  case promotionExhausted(String)
  /// The subject has too many trials and coupons at a time.
  case redemptionLimit
  /// A change is scheduled for an instant that is not ahead.
  case scheduleInPast
  /// Too many changes are scheduled for the subject.
  case scheduleLimit
  /// A receipt or a transaction without the product.
  case productNotInReceipt(String)
}
