internal import RPCKit

/// A counter with one label of which all values are known: each has a series from the start.
struct CounterByLabel<Label>: Sendable
where Label: CaseIterable & RawRepresentable<String> & Sendable {
  private let counters: MetricFamily<Counter>

  /// Registers it, or finds it where it is registered already.
  init(_ registry: MetricRegistry, _ name: String, help: String, label: String) {
    counters = registry.counters(name, help: help, labels: [label])
    for value in Label.allCases { _ = counters.series([value.rawValue]) }
  }

  func increment(_ value: Label) { counters.series([value.rawValue]).increment() }
}
