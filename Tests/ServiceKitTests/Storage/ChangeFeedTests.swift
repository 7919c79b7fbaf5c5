import RPCKit
import ServiceKit
import Testing

@Suite("Following the changes of a store")
struct ChangeFeedTests {
  private let folder: TemporaryFolder
  private let clock = StoreClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(recent: Int = 8) async throws -> Database {
    var configuration = Notes.configuration(folder)
    configuration.recentChangeCountMax = recent
    return try await Database.open(configuration, migrations: Notes.migrations, clock: clock)
  }

  private func append(_ count: Int, to database: Database) async throws {
    for index in 0..<count {
      try await database.write { tx in
        try tx.appendChange(kind: "k", subject: "s", scope: "", payload: [UInt8(index % 256)])
      }
    }
  }

  /// The revisions of the next events; a resynchronisation counts as the negative of its revision.
  private func revisions(
    _ count: Int,
    _ iterator: inout ChangeSubscription.Iterator
  ) async throws
    -> [Int64]
  {
    var revisions: [Int64] = []
    while revisions.count < count, let event = try await iterator.next() {
      switch event {
      case .change(let change): revisions.append(change.revision)
      case .resync(let revision): revisions.append(-revision)
      }
    }
    return revisions
  }

  @Test("A follower is told of each commit after it came, in order, and the end at last")
  func follower_ofNewChanges_getsThemInOrder() async throws {
    let database = try await open()
    try await append(2, to: database)
    var iterator = database.changes().makeAsyncIterator()
    async let appended: Void = append(20, to: database)
    #expect(try await revisions(20, &iterator) == Array(3...22))
    try await appended
    await database.close()
    #expect(try await iterator.next() == nil)
  }

  @Test("A follower resumes where it stopped, from memory or from the log, also after a restart")
  func follower_resuming_missesNothing() async throws {
    let first = try await open()
    try await append(600, to: first)
    for start: Int64 in [0, 1, 300, 590, 599] {
      var iterator = first.changes(after: start).makeAsyncIterator()
      #expect(try await revisions(Int(600 - start), &iterator) == Array((start + 1)...600))
    }
    await first.close()
    let second = try await open()
    var iterator = second.changes(after: 10).makeAsyncIterator()
    #expect(try await revisions(590, &iterator) == Array(11...600))
    try await append(1, to: second)
    #expect(try await revisions(1, &iterator) == [601])
    await second.close()
  }

  @Test("What was undone is never told")
  func change_undone_isNotTold() async throws {
    struct Undone: Error {}
    let database = try await open()
    var iterator = database.changes(after: 0).makeAsyncIterator()
    await #expect(throws: Undone.self) {
      try await database.write { tx in
        try tx.appendChange(kind: "undone", subject: "s", scope: "")
        throw Undone()
      }
    }
    try await database.write { tx in
      try? tx.attempt {
        try tx.appendChange(kind: "undone", subject: "s", scope: "")
        throw Undone()
      }
      try tx.appendChange(kind: "done", subject: "s", scope: "tenant")
    }
    guard case .change(let change) = try await iterator.next() else {
      Issue.record("no change")
      return
    }
    #expect(change.kind == "done" && change.scope == "tenant")
    await database.close()
  }

  @Test("Who is too far behind, before what was purged, or from the future reads the state anew")
  func follower_thatCannotCatchUp_isTold() async throws {
    let database = try await open()
    try await append(100, to: database)
    clock.advance(by: 1000)
    try await append(20, to: database)
    var lagging = database.changes(after: 10, lagCountMax: 50).makeAsyncIterator()
    #expect(try await revisions(1, &lagging) == [-120])
    var future = database.changes(after: 500).makeAsyncIterator()
    #expect(try await revisions(1, &future) == [-120])
    #expect(try await database.purgeChanges(before: clock.now) == 100)
    var early = database.changes(after: 99).makeAsyncIterator()
    #expect(try await revisions(1, &early) == [-120])
    var exact = database.changes(after: 100).makeAsyncIterator()
    #expect(try await revisions(20, &exact) == Array(101...120))
    try await append(1, to: database)
    #expect(try await revisions(1, &lagging) == [121])
    #expect(try await revisions(1, &future) == [121])
    await database.close()
  }

  @Test("A revision is not given twice, even when the newest ones were purged")
  func revision_afterPurge_isNotReused() async throws {
    let first = try await open()
    try await append(3, to: first)
    clock.advance(by: 1)
    #expect(try await first.purgeChanges(before: clock.now) == 3)
    await first.close()
    let second = try await open()
    #expect(second.revision == 3)
    try await append(1, to: second)
    #expect(second.revision == 4)
    await second.close()
  }

  @Test("A follower that waits can be cancelled")
  func follower_cancelled_stopsWaiting() async throws {
    let database = try await open()
    let task = Task {
      var iterator = database.changes().makeAsyncIterator()
      return try await iterator.next()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await database.close()
  }
}
