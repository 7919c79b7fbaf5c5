import RPCKit
import Synchronization
import Testing

@testable import ServiceKit

/// What only a store on a server has; everything else runs there too, suite by suite.
@Suite("Stores on PostgreSQL", .serverStores, .timeLimit(.minutes(2)))
struct ServerStoreTests {
  private let folder: TemporaryFolder
  private let location: PostgresLocation
  private let admin: PostgresConnection
  private let schema: String

  init() throws {
    folder = try TemporaryFolder()
    let made = try TestServer.location(of: folder.file("server.db"))
    location = try #require(made)
    admin = try PostgresConnection(location)
    schema = try #require(try admin.first("SELECT current_schema()") { $0.text(0) })
  }

  private func open(
    _ location: PostgresLocation? = nil,
    applicationID: Int32 = Notes.applicationID,
    migrations: [Migration] = Notes.migrations
  ) async throws -> Database {
    let configuration = DatabaseConfiguration(
      .server(location ?? self.location),
      applicationID: applicationID
    )
    return try await Database.open(configuration, migrations: migrations)
  }

  /// A place with more said in its address.
  private func location(_ parameters: String) throws -> PostgresLocation {
    try #require(PostgresLocation("\(location.address)&\(parameters)"))
  }

  private func refusal(_ open: () async throws -> Database) async -> String {
    do {
      try await open().close()
      return "no refusal"
    } catch {
      return "\(error)"
    }
  }

  /// Ends the connections of the store's programs, as a restart of the server does.
  private func cutConnections() throws {
    _ = try admin.first(
      """
      SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND application_name = 'gatehouse ' || current_schema()
      """
    ) { $0.integer(0) }
  }

  /// Cancels commits that wait for a standby; how many there were.
  private func cancelWaits() throws -> Int64 {
    let count = try admin.first(
      "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    ) { $0.integer(0) }
    return count ?? 0
  }

  @Test("What was written is there when the store is opened again, and revisions go on")
  func reopen_hasEverything() async throws {
    let first = try await open()
    try await first.put("a", "milk")
    try await change(first)
    let revision = first.revision
    await first.close()
    let second = try await open()
    #expect(try await second.note("a") == "milk")
    #expect(revision > 0 && second.revision == revision)
    try await change(second)
    #expect(second.revision > revision)
    await second.close()
  }

  private func change(_ database: Database) async throws {
    try await database.write { tx in
      _ = try tx.appendChange(kind: "note", subject: "a", scope: "")
    }
  }

  @Test("A schema of something else, of another service or of a newer program is left alone")
  func open_foreignSchema_isRefused() async throws {
    try admin.run("CREATE TABLE invoice (id bigint)")
    #expect(await refusal { try await open() }.contains("has tables of something else"))
    try admin.run("DROP TABLE invoice")
    try await open().close()
    #expect(
      await refusal { try await open(applicationID: 7) }.contains("belongs to another program")
    )
    try admin.run("UPDATE store_schema SET own_version = 99, oldest_own = 99")
    #expect(await refusal { try await open() }.contains("knows only up to 1"))
  }

  @Test("A schema that is not there is named, and what to do")
  func open_withoutSchema_isRefused() async throws {
    let nowhere = try location("options=-csearch_path%3Dnowhere")
    #expect(await refusal { try await open(nowhere) }.contains("CREATE SCHEMA first"))
  }

  @Test("Migrations that came since are applied, once, and one that fails leaves nothing")
  func open_olderStore_isMigrated() async throws {
    try await open().close()
    let added = Migration(
      version: 2,
      sql:
        "ALTER TABLE note ADD COLUMN size INTEGER NOT NULL DEFAULT 3; CREATE INDEX i ON note (size)"
    )
    let newer = try await open(migrations: Notes.migrations + [added])
    try await newer.put("a", "milk")
    let size = try await newer.read { tx in try tx.first("SELECT size FROM note") { $0.integer(0) }
    }
    #expect(size == 3)
    await newer.close()
    let wrong = Migration(version: 3, sql: "CREATE TABLE t (a TEXT); SELECT nothing FROM nowhere")
    let failure = await refusal { try await open(migrations: Notes.migrations + [added, wrong]) }
    #expect(failure.contains("migration 3 failed"))
    let left = try admin.first("SELECT to_regclass('t') IS NULL") { $0.boolean(0) }
    #expect(left == true)
    #expect(await refusal { try await open() }.contains("knows only up to 1"))
  }

