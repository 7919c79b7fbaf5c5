import RPCKit

/// Logs calls that failed for a reason that an operator may want to see.
///
/// Refusals that are part of business are counted and not logged. While a peer is away or a disk is full
/// every call may be UNAVAILABLE, so lines with that code are rationed: `burst` at once and one more each
/// `interval`. What is left out is counted in the next line. They are no warnings unless the store is at
/// fault: a peer that goes away has a warning of its own, and one is enough.
final class FailureLog: Sendable {
  /// Lines of UNAVAILABLE at once.
  static let burst: Int64 = 20
  /// Until there is another one, in milliseconds.
  static let interval: Int64 = 10_000

  private static let rate = CellRate(count: burst, interval: interval)

  private struct State {
    /// When all lines are back, in milliseconds since 1970.
    var settled: Int64 = .min
    var suppressedCount = 0
  }

  private let logger: Logger
  private let clock: any WallClock
  private let state = Lock(State())

  init(logger: Logger, clock: any WallClock) {
    self.logger = logger.withoutLimiter()
    self.clock = clock
  }

  /// Looks at the error that a call ends with.
  func look(at error: RPCError, of call: CallContext, requestID: String) {
    let level = Self.level(of: error)
    guard logger.isEnabled(level) else { return }
    var fields: LogFields = [
      "service": .string(call.method.service),
      "method": .string(call.method.method),
      "code": "\(error.code)",
      "error": .string(error.message),
      "cause": .string(error.causeDescription ?? ""),
      "request_id": .string(requestID),
      "traceparent": .string(call.trace?.traceparent ?? ""),
    ]
    if error.code == .unavailable {
      guard let suppressedCount = admit() else { return }
      if suppressedCount > 0 { fields["suppressed_count"] = LogValue(suppressedCount) }
    }
    logger.log(level, "call failed", fields)
  }

  private static func level(of error: RPCError) -> LogLevel {
    switch error.code {
    case .unavailable: error.cause is StoreError ? .warning : .info
    case .dataLoss, .internal, .unknown: .warning
    default: .debug
    }
  }

  /// Takes a line; how many were left out before it, or nil when this one is too.
  private func admit() -> Int? {
    let now = clock.now
    return state.withLock { state in
      guard Self.rate.take(&state.settled, now: now) == nil else {
        state.suppressedCount += 1
        return nil
      }
      defer { state.suppressedCount = 0 }
      return state.suppressedCount
    }
  }
}
