internal import Synchronization

/// Adds refused calls up and reports them, once a second at most.
///
/// Under overload most calls come by here, so one costs an atomic addition and a look whether a report
/// is due already. Safe from any thread.
final class ShedMonitor: Sendable {
  /// From one report to the next, at least.
  static let interval = Duration.seconds(1)
  /// How far back `recent` looks.
  static let memory = Duration.seconds(10)

  private struct State {
    /// What each counter said in the last report: method by method, reason by reason.
    var reported: [UInt64]
    /// Reports that are not older than `memory`.
    var recent: [(instant: MonotonicInstant, reports: [ShedReport])] = []
  }

  private let methods: [BoundMethod]
  private let report: @Sendable ([ShedReport]) -> Void
  private let isScheduled = Atomic<Bool>(false)
  private let state: Lock<State>

  init(_ methods: [BoundMethod], report: @escaping @Sendable ([ShedReport]) -> Void) {
    self.methods = methods
    self.report = report
    let count = methods.count * ShedReason.allCases.count
    state = Lock(State(reported: Array(repeating: 0, count: count)))
  }

  /// Counts a refused call.
  func shed(_ method: BoundMethod, _ reason: ShedReason, on loop: any EventLoop) {
    method.shedCounter(reason).increment()
    guard !isScheduled.load(ordering: .relaxed) else { return }
    let (isOurs, _) = isScheduled.compareExchange(
      expected: false,
      desired: true,
      ordering: .acquiringAndReleasing
    )
    guard isOurs else { return }
    _ = loop.after(Self.interval) { [self] in publish(now: loop.now) }
  }

  /// What was refused within `memory`, by reason; a call appears up to a second late.
  func recent(now: MonotonicInstant) -> [ShedReason: Int] {
    state.withLock { state in
      var counts: [ShedReason: Int] = [:]
      for entry in state.recent where Self.isRecent(entry.instant, now) {
        for report in entry.reports { counts[report.reason, default: 0] += report.count }
      }
      return counts
    }
  }

  private func publish(now: MonotonicInstant) {
    // Before the counters are read: what is counted after that has a report of its own.
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    let reports = state.withLock { state in
      let reports = takeReports(&state)
      state.recent.removeAll { !Self.isRecent($0.instant, now) }
      state.recent.append((now, reports))
      return reports
    }
    if !reports.isEmpty { report(reports) }
  }

  private func takeReports(_ state: inout State) -> [ShedReport] {
    var reports: [ShedReport] = []
    var index = 0
    for method in methods {
      for reason in ShedReason.allCases {
        let total = method.shedCounter(reason).value
        if total != state.reported[index] {
          reports.append(
            ShedReport(
              method: method.descriptor.fullName,
              reason: reason,
              count: Int(clamping: total &- state.reported[index])
            )
          )
          state.reported[index] = total
        }
        index += 1
      }
    }
    return reports.sorted { $0.count > $1.count }
  }

  private static func isRecent(_ instant: MonotonicInstant, _ now: MonotonicInstant) -> Bool {
    instant.nanoseconds(to: now) < memory.nanosecondsSaturated
  }
}
