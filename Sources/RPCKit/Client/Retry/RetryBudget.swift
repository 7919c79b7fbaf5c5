/// How many retries a channel may make: a token bucket that calls and time fill.
///
/// Without it, clients multiply the load of a server that is in trouble. After Finagle's
/// `RetryBudget`. Knows no clock: the time is an argument.
struct RetryBudget {
  private let tokensPerCall: Double
  private let tokensPerNanosecond: Double
  private let capacity: Double
  private var tokens: Double
  private var filled: MonotonicInstant?

  /// Unused retries of this much time are kept.
  private static let keptSeconds = 10.0

  init(_ policy: RetryPolicy) {
    tokensPerCall = max(0, policy.budgetPerCall)
    tokensPerNanosecond = max(0, policy.budgetPerSecond) / 1e9
    // Enough for the deposits of time, and for a burst of failing calls of the same order.
    capacity = max(1, policy.budgetPerSecond * Self.keptSeconds)
    tokens = min(capacity, max(0, policy.budgetPerSecond))
  }

  /// A call begins.
  mutating func deposit() {
    tokens = min(capacity, tokens + tokensPerCall)
  }

  /// Takes one retry; false when there is none left.
  mutating func withdraw(now: MonotonicInstant) -> Bool {
    if let filled {
      tokens = min(capacity, tokens + Double(filled.nanoseconds(to: now)) * tokensPerNanosecond)
    }
    filled = max(now, filled ?? now)
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }
}
