internal import RPCKit

/// The line that shows how a run fares, rewritten in place.
package struct ProgressLine {
  private var lastCount: UInt64 = 0

  /// Begins at zero.
  package init() {}

  /// The line for a terminal, `seconds` after the last one.
  package mutating func next(_ progress: LoadProgress, seconds: Double) -> String {
    let recorder = progress.recorder
    let count = recorder.totalCount
    // A run that was prepared again counts from zero.
    let rate = seconds > 0 && count >= lastCount ? Double(count - lastCount) / seconds : 0
    lastCount = count
    let p99 = recorder.latencies.percentile(99).map { DecimalText.time(nanoseconds: Double($0)) }
    // Carriage return and "erase to the end of the line" (ECMA-48, EL).
    return "\r\u{1B}[K\(DecimalText.fixed(rate, 0))/s, \(progress.inFlight) in flight, "
      + "\(progress.waiting) waiting, p99 \(p99 ?? "-"), \(recorder.totalFailedCount) failed"
  }

  /// Takes the line away.
  package static let erased = "\r\u{1B}[K"
}
