/// Which calls are sent again, and how often.
///
/// A call is sent again only when the server surely did not start it, or when its method is marked
/// idempotent and the server was unavailable; never past its deadline, and only as long as the
/// channel's budget lasts.
public struct RetryPolicy: Hashable, Sendable {
  /// How often one call is sent, the first time included.
  public var attemptCountMax = 5
  /// Pauses between the attempts; a longer one that the server asks for counts instead.
  public var backOff = BackOff(initial: .milliseconds(20), maximum: .seconds(1))
  /// Retries that each call earns for the channel: 0.2 allows one for five calls.
  public var budgetPerCall = 0.2
  /// Retries that the channel may make each second beside those.
  public var budgetPerSecond = 10.0

  /// The defaults, after Finagle's retry budget.
  public init() {}

  /// No retries.
  public static var never: RetryPolicy {
    var policy = RetryPolicy()
    policy.attemptCountMax = 1
    return policy
  }

  /// Whether `error` may be answered by sending the call again.
  func permits(_ error: RPCError, attempt: Int, isIdempotent: Bool) -> Bool {
    guard attempt < attemptCountMax else { return false }
    return error.isNotProcessed || (isIdempotent && error.code == .unavailable)
  }
}
