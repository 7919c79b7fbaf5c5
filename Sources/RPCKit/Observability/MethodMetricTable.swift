/// Finds the metrics of a method, and keeps their number bounded.
final class MethodMetricTable: Sendable {
  private let families: MethodMetricFamilies
  private let methods = Lock<[String: MethodMetrics]>([:])
  /// For methods past the bound.
  private let other: MethodMetrics
  /// For calls of methods that do not exist: their names come from the peer and make no series.
  let unknown: MethodMetrics

  init(registry: MetricRegistry, side: String, countsMessages: Bool) {
    families = MethodMetricFamilies(
      registry: registry,
      side: side,
      countsMessages: countsMessages
    )
    other = MethodMetrics(families: families, service: "other", method: "other")
    unknown = MethodMetrics(families: families, service: "unknown", method: "unknown")
  }

  func method(_ descriptor: MethodDescriptor) -> MethodMetrics {
    methods.withLock { methods in
      if let known = methods[descriptor.fullName] { return known }
      guard methods.count < MethodMetricFamilies.methodCountMax else { return other }
      let new = MethodMetrics(
        families: families,
        service: descriptor.service,
        method: descriptor.method
      )
      methods[descriptor.fullName] = new
      return new
    }
  }
}
