internal import AccessEngine
internal import RPCKit

struct PolicyMetrics: Sendable {
  /// How reading the policy again ended.
  enum Reload: String, CaseIterable, Sendable {
    /// Another one is in force.
    case loaded
    /// It is the same.
    case unchanged
    /// It has a mistake or cannot be read; the old one is in force.
    case failed
  }

  let reloads: CounterByLabel<Reload>
  private let version: MetricFamily<Gauge>

  init(_ registry: MetricRegistry) {
    reloads = CounterByLabel(
      registry,
      "gatehouse_tenancy_policy_reloads_total",
      help: "Policy reloads, by outcome.",
      label: "outcome"
    )
    version = registry.gauges(
      "gatehouse_tenancy_policy_version",
      help: "Version of the policy in force; 0 for a former one.",
      labels: ["policy"]
    )
  }

  /// Shows which policies are in force.
  func inForce(_ policy: Policy, insteadOf old: Policy? = nil) {
    for document in old?.documents ?? [] { version.series([document.name]).set(0) }
    for document in policy.documents { version.series([document.name]).set(Int(document.version)) }
  }
}
