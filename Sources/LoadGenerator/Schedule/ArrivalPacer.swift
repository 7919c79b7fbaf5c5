/// The clock of an open loop: which calls are due, and which wait because no place is free.
///
/// All times are nanoseconds from the start. Calls leave in the order they were due, and each keeps
/// the time it was due, however long it waits: latency counts from there, or a server that stalls
/// would be asked less while it stalls (coordinated omission).
package struct ArrivalPacer: Sendable {
  private var schedule: ArrivalSchedule
  /// No call is due from here on.
  private var end: Int64
  private var upcoming: Int64
  /// Ring of due calls that were not sent.
  private var waiting: [Int64] = []
  private var first = 0
  /// How many wait.
  package private(set) var waitingCount = 0
  private let waitingMax: Int
  /// Calls that found no free place when they were due.
  package private(set) var waitedCount: UInt64 = 0
  /// Most calls that waited at a time.
  package private(set) var waitingPeak = 0
  /// The longest that a call was noticed after it was due, through no fault of the server.
  package private(set) var noticeDelayMax: Int64 = 0

  /// The outcome of an arrival.
  package enum Arrival: Equatable, Sendable {
    /// Nothing is due.
    case none
    /// Send a call that was due then.
    case due(Int64)
    /// As many wait as may: the call that was due then is given up.
    case dropped(Int64)
  }

  /// Follows a schedule up to `end`; at most `waitingMax` calls wait.
  package init(_ schedule: ArrivalSchedule, end: Int64, waitingMax: Int) {
    self.schedule = schedule
    self.end = end
    self.waitingMax = waitingMax
    upcoming = self.schedule.next()
  }

  /// Whether nothing waits and nothing will come.
  package var isDone: Bool { waitingCount == 0 && upcoming >= end }

  /// How long until something is due, 0 when it is; nil when nothing comes.
  package func nanosecondsToNext(_ now: Int64) -> Int64? {
    upcoming >= end ? nil : max(0, upcoming - now)
  }

  /// No call is due from `end` on, if that is earlier than before.
  package mutating func finish(at end: Int64) {
    self.end = min(self.end, end)
  }

  /// Takes the next arrival that is due.
  ///
  /// When `hasPlace` it can be sent at once, else it waits; call until `none`.
  package mutating func takeDue(_ now: Int64, hasPlace: Bool) -> Arrival {
    if hasPlace, let due = takeWaiting() { return .due(due) }
    while upcoming < end, upcoming <= now {
      let due = upcoming
      upcoming = schedule.next()
      noticeDelayMax = max(noticeDelayMax, now - due)
      if hasPlace { return .due(due) }
      waitedCount += 1
      guard waitingCount < waitingMax else { return .dropped(due) }
      append(due)
    }
    return .none
  }

  /// The call that has waited longest; nil when none waits.
  package mutating func takeWaiting() -> Int64? {
    guard waitingCount > 0 else { return nil }
    let due = waiting[first]
    first = first + 1 == waiting.count ? 0 : first + 1
    waitingCount -= 1
    return due
  }

  /// Puts back a call that could not be sent after all.
  package mutating func putBack(_ due: Int64) {
    if waitingCount == waiting.count { grow() }
    first = first == 0 ? waiting.count - 1 : first - 1
    waiting[first] = due
    waitingCount += 1
  }

  private mutating func append(_ due: Int64) {
    if waitingCount == waiting.count { grow() }
    var place = first + waitingCount
    if place >= waiting.count { place -= waiting.count }
    waiting[place] = due
    waitingCount += 1
    waitingPeak = max(waitingPeak, waitingCount)
  }

  private mutating func grow() {
    let ordered = Array(waiting[first...] + waiting[..<first])
    waiting = ordered + Array(repeating: 0, count: max(1024, ordered.count))
    first = 0
  }
}
