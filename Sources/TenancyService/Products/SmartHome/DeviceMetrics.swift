internal import RPCKit

struct DeviceMetrics: Sendable {
  /// The outcomes of commands, and of watches that were cut off.
  enum Command: String, CaseIterable, Sendable {
    case given
    case done
    case failed
    case expired
    case watchTooSlow = "watch_too_slow"
  }

  /// Attempts that made room in a device's history.
  let droppedAttempts: Counter
  let commands: CounterByLabel<Command>

  init(_ registry: MetricRegistry) {
    droppedAttempts = registry.counter(
      "gatehouse_tenancy_history_dropped_total",
      help: "Attempts of users without a role that were dropped from a history for newer ones."
    )
    commands = CounterByLabel(
      registry,
      "gatehouse_tenancy_commands_total",
      help: "Commands for devices, by what became of them.",
      label: "event"
    )
  }
}
