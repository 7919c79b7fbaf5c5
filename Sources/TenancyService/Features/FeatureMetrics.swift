internal import RPCKit

/// What is counted of features that were asked for.
struct FeatureMetrics: Sendable {
  let hits: Counter
  let misses: Counter
  let doubtful: Counter
  let flushes: Counter

  /// Registers the metrics.
  init(_ registry: MetricRegistry) {
    let lookups = registry.counters(
      "gatehouse_tenancy_feature_lookups_total",
      help: "Questions for features, by what was known; doubtful: changes were not heard of.",
      labels: ["result"]
    )
    hits = lookups.series("hit")
    misses = lookups.series("miss")
    doubtful = lookups.series("doubtful")
    flushes = registry.counter(
      "gatehouse_tenancy_feature_flushes_total",
      help: "Times that everything known of features was forgotten."
    )
  }
}
