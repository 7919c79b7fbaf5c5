internal import ServiceKit

/// Wrong PINs of one account in a row.
///
/// Unlike a password, a PIN can be guessed by anyone who holds a device on which its user is signed in, and
/// children do. So the waits grow faster than those of `AttemptCounter`, the count is never forgotten, and
/// the last wrong one disables the PIN. That locks nobody out: a sign-in enables it again, and strangers
/// have no session in which to try.
struct PinAttempts: Hashable, Sendable {
  /// Attempts since the last right one.
  private(set) var failures = 0
  /// When the last one was, in milliseconds since 1970.
  private(set) var last: Int64 = 0
  /// Before this no attempt is taken, in milliseconds since 1970.
  private(set) var until: Int64 = 0

  /// How long the attempts make the next one wait once the free ones are used up, in milliseconds.
  private static let waits: [Int64] = [30_000, 60_000, 300_000, 900_000, 3_600_000]

  /// No attempts.
  init() {}

  /// As they were stored.
  init(failures: Int, last: Int64, until: Int64) {
    self.failures = max(0, failures)
    self.last = last
    self.until = until
  }

  /// The outcome of an attempt.
  enum Outcome: Hashable, Sendable {
    /// It is counted, and the PIN may be compared.
    case taken
    /// It comes too early, by so many milliseconds, and does not count.
    case early(Int64)
    /// There were too many.
    case disabled
  }

  /// Whether there were too many.
  func isDisabled(_ policy: PinPolicy) -> Bool { failures >= policy.attemptCountMax }

  /// Counts an attempt before its PIN is compared: many at once must not all find the count low.
  mutating func reserve(_ policy: PinPolicy, now: Int64) -> Outcome {
    guard !isDisabled(policy) else { return .disabled }
    // After a free attempt there is none, whatever clock that one was counted by; see `AttemptCounter`. A longer wait than
    // there is comes from a clock that was set back since.
    let wait = Self.wait(after: failures, policy) > 0 ? until.subtractingSaturated(now) : 0
    if wait > 0, wait <= Self.waits[Self.waits.count - 1] { return .early(wait) }
    failures += 1
    last = now
    until = now.addingSaturated(Self.wait(after: failures, policy))
    return .taken
  }

  /// Attempts that are left before the PIN is disabled.
  func left(_ policy: PinPolicy) -> Int { max(0, policy.attemptCountMax - failures) }

  /// Half of the attempts are free.
  private static func wait(after failures: Int, _ policy: PinPolicy) -> Int64 {
    let place = failures - policy.attemptCountMax / 2
    return place < 0 ? 0 : waits[min(place, waits.count - 1)]
  }
}
