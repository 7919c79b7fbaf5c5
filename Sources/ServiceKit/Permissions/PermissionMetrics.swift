public import RPCKit

/// The metrics of a permission cache.
public struct PermissionMetrics: Sendable {
  let hits: Counter
  let misses: Counter
  let doubtful: Counter
  let refused: Counter
  let flushes: Counter
  let contradictions: Counter
  let registry: MetricRegistry

  /// Registers the metrics.
  public init(_ registry: MetricRegistry) {
    let lookups = registry.counters(
      "gatehouse_service_permission_cache_lookups_total",
      help:
        "Questions to the permission cache, by what it knew; doubtful: its push stream was silent.",
      labels: ["result"]
    )
    hits = lookups.series("hit")
    misses = lookups.series("miss")
    doubtful = lookups.series("doubtful")
    refused = lookups.series("refused")
    flushes = registry.counter(
      "gatehouse_service_permission_cache_flushes_total",
      help: "Times that everything in the permission cache was forgotten."
    )
    contradictions = registry.counter(
      "gatehouse_service_permission_cache_contradictions_total",
      help:
        "Times that TenancyService said something else than the cache, without having pushed it."
    )
    self.registry = registry
  }
}
