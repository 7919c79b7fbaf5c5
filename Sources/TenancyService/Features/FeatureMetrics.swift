internal import RPCKit
internal import ServiceKit

extension LeasedCacheMetrics {
  /// The metrics of feature look-ups.
  static func features(_ registry: MetricRegistry) -> LeasedCacheMetrics {
    LeasedCacheMetrics(
      lookups: (
        "gatehouse_tenancy_feature_lookups_total",
        "Look-ups of features, by result; doubtful: the push stream was silent."
      ),
      flushes: (
        "gatehouse_tenancy_feature_flushes_total", "Times the whole feature cache was cleared."
      ),
      in: registry
    )
  }
}
