internal import ServiceKit

/// Failed attempts on one secret of one account, and how long that makes the next one wait.
///
/// An attempt is counted before its secret is checked, and taken back when it was right: otherwise a
/// thousand guesses at once would all pass the same check. The wait is never longer than 15 minutes
/// and nothing is ever locked for good, because the attempts may be somebody else's (a lock that
/// strangers can close is a weapon against the owner).
public struct AttemptCounter: Hashable, Sendable {
  /// Attempts since the last success; stays at its largest value.
  public private(set) var failures: Int32 = 0
  /// When the last one was, in milliseconds since 1970.
  public private(set) var last: Int64 = 0
  /// Before this no attempt is taken, in milliseconds since 1970.
  public private(set) var until: Int64 = 0

  /// Attempts without a wait.
  public static let freeCount: Int32 = 5
  /// Attempts that cause a mail to the account's owner: by then each waits for half a minute.
  public static let noticeCount: Int32 = 10
  /// The longest wait, in milliseconds.
  public static let waitMax: Int64 = 15 * 60_000
  /// A quiet time after which the count starts over, in milliseconds.
  public static let quietMax: Int64 = 12 * 3_600_000

  /// Makes a counter without attempts.
  public init() {}

  /// Makes a counter as it was stored.
  public init(failures: Int32, last: Int64, until: Int64) {
    self.failures = max(0, failures)
    self.last = last
    self.until = until
  }

  /// Counts an attempt, unless it comes too early; says whether it may continue.
  public mutating func reserve(now: Int64) -> Bool {
    // After a free attempt there is none, however far the clock was ahead by which that one was counted: that of another
    // program, or of a call that came a moment later. A longer wait than there is comes from a clock that was set back
    // since, and does not count.
    let wait = Self.wait(after: failures) > 0 ? until.subtractingSaturated(now) : 0
    guard wait <= 0 || wait > Self.waitMax else { return false }
    let isStale = now.subtractingSaturated(last) > Self.quietMax
    failures = isStale ? 1 : failures == .max ? .max : failures + 1
    last = now
    until = now.addingSaturated(Self.wait(after: failures))
    return true
  }

  /// 1, 2, 4 … seconds from the fifth failure on.
  static func wait(after failures: Int32) -> Int64 {
    guard failures >= freeCount else { return 0 }
    let doublings = min(Int64(failures) - Int64(freeCount), 30)
    return min(1000 << doublings, waitMax)
  }
}
