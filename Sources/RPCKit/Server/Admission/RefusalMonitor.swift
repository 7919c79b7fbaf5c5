internal import Synchronization

/// Adds up what a server refuses to protect itself, the calls that it sheds and the limits that are
/// reached, and says it in the log, once a second at most.
///
/// Under attack most of what arrives comes by here, so one refusal costs an atomic addition and a look
/// whether a report is due already. Safe from any thread.
final class RefusalMonitor: Sendable {
  /// From one report to the next, at least.
  static let interval = Duration.seconds(1)
  /// How far back `recentlyShed` looks.
  static let memory = Duration.seconds(10)
  /// Lines about calls in one report; what is left is added up in one more.
  static let callLineCountMax = 8

  /// A limit that was reached since the last report.
  private final class ReachedLimit: Sendable {
    let count = Atomic<Int>(0)
    /// Whether the next report can name somebody already.
    let hasSource = Atomic<Bool>(false)
  }

  private struct State {
    /// The value of each counter of calls in the last report: method by method, reason by reason.
    var reported: [UInt64]
    /// Calls of the reports that are not older than `memory`.
    var recent: [(instant: MonotonicInstant, counts: [ShedReason: Int])] = []
    /// The source that reached a limit, by its place in `LimitName.allCases`.
    var sources: [Int: String] = [:]
  }

  /// Calls of one method that were refused for one reason since the last report.
  private struct ShedCalls {
    let method: String
    let reason: ShedReason
    let count: Int
  }

  private let methods: [BoundMethod]
  private let logger: Logger?
  private let loop: any EventLoop
  private let limits = LimitName.allCases.map { _ in ReachedLimit() }
  private let isScheduled = Atomic<Bool>(false)
  private let state: Lock<State>

  /// Makes a monitor that reports on `loop`; without a logger it only remembers.
  init(_ methods: [BoundMethod], logger: Logger?, loop: any EventLoop) {
    self.methods = methods
    self.logger = logger
    self.loop = loop
    let count = methods.count * ShedReason.allCases.count
    state = Lock(State(reported: Array(repeating: 0, count: count)))
  }

  /// Counts a call that was refused.
  func shed(_ method: BoundMethod, _ reason: ShedReason) {
    method.shedCounter(reason).increment()
    schedule()
  }

  /// Counts a limit that was reached, by `source` if somebody can be named.
  func reached(_ limit: LimitName, at index: Int, source: String?) {
    guard logger != nil else { return }
    limits[index].count.wrappingAdd(1, ordering: .relaxed)
    if let source, !limits[index].hasSource.load(ordering: .relaxed),
      !limits[index].hasSource.exchange(true, ordering: .relaxed)
    {
      state.withLock { $0.sources[index] = source }
    }
    schedule()
  }

  /// Calls that were refused within `memory`, by reason; one appears up to a second late.
  func recentlyShed(now: MonotonicInstant) -> [ShedReason: Int] {
    state.withLock { state in
      state.recent.filter { Self.isRecent($0.instant, now) }
        .reduce(into: [:]) { $0.merge($1.counts, uniquingKeysWith: +) }
    }
  }

  private func schedule() {
    guard !isScheduled.load(ordering: .relaxed),
      !isScheduled.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    loop.execute { [self] in
      _ = loop.after(Self.interval) { [self] in report(now: loop.now) }
    }
  }

  private func report(now: MonotonicInstant) {
    // Before the counters are read: what is counted after that has a report of its own.
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    let calls = state.withLock { state in
      let calls = takeCalls(&state)
      state.recent.removeAll { !Self.isRecent($0.instant, now) }
      let counts = calls.reduce(into: [:]) { $0[$1.reason, default: 0] += $1.count }
      state.recent.append((now, counts))
      return calls
    }
    guard let logger else { return }
    log(calls, to: logger)
    logLimits(to: logger)
  }

  private func takeCalls(_ state: inout State) -> [ShedCalls] {
    var calls: [ShedCalls] = []
    var index = 0
    for method in methods {
      for reason in ShedReason.allCases {
        let total = method.shedCounter(reason).value
        let count = Int(clamping: total &- state.reported[index])
        if count > 0 {
          let name = method.descriptor.fullName
          calls.append(ShedCalls(method: name, reason: reason, count: count))
        }
        state.reported[index] = total
        index += 1
      }
    }
    return calls.sorted { $0.count > $1.count }
  }

  /// A line for each method and reason, the most frequent first.
  private func log(_ calls: [ShedCalls], to logger: Logger) {
    func log(_ method: String, _ reason: String, _ count: Int) {
      logger.warning(
        "calls refused",
        ["method": .string(method), "reason": .string(reason), "count": LogValue(count)]
      )
    }
    for calls in calls.prefix(Self.callLineCountMax) {
      log(calls.method, calls.reason.rawValue, calls.count)
    }
    let rest = calls.dropFirst(Self.callLineCountMax).reduce(0) { $0 + $1.count }
    if rest > 0 { log("other", "any", rest) }
  }

  private func logLimits(to logger: Logger) {
    for (index, limit) in LimitName.allCases.enumerated() {
      let count = limits[index].count.exchange(0, ordering: .relaxed)
      guard count > 0 else { continue }
      limits[index].hasSource.store(false, ordering: .relaxed)
      let source = state.withLock { $0.sources.removeValue(forKey: index) }
      var fields: LogFields = ["limit": .string(limit.rawValue), "count": LogValue(count)]
      if let source { fields["source"] = .string(source) }
      logger.warning("limit reached", fields)
    }
  }

  private static func isRecent(_ instant: MonotonicInstant, _ now: MonotonicInstant) -> Bool {
    instant.nanoseconds(to: now) < memory.nanosecondsSaturated
  }
}
