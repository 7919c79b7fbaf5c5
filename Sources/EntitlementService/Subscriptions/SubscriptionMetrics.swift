internal import RPCKit

/// The metrics of trials and coupons.
struct SubscriptionMetrics: Sendable {
  private let redemptions: MetricFamily<Counter>
  /// Codes refused because their user had tried too many that no coupon has.
  let couponRefusals: Counter

  init(_ registry: MetricRegistry) {
    redemptions = registry.counters(
      "gatehouse_entitlement_promotion_redemptions_total",
      help: "Answers to trials and coupons that were to be redeemed: done, refused.",
      labels: ["result"]
    )
    couponRefusals = registry.counter(
      "gatehouse_entitlement_coupon_refusals_total",
      help: "Codes refused because their user had tried too many wrong ones."
    )
  }

  /// Counts an attempt to redeem a trial or a coupon.
  func redeemed(_ result: String) { redemptions.series(result).increment() }
}
