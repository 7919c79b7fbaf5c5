internal import RPCKit

/// Counts what became of spans.
struct TraceMetrics: Sendable {
  /// The collector has them.
  let sent: Counter
  /// The collector did not want them.
  let refused: Counter
  /// No collector could be reached, or had time.
  let failed: Counter
  /// There were too many, or no time left at the end.
  let dropped: Counter

  init(_ registry: MetricRegistry) {
    let spans = registry.counters(
      "gatehouse_service_spans_total",
      help: "Recorded spans, by what became of them.",
      labels: ["outcome"]
    )
    sent = spans.series("sent")
    refused = spans.series("refused")
    failed = spans.series("failed")
    dropped = spans.series("dropped")
  }
}
