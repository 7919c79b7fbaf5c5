internal import RPCKit
internal import ServiceKit

/// Errors of subscriptions and their scheduled changes.
enum SubscriptionError {
  private static let errors = ErrorCatalog.entitlement

  /// A window of time that ends before it begins.
  static let emptyWindow = errors.invalidRequest(
    "EMPTY_WINDOW",
    "the window must not end before it begins",
    ["name": "valid_from"]
  )

  /// The subject was changed since the caller read it.
  static func versionMismatch(current: UInt64) -> RPCError {
    errors.conflict(
      "VERSION_MISMATCH",
      "the subject has changed; read it again and repeat the change",
      ["version": "\(current)"]
    )
  }

  /// An override without a value.
  static func valueRequired(_ field: String) -> RPCError {
    errors.invalid(field, "VALUE_REQUIRED", "must be set")
  }

  /// A change is scheduled for an instant that is not ahead.
  static let scheduleInPast = errors.invalidRequest(
    "SCHEDULE_IN_PAST",
    "effective_at must be later than now; use Put for an immediate change",
    ["name": ""]
  )

  /// Too many changes are scheduled for the subject.
  static let scheduleLimit = errors.precondition(
    "SCHEDULE_LIMIT",
    "the maximum of \(ScheduledChange.countMax) changes is scheduled; cancel one first"
  )
}

/// Errors of trials and coupons.
enum PromotionError {
  private static let errors = ErrorCatalog.entitlement

  /// Neither a trial nor a code is named.
  static let required = errors.invalid(
    "promotion",
    "VALUE_REQUIRED",
    "must name a trial or a code"
  )

  /// No trial has this name.
  static func unknown(_ name: String) -> RPCError {
    errors.invalidRequest(
      "PROMOTION_UNKNOWN",
      "unknown trial \"\(name)\"; Subscriptions/ListTiers lists them",
      ["name": name]
    )
  }

  /// No coupon has this code.
  static let couponUnknown = errors.invalidRequest(
    "COUPON_UNKNOWN",
    "unknown coupon code; check the spelling",
    ["name": "code"]
  )

  /// A user who has tried too many codes that no coupon has.
  static func tooManyCodes(retryAfter: Duration) -> RPCError {
    errors.limited(
      "TOO_MANY_ATTEMPTS",
      "too many unknown coupon codes; retry after the given delay",
      retryAfter: retryAfter
    )
  }

  /// The promotion is not for subjects of this kind.
  static func forOthers(_ name: String) -> RPCError {
    refused("PROMOTION_FOR_OTHERS", name, "is not for subjects of this kind")
  }

  /// The promotion cannot be redeemed yet, or no more.
  static func closed(_ name: String) -> RPCError {
    refused("PROMOTION_CLOSED", name, "cannot be redeemed at this time")
  }

  /// The subject has redeemed the promotion before.
  static func alreadyRedeemed(_ name: String) -> RPCError {
    refused("ALREADY_REDEEMED", name, "was redeemed for this subject before")
  }

  /// As many have redeemed the promotion as may.
  static func exhausted(_ name: String) -> RPCError {
    refused("PROMOTION_EXHAUSTED", name, "was redeemed as often as it may be")
  }

  /// The subject has too many trials and coupons at a time.
  static let redemptionLimit = errors.precondition(
    "REDEMPTION_LIMIT",
    "the subject has the maximum of \(Redemption.countMax) trials and coupons at a time"
  )

  private static func refused(_ reason: String, _ name: String, _ problem: String) -> RPCError {
    errors.precondition(reason, "promotion \"\(name)\" \(problem)", ["name": name])
  }
}
