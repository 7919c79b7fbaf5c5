package import RPCKit

/// Decides which calls count, and counts them.
///
/// All times are nanoseconds from the start. A closed loop measures the calls that began and ended
/// within the window; an open loop, all that were due in it, however late they ended.
package struct LoadRecorder: Sendable {
  /// How a call ended.
  package enum Outcome: Sendable, Equatable {
    case succeeded
    /// OK, with another answer than the benchmark's.
    case wrongAnswer
    case failed(StatusCode)
    /// A status of HTTP that is no success.
    case answered(status: Int)
    /// Failed before the server began it: a client may send it again, and our channels do.
    case refused(StatusCode)
    /// The run was over before the answer came.
    case unfinished
    /// Never sent: too many were waiting already.
    case dropped
    /// Never sent: it still waited for a place when the run was over.
    case unsent
  }

  /// One way to fail, and how often that was measured.
  package struct Failure: Sendable, Equatable {
    package var outcome: Outcome
    package var count: UInt64
    /// The first error.
    package var example: String

    /// Makes a count.
    package init(outcome: Outcome, count: UInt64, example: String) {
      self.outcome = outcome
      self.count = count
      self.example = example
    }
  }

  /// Different failures that are distinguished; a server can invent status codes without end.
  private static let failureKindsMax = 64

  private let isOpenLoop: Bool
  private let windowStart: Int64
  /// End of the measured time.
  package private(set) var windowEnd: Int64

  /// Latencies of measured calls that succeeded and were not slow on purpose.
  package private(set) var latencies = LatencyHistogram()
  /// Measured calls that were slow on purpose and succeeded.
  package private(set) var slowCount: UInt64 = 0
  /// Calls of the whole run that got an answer or an error.
  package private(set) var totalCount: UInt64 = 0
  /// Calls of the whole run that succeeded.
  package private(set) var totalSucceededCount: UInt64 = 0
  /// Calls of the whole run that failed.
  package private(set) var totalFailedCount: UInt64 = 0
  /// Measured failures, in the order of their first occurrence.
  package private(set) var failures: [Failure] = []
  /// Failures outside of the measured time: why a run that never got so far went wrong.
  package private(set) var unmeasuredFailures: [Failure] = []

  /// Measures from `windowStart` to `windowEnd`.
  package init(isOpenLoop: Bool, windowStart: Int64, windowEnd: Int64) {
    self.isOpenLoop = isOpenLoop
    self.windowStart = windowStart
    self.windowEnd = windowEnd
  }

  /// Measured calls that succeeded.
  package var succeededCount: UInt64 { latencies.count + slowCount }

  /// Measured calls that did not succeed.
  package var failedCount: UInt64 { failures.reduce(0) { $0 + $1.count } }

  /// Those of them that the server did not begin.
  package var refusedCount: UInt64 {
    failures.reduce(0) { sum, failure in
      if case .refused = failure.outcome { sum + failure.count } else { sum }
    }
  }

  /// Ends the measured time earlier than planned.
  package mutating func finish(at end: Int64) {
    windowEnd = min(windowEnd, max(end, windowStart))
  }

  /// Counts a call that was due (closed loop: began) at `start`.
  ///
  /// `message` is what a failure said.
  package mutating func record(
    start: Int64,
    end: Int64,
    isSlow: Bool,
    _ outcome: Outcome,
    message: @autoclosure () -> String = ""
  ) {
    if outcome != .dropped, outcome != .unsent { totalCount &+= 1 }
    let isSuccess = outcome == .succeeded
    if isSuccess { totalSucceededCount &+= 1 } else { totalFailedCount &+= 1 }
    let isMeasured = isMeasured(start: start, end: end)
    guard isSuccess else {
      if isMeasured {
        Self.count(outcome, message(), in: &failures)
      } else {
        Self.count(outcome, message(), in: &unmeasuredFailures)
      }
      return
    }
    guard isMeasured else { return }
    if isSlow {
      slowCount &+= 1
    } else {
      latencies.record(nanoseconds: end - start)
    }
  }

  private func isMeasured(start: Int64, end: Int64) -> Bool {
    guard start >= windowStart else { return false }
    return isOpenLoop ? start < windowEnd : end <= windowEnd
  }

  private static func count(
    _ outcome: Outcome,
    _ message: @autoclosure () -> String,
    in failures: inout [Failure]
  ) {
    if let index = failures.firstIndex(where: { $0.outcome == outcome }) {
      failures[index].count += 1
    } else if failures.count < failureKindsMax {
      failures.append(Failure(outcome: outcome, count: 1, example: message()))
    } else {
      failures[failures.count - 1].count += 1
    }
  }

  private static func merge(_ others: [Failure], into failures: inout [Failure]) {
    for other in others {
      if let index = failures.firstIndex(where: { $0.outcome == other.outcome }) {
        failures[index].count += other.count
      } else {
        failures.append(other)
      }
    }
  }

  /// Adds what another thread counted in the same window.
  package mutating func merge(_ other: LoadRecorder) {
    windowEnd = max(windowEnd, other.windowEnd)
    latencies.merge(other.latencies)
    slowCount += other.slowCount
    totalCount += other.totalCount
    totalSucceededCount += other.totalSucceededCount
    totalFailedCount += other.totalFailedCount
    Self.merge(other.failures, into: &failures)
    Self.merge(other.unmeasuredFailures, into: &unmeasuredFailures)
  }
}

extension LoadRecorder.Outcome {
  /// As the report shows it: the status code's name, or what kept the call from having one.
  package var name: String {
    switch self {
    case .succeeded: "OK"
    case .wrongAnswer: "WRONG_ANSWER"
    case .failed(let code): code.description
    case .answered(let status): "HTTP_\(status)"
    case .refused(let code): "\(code)_NOT_PROCESSED"
    case .unfinished: "UNFINISHED"
    case .dropped: "DROPPED"
    case .unsent: "UNSENT"
    }
  }
}
