/// The metrics of a server beside its connections.
public struct ServerMetrics: Sendable {
  /// The life of a server, as its gauge shows it.
  public enum DrainState: Int, Sendable {
    /// Taking calls.
    case serving = 0
    /// Finishing the calls it has.
    case draining = 1
    /// Nothing is left.
    case drained = 2
  }

  /// Handlers that have not returned yet, including those of calls that ended already.
  public let runningHandlers: Gauge
  /// Those of them that only wait, and so count for no load.
  public let waitingHandlers: Gauge
  /// How many handlers the adaptive limit allows now.
  public let handlerLimit: Gauge
  /// Calls whose deadline had passed before the handler could start.
  public let expiredBeforeStart: Counter
  /// Calls that the peer cancelled or whose connection was lost.
  public let cancelled: Counter

  private let methods: MethodMetricTable
  private let drainState: Gauge
  /// Indexed by the raw value of the priority.
  private let refusedByPriority: [Counter]
  /// Indexed by the place of the reason in `allCases`.
  private let shedByReason: [Counter]
  private let streamingCalls: MetricFamily<Gauge>

  init(registry: MetricRegistry) {
    methods = MethodMetricTable(registry: registry, side: "server", countsMessages: true)
    runningHandlers = registry.gauge(
      "rpckit_server_running_handlers",
      help: "Handlers that have not returned."
    )
    waitingHandlers = registry.gauge(
      "rpckit_server_waiting_handlers",
      help: "Handlers that have not returned and only wait."
    )
    handlerLimit = registry.gauge(
      "rpckit_server_handler_limit",
      help: "Handlers that the adaptive limit allows to run at once."
    )
    expiredBeforeStart = registry.counter(
      "rpckit_server_expired_before_start_total",
      help: "Calls whose deadline passed before their handler started."
    )
    cancelled = registry.counter(
      "rpckit_server_cancelled_total",
      help: "Calls cancelled by the peer or by the loss of its connection."
    )
    drainState = registry.gauge(
      "rpckit_server_drain_state",
      help: "0 serving, 1 draining, 2 drained."
    )
    let refused = registry.counters(
      "rpckit_server_overload_refused_total",
      help: "Calls refused because of overload, before their handler began.",
      labels: ["priority"]
    )
    refusedByPriority = ["low", "normal", "high"].map { refused.series($0) }
    let shed = registry.counters(
      "rpckit_server_calls_shed_total",
      help: "Calls refused to protect the server, by reason.",
      labels: ["reason"]
    )
    shedByReason = ShedReason.allCases.map { shed.series($0.rawValue) }
    streamingCalls = registry.gauges(
      "rpckit_server_streaming_calls",
      help: "Open calls of every kind but the unary ones, by kind of caller.",
      labels: ["caller"]
    )
  }

  /// The metrics of a method; resolve once when the method is registered.
  ///
  /// Methods past the 512th share one object, whose labels say `other`.
  public func method(_ descriptor: MethodDescriptor) -> MethodMetrics {
    methods.method(descriptor)
  }

  /// For calls of methods that this server does not have, whatever the peer called them.
  public var unknownMethod: MethodMetrics { methods.unknown }

  /// The counter of calls of one priority that were refused because of overload.
  public func overloadRefused(_ priority: MethodDescriptor.Priority) -> Counter {
    refusedByPriority[Int(priority.rawValue)]
  }

  /// The counter of calls that were refused for one reason.
  public func shed(_ reason: ShedReason) -> Counter { shedByReason[reason.index] }

  /// The gauge of open streaming calls of one kind of caller.
  func streamingCalls(_ kind: CountedCallerKind) -> Gauge { streamingCalls.series(kind.rawValue) }

  /// Shows in which part of its life the server is.
  public func setDrainState(_ state: DrainState) {
    drainState.set(state.rawValue)
  }
}
