internal import RPCKit

/// How many bytes of log a user may leave in a store.
///
/// Every change is recorded, in the log of changes for a week and in the audit log for as long as
/// `audit_days` says, forever by default. Both grow with a change however little of the store it changes, so
/// a user who changes something again and again could fill the disk. Past the budget a change is refused with
/// RESOURCE_EXHAUSTED before it is begun: nothing is done that is not recorded. Users alone have one: other
/// services and operators are trusted with the disk, and what callers without an account can do is bounded by
/// their sources.
final class LogBudget: Sendable {
  /// How long it takes until all of it is back, in milliseconds.
  static let window: Int64 = 3_600_000

  private let domain: String
  private let limit: SpendingLimit
  private let refusals: Counter
  private let written: Counter

  init(byteCount: Int64, domain: String, refusals: Counter, written: Counter) {
    self.domain = domain
    self.refusals = refusals
    self.written = written
    limit = SpendingLimit(amount: byteCount, window: Self.window)
  }

  /// The owner of a call's budget; nil for none.
  static func owner(of call: CallContext) -> String? {
    [.admin, .support].contains(call.callerClass) ? nil : call.caller.user?.userID
  }

  /// Throws RESOURCE_EXHAUSTED when a user has none left at `now`.
  func require(_ userID: String?, now: Int64) throws(RPCError) {
    guard let userID, let wait = limit.wait(of: userID, now: now) else { return }
    refusals.increment()
    throw ErrorCatalog(domain: domain).limited(
      "LOG_BUDGET_SPENT",
      "you have changed too much in too short a time; retry after the given delay",
      retryAfter: .milliseconds(wait)
    )
  }

  /// Notes what a write has left, as often as it runs.
  func charge(_ byteCount: Int, to userID: String?, _ charged: LogCharge, now: Int64) {
    let before = charged.replace(by: byteCount)
    if byteCount > before { written.add(UInt64(byteCount - before)) }
    guard let userID else { return }
    limit.spend(Int64(byteCount - before), by: userID, now: now)
  }
}

/// The charge of one write; it may run several times.
final class LogCharge: Sendable {
  private let byteCount = Lock(0)

  /// Sets what it is charged for; what it was before.
  func replace(by new: Int) -> Int {
    byteCount.withLock { byteCount in
      defer { byteCount = new }
      return byteCount
    }
  }
}
