import RPCKit
import RPCKitTesting
import Synchronization
import Testing

@testable import ServiceKit

/// Several programs that serve one store.
@Suite("Replicas of a store on PostgreSQL", .serverStores, .timeLimit(.minutes(3)))
struct ReplicaTests {
  private let folder: TemporaryFolder
  private let loop: any EventLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoopGroup.epoll(count: 1).loops[0]
  }

  private func withReplicas(
    clocks: [any WallClock] = [SystemWallClock(), SystemWallClock()],
    _ body: ([Database]) async throws -> Void
  ) async throws {
    var replicas: [Database] = []
    for clock in clocks {
      replicas.append(
        try await Database.open(
          Notes.configuration(folder),
          migrations: Notes.migrations,
          clock: clock
        )
      )
    }
    do { try await body(replicas) } catch {
      for replica in replicas { await replica.close() }
      throw error
    }
    for replica in replicas { await replica.close() }
  }

  /// A connection beside those of the programs.
  private func administrator() throws -> PostgresConnection {
    let location = try TestServer.location(of: Notes.configuration(folder).path)
    return try PostgresConnection(try #require(location))
  }

  private func appendChange(_ subject: String, to database: Database) async throws {
    try await database.write { tx in
      _ = try tx.appendChange(kind: "note", subject: subject, scope: "")
    }
  }

  @Test("What one commits the others hear, in one order, from whichever it comes")
  func change_isHeardByAll() async throws {
    try await withReplicas { replicas in
      let memories = [Memory(), Memory()]
      for (replica, memory) in zip(replicas, memories) {
        try await replica.attach(memory, after: 0)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, replica) in replicas.enumerated() {
          for writer in 0..<16 {
            group.addTask {
              for count in 0..<10 {
                try await appendChange("\(number)-\(writer)-\(count)", to: replica)
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(await loop.eventually { memories.allSatisfy { $0.subjects.count == 320 } })
      #expect(memories[0].subjects == memories[1].subjects)
      #expect(Set(memories[0].subjects).count == 320)
      #expect(replicas[0].revision == replicas[1].revision)
    }
  }

  @Test("A write decides by memory that has every commit of every program")
  func decision_hasEveryCommit() async throws {
    try await withReplicas { replicas in
      let memories = [Memory(), Memory()]
      for (replica, memory) in zip(replicas, memories) {
        try await replica.attach(memory, after: 0)
      }
      // Ten may be made; each program counts those that it has heard of.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (replica, memory) in zip(replicas, memories) {
          for writer in 0..<40 {
            group.addTask {
              try await replica.write { tx in
                try tx.relyOnEverything()
                guard memory.subjects.count < 10 else { return }
                _ = try tx.appendChange(kind: "note", subject: "\(writer)", scope: "")
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try await replicas[0].read { tx in
        try tx.first("SELECT count(*) FROM change_log") { $0.integer(0) }
      }
      #expect(count == 10)
    }
  }

  @Test("A program that catches up has what another one has just committed")
  func catchUp_hasTheChange() async throws {
    try await withReplicas { replicas in
      for number in 0..<50 {
        try await appendChange("\(number)", to: replicas[number % 2])
        let other = replicas[1 - number % 2]
        try await other.catchUp()
        #expect(other.revision == replicas[number % 2].revision)
      }
    }
  }

  @Test("An idempotency key counts in all programs: two that get a request at once do it once")
  func key_countsInAll() async throws {
    try await withReplicas { replicas in
      for number in 0..<20 {
        let key = IdempotencyKey(caller: "c", key: "k\(number)", method: "m", request: [1])
        let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
          for (index, replica) in replicas.enumerated() {
            group.addTask {
              let answer: Google_Protobuf.StringValue = try await replica.writeOnce(
                key,
                domain: "test",
                for: .service("s"),
                as: Author(.service("s"), requestID: "r"),
                onReplay: { _ in }
              ) { tx in
                try tx.execute(
                  "INSERT INTO note (id, text) VALUES (?, ?)",
                  .text("\(number)-\(index)"),
                  .text("x")
                )
                return .init(value: "\(index)")
              }
              return answer.protobufBytes
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 2 && answers[0] == answers[1])
      }
      #expect(try await replicas[0].noteCount() == 20)
    }
  }

  @Test("The times of commits never go back, whatever the clocks of the programs say")
  func time_neverGoesBack() async throws {
    let (early, late) = (ManualClock(1_000_000), ManualClock(1_030_000))
    try await withReplicas(clocks: [early, late]) { replicas in
      for number in 0..<6 { try await appendChange("\(number)", to: replicas[number % 2]) }
      // Also that of one whose clock is early, and which has heard of nothing yet.
      let third = try await Database.open(
        Notes.configuration(folder),
        migrations: Notes.migrations,
        clock: early
      )
      try await appendChange("6", to: third)
      await third.close()
      let times = try await replicas[0].read { tx in
        try tx.query("SELECT recorded_at FROM change_log ORDER BY revision") { $0.integer(0) }
      }
      #expect(times == [1_000_000] + [Int64](repeating: 1_030_000, count: 6))
    }
  }

  @Test("One program leads, and when its connection ends another does")
  func leadership_goesOver() async throws {
    try await withReplicas { replicas in
      #expect(await loop.eventually { replicas.contains { $0.isLeading } })
      let runs = [Runs(), Runs()]
      let work = zip(replicas, runs).map { replica, runs in
        Task {
          await replica.whileLeading {
            runs.begin()
            // Until the task is cancelled.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            runs.end()
          }
        }
      }
      let admin = try administrator()
      for _ in 0..<3 {
        let first = try #require(replicas.firstIndex { $0.isLeading })
        #expect(await loop.eventually { runs[first].isRunning })
        #expect(!runs[1 - first].isRunning && !replicas[1 - first].isLeading)
        // The one that leads is cut off; either may lead then.
        _ = try admin.first(
          """
          SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_locks
          WHERE locktype = 'advisory' AND classid = 1734440038 AND objid = (
            SELECT oid FROM pg_namespace WHERE nspname = current_schema())
          """
        ) { $0.integer(0) }
        #expect(await loop.eventually { replicas.contains { $0.isLeading } })
      }
      for task in work { task.cancel() }
      for task in work { await task.value }
      #expect(runs.allSatisfy { !$0.isRunning })
      #expect(runs.reduce(0) { $0 + $1.count } >= 3)
    }
  }

  @Test("A program that was stopped with the turn to write loses it, and the others go on")
  func turn_ofStoppedProgram_isTaken() async throws {
    try await withReplicas { replicas in
      let stopped = try administrator()
      let turn = try PostgresTurn(stopped)
      try turn.begin(on: stopped, with: "SELECT 1")
      try stopped.settle()
      // The server ends it after five seconds, and what it would have written is not done.
      try await replicas[0].put("a", "milk")
      #expect(throws: StoreError.self) { try stopped.execute("DELETE FROM note") }
      #expect(try await replicas[1].note("a") == "milk")
    }
  }

  @Test("A store that does not go on from what a program knows ends its writes")
  func store_gone_back_isNoticed() async throws {
    try await withReplicas { replicas in
      for number in 0..<3 { try await appendChange("\(number)", to: replicas[0]) }
      try await replicas[1].catchUp()
      let admin = try administrator()
      // As after a switch to a standby that had not got the last commit.
      try admin.run("DELETE FROM change_log WHERE subject = '2'")
      try cut(admin)
      await #expect(throws: StoreError.self) { try await appendChange("3", to: replicas[0]) }
      guard case .broken(let reason) = replicas[0].condition else {
        return #expect(Bool(false), "\(replicas[0].condition)")
      }
      #expect(reason.contains("restart this program"))
      await #expect(throws: StoreError.self) { try await replicas[0].put("a", "milk") }
      // And where another commit has got its number.
      try admin.run(
        """
        INSERT INTO change_log (revision, recorded_at, kind, subject, scope, payload)
        VALUES (\(replicas[1].revision), 1, 'note', 'another', '', '')
        """
      )
      await #expect(throws: StoreError.self) { try await replicas[1].put("a", "milk") }
      guard case .broken = replicas[1].condition else {
        return #expect(Bool(false), "\(replicas[1].condition)")
      }
    }
  }

  @Test("Programs stop when a newer one has migrated the store, which goes on and leads")
  func olderPrograms_afterMigration_stop() async throws {
    try await withReplicas { replicas in
      #expect(await loop.eventually { replicas.contains { $0.isLeading } })
      try await replicas[0].put("a", "milk")
      let step = Migration(
        version: Notes.migrations.count + 1,
        sql: "ALTER TABLE note ADD COLUMN place TEXT NOT NULL DEFAULT ''"
      )
      let newer = try await Database.open(
        Notes.configuration(folder),
        migrations: Notes.migrations + [step],
        clock: SystemWallClock()
      )
      // One is asked to write, the other one is not.
      await #expect(throws: StoreError.self) { try await replicas[0].put("b", "bread") }
      for replica in replicas {
        let isBroken = await loop.eventually {
          guard case .broken(let reason) = replica.condition else { return false }
          return reason.contains("by a newer program") && reason.contains("restart this program")
        }
        #expect(isBroken, "\(replica.condition)")
        await #expect(throws: StoreError.self) { try await replica.put("b", "bread") }
      }
      #expect(await loop.eventually { newer.isLeading })
      #expect(replicas.allSatisfy { !$0.isLeading })
      try await newer.put("b", "butter")
      #expect(try await newer.note("a") == "milk")
      #expect(try await newer.note("b") == "butter")
      await newer.close()
    }
  }

  @Test("A program that hears nothing of the store for ten seconds is not ready until it does")
  func silence_endsReadiness() async throws {
    let start = ContinuousClock.now
    let passed = Atomic<Int64>(0)
    let replica = try await Database.open(
      Notes.configuration(folder),
      migrations: Notes.migrations,
      clock: SystemWallClock(),
      monotonic: { start + .seconds(passed.load(ordering: .relaxed)) }
    )
    let admin = try administrator()
    try admin.run("BEGIN; LOCK TABLE change_log IN ACCESS EXCLUSIVE MODE")
    let isHeld = try await loop.eventually {
      let waiting = try admin.first("SELECT count(*) FROM pg_locks WHERE NOT granted") {
        $0.integer(0)
      }
      return waiting ?? 0 > 0
    }
    #expect(isHeld)
    #expect(replica.readinessCheck.isReady)
    passed.store(10, ordering: .relaxed)
    #expect(replica.readinessCheck.isReady)
    passed.store(11, ordering: .relaxed)
    #expect(!replica.readinessCheck.isReady)
    #expect(replica.readinessCheck.detail == "no answer for 11 s")
    try admin.run("COMMIT")
    #expect(await loop.eventually { replica.readinessCheck.isReady })
    await replica.close()
  }

  private func cut(_ admin: PostgresConnection) throws {
    _ = try admin.first(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND application_name = 'gatehouse ' || current_schema()
      """
    ) { $0.integer(0) }
  }
}

/// A follower that keeps the subjects of what it was told, in order.
private final class Memory: CommitFollower {
  private let seen = Mutex<[String]>([])
  var subjects: [String] { seen.withLock { $0 } }
  func follow(_ changes: [Change]) { seen.withLock { $0 += changes.map(\.subject) } }
}

/// Work that says whether it runs.
private final class Runs: Sendable {
  private let state = Mutex((isRunning: false, count: 0))
  var isRunning: Bool { state.withLock { $0.isRunning } }
  var count: Int { state.withLock { $0.count } }
  func begin() { state.withLock { ($0.isRunning, $0.count) = (true, $0.count + 1) } }
  func end() { state.withLock { $0.isRunning = false } }
}
