/// The counters of one method, resolved once so that a call costs atomic additions only.
public final class MethodMetrics: Sendable {
  /// Calls whose request was accepted for processing.
  public let started: Counter
  /// Messages received in calls of this method; nil for clients, which count calls and not messages.
  public let messagesReceived: Counter?
  /// Messages sent in calls of this method; nil for clients.
  public let messagesSent: Counter?

  private let duration: Histogram
  /// Indexed by status code; the last one counts every code outside of 0…16.
  private let handledByCode: [Counter]

  /// Codes with a counter of their own.
  static let codes = 0...16

  init(families: MethodMetricFamilies, service: String, method: String) {
    started = families.started.series(service, method)
    messagesReceived = families.messagesReceived?.series(service, method)
    messagesSent = families.messagesSent?.series(service, method)
    duration = families.duration.series(service, method)
    let names = Self.codes.map { StatusCode(rawValue: Int32($0)).description } + ["other"]
    handledByCode = names.map { families.handled.series(service, method, $0) }
  }

  /// Counts the beginning of a call.
  public func callStarted() {
    started.increment()
  }

  /// Counts the end of a call: its status, and its duration from the first byte of the request to
  /// the last status byte handed to the transport.
  public func callEnded(_ code: StatusCode, nanoseconds: Int64) {
    handled(code).increment()
    duration.observe(nanoseconds: nanoseconds)
  }

  /// The counter of one status code; codes that have none of their own share one.
  public func handled(_ code: StatusCode) -> Counter {
    let index = Int(code.rawValue)
    return handledByCode[Self.codes.contains(index) ? index : handledByCode.count - 1]
  }
}

/// The families that the method metrics of one side are taken from.
struct MethodMetricFamilies: Sendable {
  let started: MetricFamily<Counter>
  let handled: MetricFamily<Counter>
  let duration: MetricFamily<Histogram>
  let messagesReceived: MetricFamily<Counter>?
  let messagesSent: MetricFamily<Counter>?

  /// Methods with series of their own; `MethodMetricTable` keeps the bound.
  static let methodCountMax = 512

  /// Registers those of a side, `server` or `client`; messages only if it counts them.
  init(registry: MetricRegistry, side: String, countsMessages: Bool) {
    let labels = ["service", "method"]
    // Room for the methods, and for the two stand-ins of what has no series of its own.
    let seriesCountMax = Self.methodCountMax + 2
    started = registry.counters(
      "rpckit_\(side)_calls_started_total",
      help: "Calls started.",
      labels: labels,
      seriesCountMax: seriesCountMax
    )
    handled = registry.counters(
      "rpckit_\(side)_calls_handled_total",
      help: "Calls ended, by status code.",
      labels: labels + ["code"],
      seriesCountMax: seriesCountMax * (MethodMetrics.codes.count + 1),
      isSparse: true
    )
    duration = registry.histograms(
      "rpckit_\(side)_call_duration_seconds",
      help: "Time from the first byte of a request to the end of the call.",
      labels: labels,
      seriesCountMax: seriesCountMax,
      isSparse: true
    )
    func messages(_ name: String, _ help: String) -> MetricFamily<Counter>? {
      guard countsMessages else { return nil }
      return registry.counters(
        "rpckit_\(side)_messages_\(name)_total",
        help: help,
        labels: labels,
        seriesCountMax: seriesCountMax,
        isSparse: true
      )
    }
    messagesReceived = messages("received", "Messages received.")
    messagesSent = messages("sent", "Messages sent.")
  }
}
