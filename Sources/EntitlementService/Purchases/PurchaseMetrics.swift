internal import RPCKit

/// The metrics of purchases and of notifications by the store.
struct PurchaseMetrics: Sendable {
  private let refusals: MetricFamily<Counter>
  private let notifications: MetricFamily<Counter>
  private let receipts: MetricFamily<Counter>
  /// Notifications refused because their source had sent too many that were not genuine.
  let sourceRefusals: Counter

  init(_ registry: MetricRegistry) {
    refusals = registry.counters(
      "gatehouse_entitlement_apple_verification_refusals_total",
      help: "Rejected signed data, by reason; retry: the check failed on our side.",
      labels: ["reason"]
    )
    sourceRefusals = registry.counter(
      "gatehouse_entitlement_apple_notification_source_refusals_total",
      help: "Notifications refused because their source had sent too many forged ones."
    )
    receipts = registry.counters(
      "gatehouse_entitlement_receipts_total",
      help: "Genuine data that ValidateReceipt took, by format: transaction, legacy.",
      labels: ["format"]
    )
    notifications = registry.counters(
      "gatehouse_entitlement_apple_notifications_total",
      help: "Genuine App Store notifications, by type; other: unknown types.",
      labels: ["type"]
    )
  }

  /// Counts a receipt or a transaction that was genuine.
  func validated(_ format: String) { receipts.series(format).increment() }

  /// Counts data that was not accepted.
  func refused(_ error: RefusedStoreData) {
    switch error {
    case .invalid(let reason): refusals.series(reason).increment()
    case .retry: refusals.series("retry").increment()
    }
  }

  /// Counts a notification that was genuine.
  ///
  /// Only known names become label values: what others sign does not decide how many series there are.
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
