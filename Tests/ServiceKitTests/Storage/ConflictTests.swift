import RPCKit
import ServiceKit
import Testing

@Suite("Writes that rely on memory")
struct ConflictTests {
  /// What is in memory, and when it was told of it.
  private final class Memory: CommitFollower {
    private let changes = Lock([Change]())

    var revisions: [Int64] { changes.withLock { $0.map(\.revision) } }
    var newest: Int64 { revisions.last ?? 0 }

    func follow(_ new: [Change]) { changes.withLock { $0 += new } }
  }

  private let folder: TemporaryFolder
  private static let key = ConflictKey("key", "a")

  init() throws { folder = try TemporaryFolder() }

  private static func touch(_ key: ConflictKey, _ tx: borrowing WriteTransaction) throws {
    try tx.appendChange(kind: "k", subject: "s", scope: "", touching: [key])
  }

  /// What the body of a write saw each time that it ran.
  private final class Runs: Sendable {
    private let seen = Lock([Int64]())
    var all: [Int64] { seen.withLock { $0 } }
    func add(_ revision: Int64) { seen.withLock { $0.append(revision) } }
  }

  @Test("A write that relies on what one before it in its commit has changed runs again after it")
  func rely_onTouched_runsAgainWhenMemoryHasFollowed() async throws {
    let database = try await Notes.open(folder)
    let memory = Memory()
    try await database.attach(memory, after: 0)
    let runs = Runs()
    let (held, release) = await database.holdWriter()
    let first = await database.queueWrite { tx in try Self.touch(Self.key, tx) }
    let second = await database.queueWrite { tx in
      runs.add(memory.newest)
      let revision = tx.revision
      #expect(revision > 0)
      try tx.execute("INSERT INTO note (id, text) VALUES ('a', '')")
      try tx.rely(on: Self.key)
    }
    // Comes behind it, however often it runs.
    let third = await database.queueWrite { tx in
      let isThere = try tx.exists("SELECT 1 FROM note WHERE id = 'a'")
      #expect(isThere)
      try tx.execute("UPDATE note SET text = 'third'")
    }
    release.fire()
    try await held.value
    try await first.value
    try await second.value
    try await third.value
    // Twice behind the first one, because it had changed something by the time it had to be undone; a server has not
    // been sent it by then.
    let again: [Int64] = TestServer.isUsed ? [] : [0]
    #expect(runs.all == [0] + again + [database.revision])
    #expect(try await database.note("a") == "third")
    await database.close()
  }

  @Test("What concerns others, was undone, is one's own or was committed is no conflict")
  func rely_onAnythingElse_runsOnce() async throws {
    let database = try await Notes.open(folder)
    let memory = Memory()
    try await database.attach(memory, after: 0)
    try await database.write { tx in try Self.touch(Self.key, tx) }
    let runs = Runs()
    let (held, release) = await database.holdWriter()
    let other = await database.queueWrite { tx in try Self.touch(ConflictKey("key", "b"), tx) }
    let undone = await database.queueWrite { tx in
      try Self.touch(Self.key, tx)
      throw StoreError.overloaded
    }
    let undoneInPart = await database.queueWrite { tx in
      try? tx.attempt {
        try Self.touch(Self.key, tx)
        throw StoreError.overloaded
      }
    }
    let relying = await database.queueWrite { tx in
      runs.add(memory.newest)
      let mayConflict = tx.mayConflict
      #expect(mayConflict)
      try tx.rely(on: Self.key)
      try Self.touch(Self.key, tx)
      try tx.rely(on: Self.key)
    }
    release.fire()
    try await held.value
    try await other.value
    await #expect(throws: StoreError.overloaded) { try await undone.value }
    try await undoneInPart.value
    try await relying.value
    #expect(runs.all == [1])
    await database.close()
  }

  @Test("A body that catches the error does not get its way")
  func rely_caughtError_stillRunsAgain() async throws {
    let database = try await Notes.open(folder)
    let runs = Runs()
    let (held, release) = await database.holdWriter()
    let first = await database.queueWrite { tx in try Self.touch(Self.key, tx) }
    let second = await database.queueWrite { tx in
      runs.add(tx.revision)
      try? tx.attempt { try tx.rely(on: Self.key) }
      try tx.appendChange(kind: "k", subject: "s", scope: "")
    }
    release.fire()
    try await held.value
    try await first.value
    try await second.value
    #expect(runs.all == [1, 1])
    #expect(database.revision == 2)
    await database.close()
  }

  @Test("A write that relies on everything runs when all before it is committed")
  func relyOnEverything_behindAChange_isFirstOfItsCommit() async throws {
    let database = try await Notes.open(folder)
    let memory = Memory()
    try await database.attach(memory, after: 0)
    let runs = Runs()
    let (held, release) = await database.holdWriter()
    var writes: [Task<Void, any Error>] = []
    for _ in 0..<3 {
      writes.append(
        await database.queueWrite { tx in
          try tx.appendChange(kind: "k", subject: "s", scope: "")
        }
      )
    }
    writes.append(
      await database.queueWrite { tx in
        try tx.relyOnEverything()
        runs.add(memory.newest)
      }
    )
    release.fire()
    try await held.value
    for write in writes { try await write.value }
    #expect(runs.all == [3])
    await database.close()
  }

  @Test("Memory is told of a commit before the caller is, from the revision that it had")
  func follower_attached_isNeverBehind() async throws {
    let database = try await Notes.open(folder)
    for _ in 0..<5 {
      try await database.write { tx in
        try tx.appendChange(kind: "k", subject: "s", scope: "")
      }
    }
    let memory = Memory()
    try await database.attach(memory, after: 2)
    #expect(memory.revisions == [3, 4, 5])
    for revision: Int64 in 6...20 {
      let given = try await database.write { tx in
        try tx.appendChange(kind: "k", subject: "s", scope: "")
      }
      #expect(given == revision && memory.newest == revision)
    }
    await database.close()
  }

  @Test("Memory that is older than the change log is told so")
  func follower_olderThanTheLog_isNotAttached() async throws {
    let clock = StoreClock()
    let database = try await Database.open(
      Notes.configuration(folder),
      migrations: Notes.migrations,
      clock: clock
    )
    for _ in 0..<5 {
      try await database.write { tx in
        try tx.appendChange(kind: "k", subject: "s", scope: "")
      }
      clock.advance(by: 10)
    }
    _ = try await database.purgeChanges(before: clock.now - 20)
    await #expect(throws: StoreError.self) { try await database.attach(Memory(), after: 0) }
    await database.close()
  }
}
