internal import PeerContracts
internal import RPCKit

/// The metrics of checks and of uses of metered limits.
struct EntitlementMetrics: Sendable {
  private let allowed: Counter
  private let denied: Counter
  private let uses: MetricFamily<Counter>

  init(_ registry: MetricRegistry) {
    let decisions = registry.counters(
      "gatehouse_entitlement_decisions_total",
      help: "Answers to checks of features and limits, by result.",
      labels: ["result"]
    )
    allowed = decisions.series("allowed")
    denied = decisions.series("denied")
    uses = registry.counters(
      "gatehouse_entitlement_metered_uses_total",
      help: "Answers to uses of metered limits, by result.",
      labels: ["result"]
    )
  }

  /// Counts an answer to a use of a metered limit.
  func used(_ answer: Entitlement_V1.ConsumeResponse) {
    uses.series(!answer.allowed ? "denied" : answer.overLimit ? "over_limit" : "allowed")
      .increment()
  }

  /// Counts an answer to a check.
  func decided(_ isAllowed: Bool) {
    (isAllowed ? allowed : denied).increment()
  }
}
