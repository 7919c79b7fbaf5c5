/// How often a user has exported its account of late: once a day, and a few attempts more, because a
/// connection can break.
struct ExportAllowance: Hashable, Sendable {
  /// When the day began whose attempts are counted, in milliseconds since 1970.
  private(set) var windowBegan: Int64
  /// Exports that were begun in that day.
  private(set) var begunCount: Int64
  /// When one was last complete.
  private(set) var completed: Int64?

  /// Exports that may be begun within a day, as long as none is complete.
  static let begunCountMax: Int64 = 5
  private static let day: Int64 = 86_400_000

  /// None so far.
  init(now: Int64) { self.init(windowBegan: now, begunCount: 0, completed: nil) }

  init(windowBegan: Int64, begunCount: Int64, completed: Int64?) {
    (self.windowBegan, self.begunCount, self.completed) = (windowBegan, begunCount, completed)
  }

  /// Counts an export that begins; how long it has to wait instead, in milliseconds, or nil.
  ///
  /// What was written by a clock that ran ahead counts as if it had never been.
  mutating func begin(now: Int64) -> Int64? {
    if let completed, let wait = Self.rest(ofDayFrom: completed, now: now) { return wait }
    guard let rest = Self.rest(ofDayFrom: windowBegan, now: now) else {
      (windowBegan, begunCount) = (now, 1)
      return nil
    }
    guard begunCount < Self.begunCountMax else { return rest }
    begunCount += 1
    return nil
  }

  /// An export is complete.
  mutating func complete(now: Int64) { completed = now }

  /// The rest of the day that began at an instant; nil when it is over or lies ahead.
  private static func rest(ofDayFrom start: Int64, now: Int64) -> Int64? {
    let elapsed = now.subtractingReportingOverflow(start).partialValue
    return (0..<day).contains(elapsed) ? day - elapsed : nil
  }
}
