/// Series whose value is asked for when the metrics are collected.
final class CallbackFamily: MetricSource {
  let name: String
  let kind: MetricKind
  let labelNames: [String]
  private let help: String
  private let callbacks = Lock<[[String]: @Sendable () -> Double]>([:])

  /// Callbacks are registered by the program, never by a peer: more is a leak, so it traps.
  private static let callbackCountMax = 1024

  init(name: String, help: String, kind: MetricKind, labelNames: [String]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.labelNames = labelNames
  }

  func set(_ values: [String], _ read: @escaping @Sendable () -> Double) {
    let count = callbacks.withLock { callbacks in
      callbacks[values] = read
      return callbacks.count
    }
    precondition(count <= Self.callbackCountMax, "\(name) has too many callbacks")
  }

  func remove(_ values: [String]) {
    callbacks.withLock { _ = $0.removeValue(forKey: values) }
  }

  func write(to exposition: inout MetricExposition) {
    // The callbacks run after the lock is released: they may take locks of their own.
    let callbacks = callbacks.withLock { $0 }
    exposition.header(name: name, help: help, kind: kind)
    for (values, read) in callbacks.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      exposition.sample(
        name: name,
        labels: MetricExposition.labels(labelNames, values),
        value: MetricExposition.number(read())
      )
    }
  }
}
