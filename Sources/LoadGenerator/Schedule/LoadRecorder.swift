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
    /// The run was over before the answer came.
    case unfinished
    /// Never sent: too many were waiting already.
    case dropped
  }

  /// One way to fail, and how often that was measured.
  package struct Failure: Sendable, Equatable {
    package var outcome: Outcome
    package var count: UInt64
    /// What the first one said.
    package var example: String
  }

  /// Different failures that are told apart; a server can invent status codes without end.
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
    if outcome != .dropped { totalCount &+= 1 }
    let isSuccess = outcome == .succeeded
    if isSuccess { totalSucceededCount &+= 1 } else { totalFailedCount &+= 1 }
    guard isMeasured(start: start, end: end) else { return }
    guard isSuccess else {
      countFailure(outcome, message())
      return
    }
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

  private mutating func countFailure(_ outcome: Outcome, _ message: @autoclosure () -> String) {
    if let index = failures.firstIndex(where: { $0.outcome == outcome }) {
      failures[index].count += 1
    } else if failures.count < Self.failureKindsMax {
      failures.append(Failure(outcome: outcome, count: 1, example: message()))
    } else {
      failures[failures.count - 1].count += 1
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
    for failure in other.failures {
      if let index = failures.firstIndex(where: { $0.outcome == failure.outcome }) {
        failures[index].count += failure.count
      } else {
        failures.append(failure)
      }
    }
  }
}

extension LoadRecorder.Outcome {
  /// As the report shows it: the status code's name, or what kept the call from having one.
  package var name: String {
    switch self {
    case .succeeded: "OK"
    case .wrongAnswer: "WRONG_ANSWER"
    case .failed(let code): code.description
    case .unfinished: "UNFINISHED"
    case .dropped: "DROPPED"
    }
  }
}
