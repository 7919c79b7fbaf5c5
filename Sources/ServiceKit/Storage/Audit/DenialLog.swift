package import RPCKit

/// Logs and counts every denial of a service: who wanted to do what to which object, why not, and in
/// which request.
///
/// Anybody can be denied as often as they like, so lines are rationed: for all callers together `burst` at
/// once and one more each `interval`, which is at most 30 MB a day, and for each caller a tenth of that,
/// so that one cannot hide the others' denials. What is left out is counted in the next line and always
/// in the metric.
package final class DenialLog: Sendable {
  /// Lines at once.
  package static let burst: Int64 = 200
  /// Until there is another line, in milliseconds.
  package static let interval: Int64 = 1000
  /// Lines of one caller at once.
  package static let callerBurst: Int64 = burst / 10
  /// Until one caller gets another line, in milliseconds.
  package static let callerInterval: Int64 = interval * 10
  /// Callers that are remembered; when there are more, those go who are denied least.
  private static let callerCountMax = 4096

  private static let rate = CellRate(count: burst, interval: interval)
  private static let callerRate = CellRate(count: callerBurst, interval: callerInterval)

  private struct CallerLines: BoundedTableEntry {
    let key: UInt64
    /// When all lines are back, in milliseconds since 1970.
    var settled: Int64 = .min

    init(key: UInt64) { self.key = key }

    var worth: Int64 { settled }
  }

  private struct State {
    /// When all lines are back, in milliseconds since 1970.
    var settled: Int64 = .min
    var callers = BoundedTable<CallerLines>(count: callerCountMax)
    var suppressedCount = 0
  }

  private let identifiers: IdentifierFactory
  private let logger: Logger
  private let clock: any WallClock
  private let denials: MetricFamily<Counter>
  private let onDenial: DenialObserver
  private let state = Lock(State())

  /// For the service of a name: `tenancy`; `onDenial` is notified of every denial, whether it gets a line or
  /// not.
  package init(
    service: String,
    identifiers: IdentifierFactory,
    logger: Logger,
    clock: any WallClock,
    metrics: MetricRegistry,
    onDenial: @escaping DenialObserver = { _, _ in }
  ) {
    self.identifiers = identifiers
    // One caller would use up the ten lines a second that the limiter has for a message.
    self.logger = logger.withoutLimiter()
    self.clock = clock
    self.onDenial = onDenial
    denials = metrics.counters(
      "gatehouse_\(service)_denials_total",
      help: "Calls that were denied, by reason.",
      labels: ["reason"]
    )
  }

  /// Looks at the error that a call ends with; what is no denial is left alone.
  package func look(at error: RPCError, of call: CallContext) {
    guard let denial = Self.denial(error, call) else { return }
    denials.series(denial.reason).increment()
    onDenial(denial, call)
    guard let suppressedCount = admit(CountedCaller(of: call)) else { return }
    let actor = AuditActor(call.caller)
    var fields: LogFields = [
      "actor": .string(actor.name), "action": .string(denial.action),
      "object": .string(denial.object), "reason": .string(denial.reason),
      "request_id": .string(identifiers.requestID(of: call)),
    ]
    if let user = actor.onBehalfOf { fields["on_behalf_of"] = .string(user) }
    if suppressedCount > 0 { fields["suppressed_count"] = LogValue(suppressedCount) }
    logger.info("permission denied", fields)
  }

  /// The denial; nil for an error of another kind.
  private static func denial(_ error: RPCError, _ call: CallContext) -> Denial? {
    if let denial = error.cause as? Denial { return denial }
    guard error.code == .permissionDenied || error.code == .unauthenticated else { return nil }
    return Denial(
      action: call.method.fullName,
      object: "",
      reason: error.reason ?? error.code.description
    )
  }

  /// Takes a line; how many were left out before it, or nil when this one is too.
  private func admit(_ caller: CountedCaller) -> Int? {
    let now = clock.now
    // Hashes are seeded for each process, so nobody can choose a caller that shares another's place.
    let key = UInt64(truncatingIfNeeded: caller.hashValue)
    return state.withLock { state in
      let isOut =
        state.callers.change(key) { Self.callerRate.take(&$0.settled, now: now) } != nil
        || Self.rate.take(&state.settled, now: now) != nil
      guard !isOut else {
        state.suppressedCount += 1
        return nil
      }
      defer { state.suppressedCount = 0 }
      return state.suppressedCount
    }
  }
}
