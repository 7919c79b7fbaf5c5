/// The metrics of clients beside their connections.
public struct ClientMetrics: Sendable {
  private let methods: MethodMetricTable
  private let connectFailures: MetricFamily<Counter>
  private let lostConnections: MetricFamily<Counter>
  private let retries: MetricFamily<Counter>
  private let budgetExhausted: MetricFamily<Counter>
  private let queued: MetricFamily<Gauge>

  /// Targets come from configuration; more than this many share one series.
  private static let targetCountMax = 128

  init(registry: MetricRegistry) {
    func counters(_ name: String, _ help: String) -> MetricFamily<Counter> {
      registry.counters(
        name,
        help: help,
        labels: ["target"],
        seriesCountMax: Self.targetCountMax
      )
    }
    func gauges(_ name: String, _ help: String) -> MetricFamily<Gauge> {
      registry.gauges(name, help: help, labels: ["target"], seriesCountMax: Self.targetCountMax)
    }
    methods = MethodMetricTable(registry: registry, side: "client", countsMessages: false)
    connectFailures = counters(
      "rpckit_client_connect_failures_total",
      "Attempts to connect that failed."
    )
    lostConnections = counters(
      "rpckit_client_connections_lost_total",
      "Connections that were made and then lost."
    )
    retries = counters("rpckit_client_retries_total", "Attempts of calls after the first one.")
    budgetExhausted = counters(
      "rpckit_client_retry_budget_exhausted_total",
      "Retries not made because the shared budget was used up."
    )
    queued = gauges("rpckit_client_queued_calls", "Calls that wait for a connection.")
  }

  /// The metrics of a method; resolve once when the client is made.
  public func method(_ descriptor: MethodDescriptor) -> MethodMetrics {
    methods.method(descriptor)
  }

  /// The metrics of one target; resolve once per channel.
  public func target(_ name: String) -> TargetMetrics {
    TargetMetrics(
      connectFailures: connectFailures.series(name),
      lostConnections: lostConnections.series(name),
      retries: retries.series(name),
      retryBudgetExhausted: budgetExhausted.series(name),
      queuedCalls: queued.series(name)
    )
  }
}

/// The metrics of the channels to one target.
public struct TargetMetrics: Sendable {
  /// Attempts to connect that failed.
  public let connectFailures: Counter
  /// Connections that were made and then lost.
  public let lostConnections: Counter
  /// Attempts of calls after the first one.
  public let retries: Counter
  /// Retries not made because the shared budget was used up.
  public let retryBudgetExhausted: Counter
  /// Calls that wait for a connection.
  public let queuedCalls: Gauge
}