  @Test("A user without rights, a server without room and a standby say what is wrong")
  func open_withoutRights_isRefused() async throws {
    let role = "r\(schema)"
    try admin.run("CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role)")
    #expect(
      await refusal { try await open(location("user=\(role)")) }.contains("a right is missing")
    )
    try admin.run("ALTER ROLE \(role) CONNECTION LIMIT 0")
    #expect(
      await refusal { try await open(location("user=\(role)")) }.contains("too many connections")
    )
    try admin.run(
      "ALTER ROLE \(role) CONNECTION LIMIT -1; ALTER ROLE \(role) SET default_transaction_read_only = on"
    )
    #expect(await refusal { try await open(location("user=\(role)")) }.contains("read-only"))
  }

  @Test("A server that is not there is named with its reason, and no password")
  func open_nowhere_isRefused() async throws {
    let away = try #require(PostgresLocation("postgresql://u:secret@/db?host=\(folder.path)"))
    let failure = await refusal { try await open(away) }
    #expect(failure.hasPrefix("postgresql:///db cannot be opened: "))
    #expect(failure.contains("No such file or directory"))
    #expect(!failure.contains("secret"))
  }

  @Test("A connection that is lost between writes is made again, and none of them fails")
  func connection_lostBetweenWrites_isMadeAgain() async throws {
    let database = try await open()
    try await database.put("a", "milk")
    try cutConnections()
    try await database.put("b", "bread")
    #expect(try await database.noteCount() == 2)
    #expect(database.condition == .working)
    await database.close()
  }

  @Test("A connection that is lost in a write fails it, with nothing done, and the next succeeds")
  func connection_lostInAWrite_failsIt() async throws {
    let database = try await open()
    let cut = UnsafeSendable(self)
    await #expect(throws: StoreError.self) {
      try await database.write { tx in
        try tx.execute("INSERT INTO note (id, text) VALUES ('a', 'milk')")
        try cut.value.cutConnections()
        try tx.execute("INSERT INTO note (id, text) VALUES ('b', 'bread')")
      }
    }
    #expect(try await database.noteCount() == 0)
    try await database.put("c", "tea")
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("A commit whose answer was lost reaches followers before the next write decides")
  func commit_inDoubt_isToldOf() async throws {
    let database = try await open()
    let memory = Followed()
    try await database.write { tx in try tx.attach(memory) }
    try await database.put("a", "milk")
    let before = database.revision
    // What such a commit leaves: a change that nobody was told of.
    try admin.run(
      """
      INSERT INTO change_log (recorded_at, kind, subject, scope, payload)
      VALUES (1, 'untold', 's', '', '')
      """
    )
    try cutConnections()
    let seen = try await database.write { _ in memory.kinds }
    #expect(seen.last == "untold")
    #expect(database.revision > before)
    await database.close()
  }

  @Test("A commit whose wait for a standby was cancelled is in doubt, and followers hear of it")
  func commit_unconfirmed_isInDoubt() async throws {
    let database = try await open()
    let memory = Followed()
    try await database.write { tx in try tx.attach(memory) }
    try admin.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
    let reload = "SELECT count(*) FROM (SELECT pg_reload_conf()) AS reloaded"
    defer {
      try? admin.run("ALTER SYSTEM RESET synchronous_standby_names")
      try? admin.run(reload)
    }
    try admin.run(reload)
    // Those before the server has read its settings succeed.
    let failure = Task {
      while true {
        do {
          try await database.write { tx in
            _ = try tx.appendChange(kind: "note", subject: "a", scope: "")
          }
        } catch {
          return "\(error)"
        }
      }
    }
    while try cancelWaits() == 0 { await Task.yield() }
    #expect(await failure.value.contains("no standby"))
    try admin.run("ALTER SYSTEM RESET synchronous_standby_names")
    try admin.run(reload)
    let told = try await database.write { _ in memory.kinds.count }
    let logged = try admin.first("SELECT count(*) FROM change_log") { Int($0.integer(0)) }
    #expect(logged == told)
    #expect(database.condition == .working)
    await database.close()
  }

  @Test("A commit that comes with a warning, which is all that tells such a wait, is in doubt")
  func commit_warned_isInDoubt() async throws {
    let database = try await open()
    try admin.run(
      """
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE WARNING 'careful'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER warn AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.id = 'a') EXECUTE FUNCTION warn()
      """
    )
    await #expect(throws: StoreError.self) { try await database.put("a", "milk") }
    try await database.put("b", "bread")
    #expect(try await database.noteCount() == 2)
    await database.close()
  }

  @Test("A statement that fails inside a part is undone alone, whatever engine it is")
  func attempt_failedStatement_isUndoneAlone() async throws {
    let database = try await open()
    try await database.put("a", "milk")
    // Of the last run: before it is known that something fails, errors come at the end.
    let hasFailed = try await database.write { tx in
      try tx.execute("INSERT INTO note (id, text) VALUES ('b', 'bread')")
      let outcome = Result {
        try tx.attempt { try tx.execute("INSERT INTO note (id, text) VALUES ('a', 'again')") }
      }
      try tx.execute("INSERT INTO note (id, text) VALUES ('c', 'tea')")
      return if case .failure = outcome { true } else { false }
    }
    #expect(hasFailed)
    #expect(try await database.noteCount() == 3)
    #expect(try await database.note("a") == "milk")
    await database.close()
  }

  @Test("Whole numbers, sums, truth values, texts and bytes come back as they went")
  func values_comeBack() async throws {
    let database = try await open()
    let row = try await database.read { tx in
      try tx.first(
        """
        SELECT ?, ?, ?, ?, sum(n), count(*), 1 = 1, coalesce(?, 'none')
        FROM (SELECT 9223372036854775807 AS n UNION ALL SELECT -1) AS numbers
        """,
        .integer(Int64.min),
        .real(1.5),
        .text("größe '?' \u{1F40E}"),
        .blob([0, 255, 39]),
        .null
      ) {
        """
        \($0.integer(0)) \($0.real(1)) \($0.text(2)) \($0.blob(3)) \($0.integer(4)) \
        \($0.integer(5)) \($0.boolean(6)) \($0.text(7))
        """
      }
    }
    #expect(
      row
        == "\(Int64.min) 1.5 größe '?' \u{1F40E} [0, 255, 39] \(Int64.max - 1) 2 true none"
    )
    await database.close()
  }
}

/// A follower that keeps the kinds of what it was told.
private final class Followed: CommitFollower {
  private let seen = Mutex<[String]>([])
  var kinds: [String] { seen.withLock { $0 } }
  func follow(_ changes: [Change]) { seen.withLock { $0 += changes.map(\.kind) } }
}

/// Takes a value to the thread of a store, while nobody else uses it.
private struct UnsafeSendable<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
