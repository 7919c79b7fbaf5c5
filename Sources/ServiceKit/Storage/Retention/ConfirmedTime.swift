/// A time that has certainly come, for deleting what is older than something.
///
/// A wall clock that is set wrong for a while comes back, but what was deleted on its word does not: a
/// revocation that was forgotten a year too early lets a token in again. So this time continues with the
/// monotonic clock, never runs ahead of the wall clock, and believes a jump of that only after the
/// service has been running with it for a day. To delete something a day late harms nobody.
///
/// Knows no clocks; the store keeps it between two runs.
public struct ConfirmedTime: Hashable, Sendable {
  /// The time, in milliseconds since 1970.
  public private(set) var now: Int64
  /// For how long services ran, in milliseconds, while the wall clock was ahead of it.
  public private(set) var doubt: Int64

  /// How long a wall clock must have been ahead before it is believed, in milliseconds: a day.
  public static let patience: Int64 = 86_400_000
  /// How far ahead is nothing to doubt, in milliseconds: two clocks drift, and a restart takes seconds.
  public static let tolerance: Int64 = 10_000

  /// Begins at a time, or continues where it was.
  public init(now: Int64, doubt: Int64 = 0) {
    self.now = now
    self.doubt = max(0, doubt)
  }

  /// Goes on to what the wall clock shows now, `uptime` milliseconds after the last time.
  public mutating func advance(to wall: Int64, after uptime: Int64) {
    let uptime = max(0, uptime)
    let expected = Self.sum(now, uptime)
    guard wall > Self.sum(expected, Self.tolerance) else {
      // The lesser of both clocks, or two that agree.
      now = wall
      doubt = 0
      return
    }
    doubt = Self.sum(doubt, uptime)
    guard doubt >= Self.patience else {
      now = expected
      return
    }
    now = wall
    doubt = 0
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
