internal import RPCKit

/// What is counted of features that were asked for.
struct FeatureMetrics: Sendable {
  let hits: Counter
  let misses: Counter
  let doubtful: Counter
  let refused: Counter
  let flushes: Counter

  init(_ registry: MetricRegistry) {
    let lookups = registry.counters(
      "gatehouse_tenancy_feature_lookups_total",
      help: "Look-ups of features, by result; doubtful: the push stream was silent.",
      labels: ["result"]
    )
    hits = lookups.series("hit")
    misses = lookups.series("miss")
    doubtful = lookups.series("doubtful")
    refused = lookups.series("refused")
    flushes = registry.counter(
      "gatehouse_tenancy_feature_flushes_total",
      help: "Times the whole feature cache was cleared."
    )
  }
}
