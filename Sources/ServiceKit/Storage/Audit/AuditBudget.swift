public import RPCKit

/// How many records a caller may have written that change nothing: refusals, and operations that leave
/// everything as it was.
///
/// Audit records are kept forever, so anyone who is refused at will could fill the disk. A change is always
/// recorded; what would exceed the budget is refused with RESOURCE_EXHAUSTED instead of being done
/// without a record. Each caller may have `countMax` records at once and gets one back each
/// `interval` (`CellRate`), whatever others have had: those who owe least are forgotten for newcomers.
public final class AuditBudget: Sendable {
  /// Records at once.
  public static let countMax: Int64 = 1_000
  /// Until one is back, in milliseconds.
  public static let interval: Int64 = 200
  /// Callers who are remembered.
  static let callerCountMax = 65_536

  private let domain: String
  private let clock: any WallClock
  private let refusals: Counter
  private let callers: SourceLimiter

  /// Makes a budget for the service whose reasons belong to `domain`: `gatehouse.tenancy`.
  public init(domain: String, clock: any WallClock, metrics: MetricRegistry) {
    self.domain = domain
    self.clock = clock
    // So that nobody can choose names that compete with somebody else's.
    var random = SystemRandomNumberGenerator()
    callers = SourceLimiter(
      limit: Int(Self.countMax),
      window: Self.countMax * Self.interval,
      sourceCount: Self.callerCountMax,
      key: (0..<32).map { _ in random.next() }
    )
    refusals = metrics.counter(
      "gatehouse_service_audit_budget_refusals_total",
      help: "Calls that were refused because their caller had too many records without changes."
    )
  }

  /// Takes a record from the budget of `caller`, or throws RESOURCE_EXHAUSTED with the time after which
  /// there is another one.
  public func take(_ caller: String) throws(RPCError) {
    guard case .refused(let wait) = callers.take(Array(caller.utf8), now: clock.now) else { return }
    refusals.increment()
    throw ErrorCatalog(domain: domain).limited(
      "AUDIT_BUDGET_SPENT",
      "too many requests that were refused or changed nothing; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }
}
