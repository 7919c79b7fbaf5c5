public import RPCKit

/// How many records a caller may have written that change nothing: refusals, and operations that leave
/// everything as it was.
///
/// Audit records are kept forever, so whoever is refused at will could fill the disk. A change is always
/// recorded; what would exceed the budget is refused with RESOURCE_EXHAUSTED instead of being done
/// without a record. Each caller may have `countMax` records at once and gets one back each
/// `interval` (`CellRate`).
public final class AuditBudget: Sendable {
  /// Records at once.
  public static let countMax: Int64 = 1_000
  /// Until one is back, in milliseconds.
  public static let interval: Int64 = 200
  /// Callers who are remembered because they have not got all back; when there are so many, no others
  /// have a budget.
  static let callerCountMax = 65_536

  private struct State {
    /// When each caller has all of its budget back, in milliseconds since 1970.
    var settled: [String: Int64] = [:]
    /// Pruned when there are so many.
    var pruneCount = 1024
  }

  private static let rate = CellRate(count: countMax, interval: interval)

  private let domain: String
  private let clock: any WallClock
  private let refusals: Counter
  private let state = Lock(State())

  /// Makes a budget for the service whose reasons belong to `domain`: `gatehouse.tenancy`.
  public init(domain: String, clock: any WallClock, metrics: MetricRegistry) {
    self.domain = domain
    self.clock = clock
    refusals = metrics.counter(
      "gatehouse_service_audit_budget_refusals_total",
      help: "Calls that were refused because their caller had too many records without changes."
    )
  }

  /// Takes a record from the budget of `caller`, or throws RESOURCE_EXHAUSTED with the time after which
  /// there is another one.
  public func take(_ caller: String) throws(RPCError) {
    guard let wait = wait(of: caller) else { return }
    refusals.increment()
    throw RPCError(
      .resourceExhausted,
      reason: "AUDIT_BUDGET_SPENT",
      domain: domain,
      message:
        "too many requests that were refused or changed nothing; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }

  /// Milliseconds until there is a record again; nil when one was taken.
  private func wait(of caller: String) -> Int64? {
    let now = clock.now
    return state.withLock { state -> Int64? in
      Self.prune(&state, now: now)
      if state.settled[caller] == nil, state.settled.count >= Self.callerCountMax {
        return Self.interval
      }
      return Self.rate.take(&state.settled[caller, default: now], now: now)
    }
  }

  private static func prune(_ state: inout State, now: Int64) {
    guard state.settled.count >= state.pruneCount else { return }
    state.settled = state.settled.filter { !rate.isSettled($0.value, now: now) }
    // Twice what is left: each pruning pays for as many callers as it looks at.
    state.pruneCount = min(max(1024, 2 * state.settled.count), callerCountMax)
  }

  /// How many callers are remembered.
  var callerCount: Int { state.withLock { $0.settled.count } }
}
