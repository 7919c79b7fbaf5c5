/// The metrics of the connections that this process opened.
///
/// A part of what a server counts of its connections, under the same names: what else there is to know,
/// such as bytes and violations, the other side counts.
public struct ClientConnectionMetrics: Sendable {
  /// Connections open now.
  public let open: Gauge
  /// Connections established.
  public let opened: Counter

  private static let role = "client"
  private let closedByReason: MetricFamily<Counter>

  init(registry: MetricRegistry) {
    open = registry.gauges(
      "rpckit_connections_open",
      help: "Connections open now.",
      labels: ["role"]
    ).series(Self.role)
    opened = registry.counters(
      "rpckit_connections_opened_total",
      help: "Connections accepted or established.",
      labels: ["role"]
    ).series(Self.role)
    closedByReason = registry.counters(
      "rpckit_connections_closed_total",
      help: "Connections closed, by reason.",
      labels: ["role", "reason"]
    )
  }

  /// The counter of connections closed for a reason, such as `unused`, `connection_lost`.
  ///
  /// Takes a lock, which is nothing beside closing a connection.
  public func closed(_ reason: String) -> Counter { closedByReason.series(Self.role, reason) }
}
