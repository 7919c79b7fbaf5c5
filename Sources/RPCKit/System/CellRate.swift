/// So many attempts at once, which come back evenly over a window: the generic cell rate algorithm, where
/// one instant says when all of them are back.
///
/// Times are in whatever unit the interval is in: milliseconds since 1970, nanoseconds of the monotonic clock.
package struct CellRate: Sendable {
  /// How long an attempt takes to come back.
  private let interval: Int64
  /// How long all of them take.
  private let window: Int64

  /// Makes a rate of `count` attempts, one of which comes back each `interval`.
  package init(count: Int64, interval: Int64) {
    self.interval = max(1, interval)
    window = self.interval * max(1, count)
  }

  /// Whether all attempts of somebody are back.
  package func isSettled(_ settled: Int64, now: Int64) -> Bool { missing(settled, now: now) == 0 }

  /// Takes attempts of a caller whose attempts are all back at `settled`: all of them, or none and then how long
  /// there are too few.
  package func take(_ settled: inout Int64, _ count: Int64 = 1, now: Int64) -> Int64? {
    let (taken, overflows) = count.multipliedReportingOverflow(by: interval)
    guard !overflows, taken <= window else { return .max }
    let missing = missing(settled, now: now) + taken
    guard missing <= window else { return missing - window }
    settled = now &+ missing
    return nil
  }

  /// Gives attempts back; more than there are do not count.
  package func giveBack(_ settled: inout Int64, _ count: Int64 = 1) {
    settled = settled &- count &* interval
  }

  /// How long until all attempts of somebody are back, which is no longer than the window.
  private func missing(_ settled: Int64, now: Int64) -> Int64 {
    guard settled > now else { return 0 }
    let (missing, overflows) = settled.subtractingReportingOverflow(now)
    // A longer time than there is comes from a clock that was set back since.
    return overflows || missing > window ? 0 : missing
  }
}
