internal import AccessEngine
internal import RPCKit

/// What TenancyService counts.
final class TenancyInstruments: Sendable {
  private let droppedAttempts: Counter
  private let policyLoads: MetricFamily<Counter>
  private let policyVersion: MetricFamily<Gauge>
  private let documentRefusals: MetricFamily<Counter>

  /// Registers the metrics.
  init(_ registry: MetricRegistry) {
    droppedAttempts = registry.counter(
      "gatehouse_tenancy_history_dropped_total",
      help: "Attempts of users without a role that were dropped from a history for newer ones."
    )
    policyLoads = registry.counters(
      "gatehouse_tenancy_policy_reloads_total",
      help: "Policy reloads, by outcome.",
      labels: ["outcome"]
    )
    policyVersion = registry.gauges(
      "gatehouse_tenancy_policy_version",
      help: "Version of the policy in force; 0 for a former one.",
      labels: ["policy"]
    )
    documentRefusals = registry.counters(
      "gatehouse_tenancy_document_refusals_total",
      help: "Calls about documents of users that were refused at a limit, by the limit.",
      labels: ["limit"]
    )
    for limit in DocumentLimit.allCases { _ = documentRefusals.series([limit.rawValue]) }
    for outcome in PolicyReload.allCases { _ = policyLoads.series([outcome.rawValue]) }
  }

  /// Counts a reload.
  func reloaded(_ outcome: PolicyReload) { policyLoads.series([outcome.rawValue]).increment() }

  /// Says which policies are in force.
  func inForce(_ policy: Policy, insteadOf old: Policy? = nil) {
    for document in old?.documents ?? [] { policyVersion.series([document.name]).set(0) }
    for document in policy.documents {
      policyVersion.series([document.name]).set(Int(document.version))
    }
  }

  /// Counts a call about documents that a limit has refused.
  func refused(_ limit: DocumentLimit) { documentRefusals.series([limit.rawValue]).increment() }

  /// Counts attempts that made room in a device's history.
  func dropped(_ count: Int) { droppedAttempts.add(count) }
}

/// How reading the policy again ended.
enum PolicyReload: String, CaseIterable, Sendable {
  /// Another one is in force.
  case loaded
  /// It is the same.
  case unchanged
  /// It has a mistake or cannot be read; the old one is in force.
  case failed
}
