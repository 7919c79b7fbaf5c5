internal import RPCKit

/// What TenancyService counts.
final class TenancyInstruments: Sendable {
  private let denials: MetricFamily<Counter>

  /// Registers the metrics.
  init(_ registry: MetricRegistry) {
    denials = registry.counters(
      "gatehouse_tenancy_denials_total",
      help: "Requests that were not allowed, by reason.",
      labels: ["reason"]
    )
  }

  /// Counts a denial.
  func denied(_ reason: ReasonCode) { denials.series([reason.rawValue]).add(1) }
}
