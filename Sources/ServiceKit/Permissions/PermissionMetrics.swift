public import RPCKit

/// The metrics of a permission cache.
public struct PermissionMetrics: Sendable {
  let cache: LeasedCacheMetrics
  let contradictions: Counter
  let registry: MetricRegistry

  /// Registers the metrics.
  public init(_ registry: MetricRegistry) {
    cache = LeasedCacheMetrics(
      lookups: (
        "gatehouse_service_permission_cache_lookups_total",
        "Questions to the permission cache, by what it knew; doubtful: its push stream was silent."
      ),
      flushes: (
        "gatehouse_service_permission_cache_flushes_total",
        "Times that everything in the permission cache was forgotten."
      ),
      in: registry
    )
    contradictions = registry.counter(
      "gatehouse_service_permission_cache_contradictions_total",
      help:
        "Times that TenancyService said something else than the cache, without having pushed it."
    )
    self.registry = registry
  }
}
