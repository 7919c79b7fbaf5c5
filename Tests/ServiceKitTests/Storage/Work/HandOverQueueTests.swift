import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Rows that wait to be handed over")
struct HandOverQueueTests {
  private static let pauses: ClosedRange<Int64> = 1_000...60_000
  private static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE parcel (name TEXT PRIMARY KEY, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL);
        CREATE INDEX parcel_by_due ON parcel (due_at, name);
        CREATE TABLE receipt (name TEXT PRIMARY KEY);
        """
    )
  ]

  /// A queue in a store, and what it has handed over.
  private final class Stage: Sendable {
    let store: ServiceStore
    let queue: HandOverQueue
    let clock: ManualClock
    let handed = Lock<[HandOverQueue.Waiting]>([])
    let left = Lock<Int?>(nil)

    init(store: ServiceStore, queue: HandOverQueue, clock: ManualClock) {
      (self.store, self.queue, self.clock) = (store, queue, clock)
    }

    var names: [String] { handed.withLock { $0.map(\.key) } }

    /// Queues rows that are due so many milliseconds from now.
    func add(_ names: [String], in span: Int64 = 0) async throws {
      let due = clock.now + span
      try await store.writeOwn { tx in
        for name in names {
          try tx.execute(
            "INSERT INTO parcel (name, attempts, due_at) VALUES (?, 0, ?)",
            .text(name),
            .integer(due)
          )
        }
      }
    }

    func drain(
      _ outcome: @escaping @Sendable (String) throws -> HandOverQueue.Outcome = { _ in
        .settled { _ in }
      }
    ) async {
      await queue.drain(store, waiting: { count in self.left.withLock { $0 = count } }) { row in
        self.handed.withLock { $0.append(row) }
        return try outcome(row.key)
      }
    }

    func count(_ table: String) async throws -> Int {
      let count = try await store.database.read { tx in
        try tx.first("SELECT count(*) FROM \(table)") { Int($0.integer(0)) }
      }
      return count ?? 0
    }
  }

  private struct Broken: Error {}

  private static func queue(_ clock: ManualClock, lease: Int64? = nil) -> HandOverQueue {
    HandOverQueue(
      table: "parcel",
      key: "name",
      pauses: pauses,
      lease: lease,
      clock: clock,
      random: SystemRandomSource(),
      logger: Logger(label: "test", level: .critical, sink: CollectingSink())
    )
  }

  private func run(_ body: (Stage) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let database = try await Database.open(
      DatabaseConfiguration(path: folder.file("store.db"), applicationID: Notes.applicationID),
      migrations: Self.migrations,
      clock: clock
    )
    let stage = Stage(
      store: ServiceStore(
        database,
        of: "test",
        identifiers: IdentifierFactory(clock: clock, random: SystemRandomSource()),
        metrics: MetricRegistry()
      ),
      queue: Self.queue(clock),
      clock: clock
    )
    do {
      try await body(stage)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  @Test("More rows than are read at a time are handed over once each, the longest due first")
  func drain_manyRows_handsOverAll() async throws {
    try await run { stage in
      let late = (100..<150).map { "row \($0)" }
      let early = (0..<50).map { "early \($0 + 10)" }
      try await stage.add(late)
      try await stage.add(early, in: -1)
      try await stage.add(["not yet"], in: 1)
      await stage.drain()
      #expect(stage.names == early + late)
      #expect(stage.left.withLock { $0 } == 1)
      stage.clock.advance(1)
      await stage.drain()
      #expect(stage.names.last == "not yet")
      #expect(stage.left.withLock { $0 } == 0)
      let rest = try await stage.count("parcel")
      #expect(rest == 0)
    }
  }

  @Test("One that is postponed keeps none of the others waiting, and knows how often it failed")
  func drain_postponed_waitsAlone() async throws {
    try await run { stage in
      try await stage.add(["a", "b", "c"])
      for failures in 0..<4 {
        stage.handed.withLock { $0 = [] }
        await stage.drain { $0 == "b" ? .postponed : .settled { _ in } }
        let handed = stage.handed.withLock { $0 }
        #expect(handed.map(\.key) == (failures == 0 ? ["a", "b", "c"] : ["b"]))
        #expect(handed.first { $0.key == "b" }?.failureCount == Int64(failures))
        #expect(stage.left.withLock { $0 } == 1)
        let longest = Backoff(Self.pauses).longest(after: Int64(failures))
        #expect(longest == 1_000 << Int64(failures))
        stage.clock.advance(longest)
      }
      #expect(Backoff(Self.pauses).longest(after: .max) == 60_000)
    }
  }

  @Test("What belongs to the end of a row is written with it or not at all")
  func settled_bodyFails_keepsTheRow() async throws {
    try await run { stage in
      try await stage.add(["a"])
      await stage.drain { name in
        .settled { tx in
          try tx.execute("INSERT INTO receipt VALUES (?)", .text(name))
          throw Broken()
        }
      }
      let counts = [try await stage.count("parcel"), try await stage.count("receipt")]
      #expect(counts == [1, 0])
      await stage.drain { name in
        .settled { tx in try tx.execute("INSERT INTO receipt VALUES (?)", .text(name)) }
      }
      let after = [try await stage.count("parcel"), try await stage.count("receipt")]
      #expect(after == [0, 1])
    }
  }

  @Test(
    "A clock that ran ahead and was set back postpones nothing for longer than the longest pause"
  )
  func drain_clockSetBack_isDue() async throws {
    try await run { stage in
      stage.clock.jump(86_400_000)
      try await stage.add(["a"])
      stage.clock.jump(-86_400_000)
      await stage.drain()
      #expect(stage.names == ["a"])
    }
  }

  @Test("With leases, a row that one program has taken is not due for another one")
  func lease_twoPrograms_handOverOnce() async throws {
    try await run { stage in
      try await stage.add(["a", "b"])
      let (store, clock) = (stage.store, stage.clock)
      let other = Self.queue(clock, lease: 30_000)
      await Self.queue(clock, lease: 30_000).drain(store, waiting: { _ in }) { row in
        stage.handed.withLock { $0.append(row) }
        // While this one is at it.
        await other.drain(store, waiting: { _ in }) { row in
          Issue.record("\(row.key) was taken twice")
          return .postponed
        }
        return .settled { _ in }
      }
      #expect(stage.names == ["a", "b"])
      let left = try await stage.count("parcel")
      #expect(left == 0)
    }
  }

  @Test(
    "A row whose lease has ended is another program's, and what comes late changes nothing",
    arguments: [true, false]
  )
  func lease_ended_isTakenAgain(lateSettles: Bool) async throws {
    try await run { stage in
      try await stage.add(["a"])
      let (store, clock) = (stage.store, stage.clock)
      let receipt: @Sendable (String) -> HandOverQueue.Outcome = { name in
        .settled { tx in try tx.execute("INSERT INTO receipt VALUES (?)", .text(name)) }
      }
      await Self.queue(clock, lease: 30_000).drain(store, waiting: { _ in }) { row in
        clock.advance(30_000)
        await Self.queue(clock, lease: 30_000).drain(store, waiting: { _ in }) { row in
          receipt(row.key)
        }
        return lateSettles ? receipt("late") : .postponed
      }
      let counts = [try await stage.count("parcel"), try await stage.count("receipt")]
      #expect(counts == [0, 1])
    }
  }

  @Test("Whoever queues wakes the queue, and is not kept waiting for its next look")
  func run_awake_handsOver() async throws {
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    try await run { stage in
      let running = Task {
        await stage.queue.run(stage.store, on: loops.loops[0], waiting: { _ in }) { row in
          stage.handed.withLock { $0.append(row) }
          return .settled { _ in }
        }
      }
      for name in ["a", "b"] {
        try await stage.add([name])
        stage.queue.wake()
        let isHanded = await loops.loops[0].eventually { stage.names.last == name }
        #expect(isHanded)
      }
      running.cancel()
      await running.value
    }
  }
}
