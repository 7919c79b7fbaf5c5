import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Rows that are taken, worked on and settled")
struct LeasedQueueTests {
  private static let lease: Int64 = 30_000
  private static let migrations = [
    Migration(version: 1, sql: "CREATE TABLE job (name TEXT PRIMARY KEY, due_at INTEGER NOT NULL);")
  ]

  /// Jobs; one whose name begins with `void` is dropped when it is taken.
  private struct Jobs: LeasedRows {
    struct Taken: Hashable, Sendable {
      var name: String
      var end: Int64
    }

    func due(
      now: Int64,
      limit: Int,
      in tx: borrowing some StoreTransaction & ~Copyable
    ) throws -> [String] {
      try tx.query(
        "SELECT name FROM job WHERE due_at <= ? ORDER BY due_at, name LIMIT ?",
        .integer(now),
        .integer(limit)
      ) { $0.text(0) }
    }

    func take(_ row: String, until end: Int64, in tx: borrowing WriteTransaction) throws -> Taken? {
      if row.hasPrefix("void") {
        try tx.execute("DELETE FROM job WHERE name = ?", .text(row))
        return nil
      }
      try tx.execute("UPDATE job SET due_at = ? WHERE name = ?", .integer(end), .text(row))
      return Taken(name: row, end: end)
    }

    /// Deletes what was taken, unless the lease has ended and another program has it.
    @Sendable static func finish(_ taken: [Taken], in tx: borrowing WriteTransaction) throws {
      for job in taken {
        try tx.execute(
          "DELETE FROM job WHERE name = ? AND due_at = ?",
          .text(job.name),
          .integer(job.end)
        )
      }
    }
  }

  private struct Broken: Error {}

  private static func queue(_ clock: ManualClock) -> LeasedQueue<Jobs> {
    LeasedQueue(
      Jobs(),
      .init(pollInterval: .seconds(1), batchCount: 2),
      lease: lease,
      clock: clock
    )
  }

  private func run(
    _ names: [String],
    _ body: (ServiceStore, ManualClock) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let database = try await Database.open(
      DatabaseConfiguration(path: folder.file("store.db"), applicationID: Notes.applicationID),
      migrations: Self.migrations,
      clock: clock
    )
    let store = ServiceStore(
      database,
      of: "test",
      identifiers: IdentifierFactory(clock: clock, random: SystemRandomSource()),
      metrics: MetricRegistry()
    )
    do {
      try await store.writeOwn { tx in
        for name in names { try tx.execute("INSERT INTO job VALUES (?, 0)", .text(name)) }
      }
      try await body(store, clock)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  private func left(_ store: ServiceStore) async throws -> [String] {
    try await store.database.read { tx in
      try tx.query("SELECT name FROM job ORDER BY name") { $0.text(0) }
    }
  }

  @Test("Batches follow one another until nothing is due, whatever is dropped in between")
  func drain_droppedRows_goesOn() async throws {
    try await run(["a", "b", "void 1", "void 2", "void 3", "x", "y"]) { store, clock in
      let worked = Lock<[[String]]>([])
      try await Self.queue(clock).drainBatches(store) { batch in
        worked.withLock { $0.append(batch.map(\.name)) }
        return { tx in try Jobs.finish(batch, in: tx) }
      }
      #expect(worked.withLock { $0 } == [["a", "b"], ["x"], ["y"]])
      let left = try await left(store)
      #expect(left == [])
    }
  }

  @Test("A batch that cannot be settled has no other taken, and is due when its lease ends")
  func drain_settlementFails_takesNothing() async throws {
    try await run(["a", "b", "c"]) { store, clock in
      let queue = Self.queue(clock)
      await #expect(throws: Broken.self) {
        try await queue.drainBatches(store) { _ in { _ in throw Broken() } }
      }
      let worked = Lock<[String]>([])
      func drain() async throws -> [String] {
        worked.withLock { $0 = [] }
        try await queue.drainBatches(store) { batch in
          worked.withLock { $0 += batch.map(\.name) }
          return { tx in try Jobs.finish(batch, in: tx) }
        }
        return worked.withLock { $0 }
      }
      let first = try await drain()
      #expect(first == ["c"])
      clock.advance(Self.lease)
      let second = try await drain()
      #expect(second == ["a", "b"])
    }
  }

  @Test("A row of one program is another one's when the lease has ended, and not before")
  func lease_twoPrograms_takeTurns() async throws {
    try await run(["a"]) { store, clock in
      let turns = Lock<[String]>([])
      @Sendable func work(
        _ name: String,
        _ inside: @Sendable () async throws -> Void
      ) async throws {
        try await Self.queue(clock).drainBatches(store) { batch in
          turns.withLock { $0.append(name) }
          try await inside()
          return { tx in try Jobs.finish(batch, in: tx) }
        }
      }
      try await work("first") {
        clock.advance(Self.lease - 1)
        try await work("too early") {}
        clock.advance(1)
        try await work("second") { clock.advance(Self.lease - 1) }
      }
      #expect(turns.withLock { $0 } == ["first", "second"])
      let left = try await left(store)
      #expect(left == [])
    }
  }
}
