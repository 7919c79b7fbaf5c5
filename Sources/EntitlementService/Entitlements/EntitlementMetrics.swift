internal import Contracts
internal import RPCKit

/// What this service counts besides its calls.
struct EntitlementMetrics: Sendable {
  private let allowed: Counter
  private let denied: Counter
  private let refusals: MetricFamily<Counter>
  private let notifications: MetricFamily<Counter>
  private let pointsTransactions: MetricFamily<Counter>
  private let uses: MetricFamily<Counter>
  private let redemptions: MetricFamily<Counter>
  private let receipts: MetricFamily<Counter>
  /// Codes refused because their user had tried too many that no coupon has.
  let couponRefusals: Counter
  /// Notifications refused because their source had sent too many that were not genuine.
  let sourceRefusals: Counter

  init(_ registry: MetricRegistry) {
    let decisions = registry.counters(
      "gatehouse_entitlement_decisions_total",
      help: "Answers to checks of features and limits, by result.",
      labels: ["result"]
    )
    allowed = decisions.series("allowed")
    denied = decisions.series("denied")
    refusals = registry.counters(
      "gatehouse_entitlement_apple_verification_refusals_total",
      help: "Rejected signed data, by reason; retry: the check failed on our side.",
      labels: ["reason"]
    )
    sourceRefusals = registry.counter(
      "gatehouse_entitlement_apple_notification_source_refusals_total",
      help: "Notifications refused because their source had sent too many forged ones."
    )
    pointsTransactions = registry.counters(
      "gatehouse_entitlement_points_transactions_total",
      help: "Answered changes of the points ledger, by kind: earn, redeem, reverse.",
      labels: ["kind"]
    )
    uses = registry.counters(
      "gatehouse_entitlement_metered_uses_total",
      help: "Answers to uses of metered limits, by result.",
      labels: ["result"]
    )
    redemptions = registry.counters(
      "gatehouse_entitlement_promotion_redemptions_total",
      help: "Answers to trials and coupons that were to be redeemed: done, refused.",
      labels: ["result"]
    )
    receipts = registry.counters(
      "gatehouse_entitlement_receipts_total",
      help: "Genuine data that ValidateReceipt took, by format: transaction, legacy.",
      labels: ["format"]
    )
    couponRefusals = registry.counter(
      "gatehouse_entitlement_coupon_refusals_total",
      help: "Codes refused because their user had tried too many wrong ones."
    )
    notifications = registry.counters(
      "gatehouse_entitlement_apple_notifications_total",
      help: "Genuine App Store notifications, by type; other: unknown types.",
      labels: ["type"]
    )
  }

  /// Counts a change of the points ledger that was done, or had been done before under its key.
  func posted(_ kind: String) { pointsTransactions.series(kind).increment() }

  /// Counts an answer to a use of a metered limit.
  func used(_ answer: Entitlement_V1.ConsumeResponse) {
    uses.series(!answer.allowed ? "denied" : answer.overLimit ? "over_limit" : "allowed")
      .increment()
  }

  /// Counts an attempt to redeem a trial or a coupon.
  func redeemed(_ result: String) { redemptions.series(result).increment() }

  /// Counts a receipt or a transaction that was genuine.
  func validated(_ format: String) { receipts.series(format).increment() }

  func decided(_ isAllowed: Bool) {
    (isAllowed ? allowed : denied).increment()
  }

  func refused(_ error: AppleVerificationError) {
    switch error {
    case .invalid(let reason): refusals.series(reason.name).increment()
    case .retry: refusals.series("retry").increment()
    }
  }

  /// Only known names become label values: what others sign does not decide how many series there
  /// are.
  func notified(_ type: String) {
    notifications.series(Self.knownTypes.contains(type) ? type : "other").increment()
  }

  private static let knownTypes: Set<String> = [
    "TEST", "ONE_TIME_CHARGE", "SUBSCRIBED", "OFFER_REDEEMED", "DID_RENEW",
    "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
    "GRACE_PERIOD_EXPIRED", "EXPIRED", "REFUND", "REFUND_REVERSED", "REFUND_DECLINED",
    "CONSUMPTION_REQUEST", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "PRICE_INCREASE",
    "PRICE_CHANGE", "METADATA_UPDATE", "MIGRATION", "RESCIND_CONSENT", "EXTERNAL_PURCHASE_TOKEN",
  ]
}
