import RPCKit
import RPCKitTesting
import Synchronization
import Testing

@testable import ServiceKit

/// Writes that are done beside the order of commits.
@Suite("Lanes of a store on PostgreSQL", .serverStores, .timeLimit(.minutes(2)))
struct LaneTests {
  private let folder: TemporaryFolder
  private let loop: any EventLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoopGroup.epoll(count: 1).loops[0]
  }

  private static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE account (name TEXT PRIMARY KEY, points BIGINT NOT NULL);
        CREATE TABLE entry (account TEXT NOT NULL, number BIGINT NOT NULL, PRIMARY KEY (account, number));
        """
    )
  ]

  private var configuration: DatabaseConfiguration {
    DatabaseConfiguration(path: folder.file("lanes.db"), applicationID: 0x4748_4C41)
  }

  private func withReplicas(_ body: ([Database]) async throws -> Void) async throws {
    var replicas: [Database] = []
    for _ in 0..<2 {
      replicas.append(try await Database.open(configuration, migrations: Self.migrations))
    }
    do { try await body(replicas) } catch {
      for replica in replicas { await replica.close() }
      throw error
    }
    for replica in replicas { await replica.close() }
  }

  private func administrator() throws -> PostgresConnection {
    let location = try TestServer.location(of: configuration.path)
    return try PostgresConnection(try #require(location))
  }

  private static func head(_ account: String) -> WriteHeads {
    .unordered([ConflictKey("account", account)])
  }

  /// Adds a point and an entry with the next number, both decided by what is read first.
  private static func add(
    to account: String,
    _ tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let before = try tx.first("SELECT points FROM account WHERE name = ?", .text(account)) {
      $0.integer(0)
    }
    let points = (before ?? 0) + 1
    try tx.execute(
      """
      INSERT INTO account (name, points) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET points = excluded.points
      """,
      .text(account),
      .integer(points)
    )
    try tx.execute(
      "INSERT INTO entry (account, number) VALUES (?, ?)",
      .text(account),
      .integer(points)
    )
    return points
  }

  @Sendable
  private func add(to account: String, in database: Database) async throws {
    try await database.write(heads: Self.head(account)) { tx in
      _ = try Self.add(to: account, tx)
      try tx.announce(kind: "points", subject: account)
    }
  }

  @Test("Writes of one head follow each other in any program, and nobody misses what they announce")
  func writes_ofOneHead_followEachOther() async throws {
    try await withReplicas { replicas in
      let memories = [Memory(), Memory()]
      for (replica, memory) in zip(replicas, memories) {
        try await replica.attach(memory, after: 0)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for replica in replicas {
          for writer in 0..<24 {
            group.addTask {
              for _ in 0..<10 { try await add(to: "a\(writer % 3)", in: replica) }
            }
          }
        }
        try await group.waitForAll()
      }
      let points = try await replicas[0].read { tx in
        try tx.query("SELECT points FROM account ORDER BY name") { $0.integer(0) }
      }
      #expect(points == [160, 160, 160])
      #expect(await loop.eventually { memories.allSatisfy { $0.changes.count == 480 } })
      for memory in memories {
        let changes = memory.changes
        #expect(changes.map(\.revision) == (1...480).map { Int64($0) })
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.recordedAt <= $1.recordedAt })
      }
    }
  }

  @Test("A write with the turn and one beside it exclude each other, whatever their heads are")
  func order_excludesLanes() async throws {
    try await withReplicas { replicas in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, replica) in replicas.enumerated() {
          for writer in 0..<12 {
            group.addTask {
              for count in 0..<10 {
                guard (number + writer + count) % 2 == 0 else {
                  try await add(to: "a", in: replica)
                  continue
                }
                try await replica.write { tx in
                  _ = try Self.add(to: "a", tx)
                  try tx.appendChange(kind: "points", subject: "a", scope: "")
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let points = try await replicas[0].read { tx in
        try tx.first("SELECT points FROM account") { $0.integer(0) }
      }
      #expect(points == 240)
      #expect(await loop.eventually { replicas.allSatisfy { $0.revision == 240 } })
    }
  }

  @Test("A write that asks for its revision after all runs again in order, once")
  func write_thatNeedsOrder_isPassedOn() async throws {
    try await withReplicas { replicas in
      let revisions = try await withThrowingTaskGroup(of: Int64.self) { group in
        for (number, replica) in replicas.enumerated() {
          for writer in 0..<10 {
            let account = "\(number) \(writer)"
            group.addTask {
              try await replica.write(heads: Self.head(account)) { tx in
                _ = try Self.add(to: account, tx)
                // What was sent so far has to be undone.
                _ = try tx.first("SELECT count(*) FROM entry") { $0.integer(0) }
                return try tx.appendChange(kind: "points", subject: account, scope: "")
              }
            }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(revisions.sorted() == (1...20).map { Int64($0) })
      let points = try await replicas[0].read { tx in
        try tx.query("SELECT points FROM account") { $0.integer(0) }
      }
      #expect(points == [Int64](repeating: 1, count: 20))
    }
  }

  @Test(
    "What is numbered is numbered in the order of commits, so that those who go on from a number miss nothing"
  )
  func numbers_followCommits() async throws {
    try await withReplicas { replicas in
      let isOver = Atomic(false)
      let reading = Task {
        var seen: [Int64] = []
        // As those read it who send events on.
        while true {
          let isLast = isOver.load(ordering: .acquiring)
          let last = seen.last ?? 0
          seen += try await replicas[1].read { tx in
            try tx.query(
              "SELECT sequence FROM audit_log WHERE sequence > ? ORDER BY sequence",
              .integer(last)
            ) { $0.integer(0) }
          }
          if isLast { return seen }
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, replica) in replicas.enumerated() {
          for writer in 0..<16 {
            group.addTask {
              for _ in 0..<10 {
                try await replica.write(heads: Self.head("\(number) \(writer)")) { tx in
                  _ = try Self.add(to: "\(number) \(writer)", tx)
                  try tx.audit(.note)
                }
              }
            }
          }
        }
        try await group.waitForAll()
      }
      isOver.store(true, ordering: .releasing)
      let seen = try await reading.value
      let kept = try await replicas[0].read { tx in
        try tx.query("SELECT sequence FROM audit_log ORDER BY sequence") { $0.integer(0) }
      }
      #expect(kept.count == 320)
      #expect(seen == kept)
    }
  }

  @Test("Writes of other heads go on while one waits, and those that need the turn wait for it")
  func write_thatWaits_keepsOthersOfItsHeadAlone() async throws {
    try await withReplicas { replicas in
      let other = try administrator()
      let turn = try PostgresTurn(other)
      try turn.beginBeside(on: other, with: "SELECT 1", locking: [ConflictKey("account", "a")])
      try other.settle()
      let done = Lines()
      let same = Task {
        try await add(to: "a", in: replicas[0])
        done.add("same")
      }
      let ordered = Task {
        try await replicas[1].write { tx in _ = try Self.add(to: "c", tx) }
        done.add("ordered")
      }
      #expect(await loop.eventually { (try? waitingCount(other)) == 2 })
      #expect(done.all.isEmpty)
      try other.run("COMMIT")
      try await same.value
      try await ordered.value
      #expect(Set(done.all) == ["same", "ordered"])
      // With no one waiting for the turn, another head is not kept.
      try turn.beginBeside(on: other, with: "SELECT 1", locking: [ConflictKey("account", "a")])
      try other.settle()
      for _ in 0..<5 { try await add(to: "b", in: replicas[1]) }
      try other.run("COMMIT")
    }
  }

  /// Sessions that wait for a lock of the store.
  private func waitingCount(_ connection: PostgresConnection) throws -> Int64 {
    try connection.first(
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'"
    ) {
      $0.integer(0)
    } ?? 0
  }

  @Test(
    "A lane that lost its connection makes it again, and a store that has gone back ends the program"
  )
  func lane_connectsAgain() async throws {
    try await withReplicas { replicas in
      let accounts = (0..<8).map { "a\($0)" }
      for account in accounts { try await add(to: account, in: replicas[0]) }
      let admin = try administrator()
      try cut(admin)
      for account in accounts { try await add(to: account, in: replicas[0]) }
      #expect(replicas[0].condition == .working)
      // As after a switch to a standby that had not got the last commit.
      try admin.run("DELETE FROM change_log WHERE revision = 16")
      try cut(admin)
      for account in accounts {
        await #expect(throws: StoreError.self) { try await add(to: account, in: replicas[0]) }
      }
      guard case .broken(let reason) = replicas[0].condition else {
        return #expect(Bool(false), "\(replicas[0].condition)")
      }
      #expect(reason.contains("restart this program"))
    }
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

extension AuditRecord {
  fileprivate static var note: AuditRecord {
    AuditRecord(actor: "service:s", requestID: "r", action: "note", object: "o", scope: "s")
  }
}

/// A follower that keeps what it was told, in order.
private final class Memory: CommitFollower {
  private let seen = Mutex<[Change]>([])
  var changes: [Change] { seen.withLock { $0 } }
  func follow(_ changes: [Change]) { seen.withLock { $0 += changes } }
}

/// What has happened, in order.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}
