internal import RPCKit

/// Spans that wait to be sent: when there are too many, newer ones are dropped and counted.
final class SpanQueue: Sendable {
  /// Spans that may wait; a few hundred bytes each.
  static let countMax = 2048
  /// Spans that are sent at once.
  static let batchCount = 512

  /// Says that a batch is full.
  let signal = WakeSignal()
  private let metrics: TraceMetrics
  private let spans = Lock<[CallSpan]>([])

  init(_ metrics: TraceMetrics) { self.metrics = metrics }

  var count: Int { spans.withLock { $0.count } }

  /// Adds a span if there is room.
  func add(_ span: CallSpan) {
    let count = spans.withLock { spans -> Int in
      guard spans.count < Self.countMax else { return 0 }
      spans.append(span)
      return spans.count
    }
    guard count > 0 else { return metrics.dropped.increment() }
    if count % Self.batchCount == 0 { signal.announce() }
  }

  /// Takes the oldest, as many as are sent at once.
  func take() -> [CallSpan] {
    spans.withLock { spans in
      let batch = Array(spans.prefix(Self.batchCount))
      spans.removeFirst(batch.count)
      return batch
    }
  }

  /// Puts back what was taken and could not be sent; what has no room is dropped.
  func putBack(_ batch: [CallSpan]) {
    let dropped = spans.withLock { spans in
      let kept = batch.prefix(Self.countMax - spans.count)
      spans.insert(contentsOf: kept, at: 0)
      return batch.count - kept.count
    }
    metrics.dropped.add(dropped)
  }

  /// Drops everything.
  func clear() {
    let dropped = spans.withLock { spans in
      defer { spans = [] }
      return spans.count
    }
    metrics.dropped.add(dropped)
  }
}
