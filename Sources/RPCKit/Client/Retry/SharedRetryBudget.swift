/// The retry budget of a channel, for all its calls.
final class SharedRetryBudget: Sendable {
  private let budget: Lock<RetryBudget>

  init(_ policy: RetryPolicy) {
    budget = Lock(RetryBudget(policy))
  }

  func deposit() { budget.withLock { $0.deposit() } }

  func withdraw(now: MonotonicInstant) -> Bool { budget.withLock { $0.withdraw(now: now) } }
}
