import PeerContracts
import TestingContracts
import RPCKit
import ServiceKit
import Synchronization
import Testing

@Suite("Old rows and clocks that are set wrong")
struct RetentionTests {
  private let folder: TemporaryFolder
  private let clock = StoreClock()
  private let uptime = Uptime()
  private let day: Int64 = 86_400_000
  private let minute: Int64 = 60_000

  init() throws { folder = try TemporaryFolder() }

  /// A monotonic clock that stands still until it is told otherwise.
  private final class Uptime: Sendable {
    private let milliseconds = Atomic<Int64>(0)

    var now: MonotonicInstant {
      MonotonicInstant(nanoseconds: milliseconds.load(ordering: .relaxed) * 1_000_000)
    }

    func advance(by span: Int64) { milliseconds.add(span, ordering: .relaxed) }
  }

  /// Time passes on both clocks, a minute at a time, with a look at them after each.
  private func pass(_ span: Int64, _ retention: RetentionClock) async throws -> Int64 {
    var confirmed = try await retention.advance()
    for _ in 0..<(span / minute) {
      clock.advance(by: minute)
      uptime.advance(by: minute)
      confirmed = try await retention.advance()
    }
    return confirmed
  }

  private func open(auditLifetime: Int64? = nil) async throws -> (Database, RetentionClock) {
    var configuration = Notes.configuration(folder)
    configuration.auditLifetime = auditLifetime
    let database = try await Database.open(
      configuration,
      migrations: Notes.migrations,
      clock: clock
    )
    return (database, RetentionClock(database, clock: clock) { [uptime] in uptime.now })
  }

  @Test("A wall clock that goes on as the monotonic one does is believed")
  func time_clocksAgree_isTheWallClocks() {
    var time = ConfirmedTime(now: 1000)
    time.advance(to: 61_000, after: 60_000)
    #expect(time == ConfirmedTime(now: 61_000))
    // Drift, either way, and a restart of a few seconds.
    time.advance(to: 121_900, after: 60_000)
    time.advance(to: 180_000, after: 60_000)
    time.advance(to: 190_000, after: 0)
    #expect(time == ConfirmedTime(now: 190_000))
  }

  @Test("A program that takes over confirms no time of before, which another one has confirmed")
  func advance_afterTakeover_countsFromThen() async throws {
    let (database, first) = try await open()
    let second = RetentionClock(database, clock: clock) { [uptime] in uptime.now }
    let confirmed = try await pass(3 * 60 * minute, first)
    // Hours that the second has not looked at are no proof of a clock that is ahead by as much.
    clock.advance(by: 3 * 60 * minute)
    second.restart()
    #expect(try await second.advance() == confirmed)
    await database.close()
  }

  @Test("A jump ahead is believed after a day, and counts from anew when the clock came back")
  func time_jumpAhead_isBelievedAfterADay() {
    var time = ConfirmedTime(now: 0)
    let year = 365 * day
    time.advance(to: year, after: 0)
    time.advance(to: year + day - 1, after: day - 1)
    #expect(time == ConfirmedTime(now: day - 1, doubt: day - 1))
    var back = time
    back.advance(to: day, after: 1)
    #expect(back == ConfirmedTime(now: day))
    time.advance(to: year + day, after: 1)
    #expect(time == ConfirmedTime(now: year + day))
  }

  @Test("A jump back is believed at once, and extreme clocks do not trap")
  func time_jumpBack_isBelieved() {
    var time = ConfirmedTime(now: 100 * day)
    time.advance(to: 3 * day, after: 60_000)
    #expect(time == ConfirmedTime(now: 3 * day))
    for wall in [.max, .min, .max, 0] as [Int64] {
      time.advance(to: wall, after: .max)
      time.advance(to: wall, after: .min)
    }
    #expect(time.now <= 0)
  }

  @Test("The confirmed time outlives restarts, also one in the middle of a wrong hour")
  func clock_restarts_isKept() async throws {
    let start = clock.now
    var (database, retention) = try await open()
    #expect(try await retention.advance() == start)
    clock.advance(by: 365 * day)
    #expect(try await retention.advance() == start)
    await database.close()
    // An hour off, which says nothing of how long anybody ran with this clock.
    clock.advance(by: 60 * minute)
    (database, retention) = try await open()
    #expect(try await pass(10 * minute, retention) == start + 10 * minute)
    await database.close()
    clock.advance(by: -365 * day)
    (database, retention) = try await open()
    // What is known is the time that services ran; the hour is added when it has been believed for a
    // day, of which ten minutes have gone.
    #expect(try await pass(0, retention) == start + 10 * minute)
    #expect(try await pass(day - 11 * minute, retention) == start + day - minute)
    #expect(try await pass(minute, retention) == clock.now)
    await database.close()
  }

  @Test("Answers under idempotency keys outlive a year that was not, and are repeated meanwhile")
  func idempotency_clockAheadAndBack_isDoneOnce() async throws {
    let (database, retention) = try await open()
    func put(_ id: String) async throws {
      let key = IdempotencyKey(caller: "ada", key: "k", method: "m", request: Array("r".utf8))
      _ = try await database.writeOnce(key, domain: "test") { tx in
        try tx.execute("INSERT INTO note (id, text) VALUES (?, '')", .text(id))
        return Google_Rpc.ErrorInfo(reason: id)
      }
    }
    try await put("a")
    _ = try await retention.advance()
    clock.advance(by: 365 * day)
    try await database.purgeOldRows(now: try await pass(10 * minute, retention))
    try await put("b")
    clock.advance(by: -365 * day)
    try await put("c")
    #expect(try await database.noteCount() == 1)
    // A day later it is over.
    try await database.purgeOldRows(now: try await pass(day, retention))
    try await put("d")
    #expect(try await database.noteCount() == 2)
    await database.close()
  }

  @Test("Audit records and changes outlive a year that was not")
  func auditLog_clockAheadAndBack_isKept() async throws {
    let (database, retention) = try await open(auditLifetime: 30 * day)
    try await database.write { tx in
      try tx.audit(AuditRecord(actor: "a", requestID: "r", action: "note.put", object: "n"))
      try tx.appendChange(kind: "note", subject: "n", scope: "")
    }
    func rows() async throws -> [Int64] {
      try await database.read { tx in
        try tx.query(
          "SELECT count(*) FROM audit_log UNION ALL SELECT count(*) FROM change_log"
        ) { $0.integer(0) }
      }
    }
    _ = try await retention.advance()
    clock.advance(by: 365 * day)
    try await database.purgeOldRows(now: try await pass(60 * minute, retention))
    clock.advance(by: -365 * day)
    try await database.purgeOldRows(now: try await retention.advance())
    #expect(try await rows() == [1, 1])
    await database.close()
  }
}
