/// Everything that the servers, clients and loops of this library count.
///
/// Made once per process and handed to all of them; the names, types and labels are listed in
/// `docs/operations/metrics.md`. What is updated for every call or turn is resolved to an object beforehand
/// (`server.method(_:)`, `client.method(_:)`, `loop(_:)`), so that the hot path is atomic additions
/// only.
///
/// ```swift
/// let registry = MetricRegistry()
/// let metrics = RPCMetrics(registry: registry, version: "1.0.0")
/// let check = metrics.server.method(descriptor)
/// check.callStarted()
/// check.callEnded(.ok, nanoseconds: 81_000)
/// ```
public struct RPCMetrics: Sendable {
  /// Where the metrics are registered and collected.
  public let registry: MetricRegistry
  /// Calls that this process answers.
  public let server: ServerMetrics
  /// Calls that this process makes.
  public let client: ClientMetrics
  /// Connections that others opened.
  public let serverConnections: ConnectionMetrics
  /// Connections that this process opened.
  public let clientConnections: ClientConnectionMetrics

  private let limits: MetricFamily<Counter>
  private let loopLag: MetricFamily<Histogram>
  private let loopTurns: MetricFamily<Histogram>

  /// Registers all metrics; doing so twice with one registry shares the series.
  ///
  /// `version` is the version of the program and `revision` what it was built from.
  public init(registry: MetricRegistry, version: String, revision: String = "unknown") {
    self.registry = registry
    server = ServerMetrics(registry: registry)
    client = ClientMetrics(registry: registry)
    serverConnections = ConnectionMetrics(registry: registry)
    clientConnections = ClientConnectionMetrics(registry: registry)
    limits = registry.counters(
      "rpckit_limit_reached_total",
      help: "Times a limit refused, delayed or cut something.",
      labels: ["limit"],
      isSparse: true
    )
    loopLag = registry.histograms(
      "rpckit_loop_lag_seconds",
      help: "Time between the moment work was due on an event loop and the moment it ran.",
      labels: ["loop"]
    )
    loopTurns = registry.histograms(
      "rpckit_loop_turn_duration_seconds",
      help: "Time an event loop spent working between two waits.",
      labels: ["loop"]
    )
    registry.gauges(
      "rpckit_build_info",
      help: "Always 1; the labels say what is running.",
      labels: ["version", "revision"]
    ).series(version, revision).set(1)
  }

  /// The counter of one limit, named as in `Limits`: `frame_byte_count`, `running_handlers`.
  ///
  /// Takes a lock: keep it where the limit can be hit often.
  public func limitReached(_ limit: String) -> Counter {
    limits.series(limit)
  }

  /// The metrics of one event loop; resolve once when the loop starts.
  public func loop(_ index: Int) -> LoopMetrics {
    LoopMetrics(
      lag: loopLag.series(String(index)),
      turnDuration: loopTurns.series(String(index))
    )
  }
}

/// How an event loop is doing.
public struct LoopMetrics: Sendable {
  /// How late work started.
  public let lag: Histogram
  /// How long a turn took without the wait.
  public let turnDuration: Histogram
}
