/// The time of the newest change in a store that several programs write by clocks of their own, so that times of commits
/// do not go back from one program to the next.
struct NewestTime {
  /// Clocks of programs differ by that at most, in milliseconds; one that is further ahead was set wrong.
  ///
  /// Its time counts no longer once another commits: a year that was not must not end what lives by the clock.
  static let differenceMax: Int64 = 300_000

  private var time: Int64

  init(_ time: Int64) { self.time = time }

  /// The time of a commit by a program's own clock.
  func now(by clock: Int64) -> Int64 { isAhead(of: clock) ? clock : max(clock, time) }

  /// Notes the time of a change that is newer than all before it.
  mutating func take(_ recorded: Int64) {
    time = isAhead(of: recorded) ? recorded : max(time, recorded)
  }

  private func isAhead(of other: Int64) -> Bool {
    let (difference, overflows) = time.subtractingReportingOverflow(other)
    return !overflows && difference > Self.differenceMax
  }
}
