import RPCKit
import RPCKitTesting
import Synchronization
import Testing

@testable import ServiceKit

/// Engines that speak the protocol, for which PostgreSQL stands in with functions before its own.
@Suite("Engines that a store is on", .serverStores, .timeLimit(.minutes(2)))
struct EngineProfileTests {
  private let folder: TemporaryFolder
  private let loop: any EventLoop
  private let sink = CollectingSink()
  private let location: PostgresLocation
  private let admin: PostgresConnection
  private let schema: String

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoopGroup.epoll(count: 1).loops[0]
    let made = try TestServer.location(of: folder.file("engine.db"))
    location = try #require(made)
    admin = try PostgresConnection(location)
    schema = try #require(try admin.first("SELECT current_schema()") { $0.text(0) })
  }

  // MARK: Engines

  /// What an engine does with functions that a store rests on.
  enum Engine: String, CaseIterable {
    /// Advisory locks are accepted and do nothing, as in CockroachDB before 2026.
    case withoutLocks
    /// There are none.
    case missingLocks
    /// Those of transactions work, those of sessions do nothing.
    case transactionLocksAlone
    /// The function that waits for one of a session does nothing, as in a version of YugabyteDB.
    case emptyWait

    var functions: [Function] {
      switch self {
      case .withoutLocks: [.xact, .wait, .attempt, .unlock]
      case .missingLocks: Self.withoutLocks.functions.map(\.missing)
      case .transactionLocksAlone: [.wait, .attempt, .unlock]
      case .emptyWait: [.wait]
      }
    }
  }

  /// A function that takes the place of one of PostgreSQL's.
  struct Function {
    let declaration: String
    var body: String

    static let xact = Function(
      declaration: "pg_advisory_xact_lock(integer, integer) RETURNS void",
      body: "NULL;"
    )
    static let wait = Function(
      declaration: "pg_advisory_lock(integer, integer) RETURNS void",
      body: "NULL;"
    )
    static let attempt = Function(
      declaration: "pg_try_advisory_lock(integer, integer) RETURNS boolean",
      body: "RETURN true;"
    )
    static let unlock = Function(
      declaration: "pg_advisory_unlock(integer, integer) RETURNS boolean",
      body: "RETURN true;"
    )
    static let timeline = Function(
      declaration: "pg_walfile_name(pg_lsn) RETURNS text",
      body: "RAISE EXCEPTION USING ERRCODE = '55000', MESSAGE = 'wal_level must be logical';"
    )
    /// The word of an engine about a setting, in the place of PostgreSQL's.
    static func setting(_ name: String, _ value: String) -> Function {
      Function(
        declaration: "current_setting(setting text, missing_ok boolean) RETURNS text",
        body: """
          RETURN CASE WHEN setting = '\(name)' THEN '\(value)'
            ELSE pg_catalog.current_setting(setting, missing_ok) END;
          """
      )
    }

    var missing: Function {
      let name = declaration.prefix { $0 != "(" }
      return Function(
        declaration: declaration,
        body: """
          RAISE EXCEPTION USING ERRCODE = '42883', MESSAGE = 'unknown function: \(name)()';
          """
      )
    }
  }

  /// The store's place on an engine with these functions.
  private func strict(_ functions: [Function]) throws -> PostgresLocation {
    try admin.run("CREATE SCHEMA strict_\(schema)")
    for function in functions {
      try admin.run(
        """
        CREATE FUNCTION strict_\(schema).\(function.declaration) LANGUAGE plpgsql AS $$
        BEGIN \(function.body) END $$
        """
      )
    }
    return try #require(
      PostgresLocation("\(location.address)%2Cstrict_\(schema)%2Cpg_catalog")
    )
  }

  private func configuration(_ location: PostgresLocation) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(
      .server(location),
      applicationID: Notes.applicationID
    )
    configuration.logger = Logger(label: "test", level: .info, sink: sink, limiter: nil)
    return configuration
  }

  private func open(_ location: PostgresLocation) async throws -> Database {
    try await Database.open(configuration(location), migrations: Notes.migrations)
  }

  private func refusal(_ location: PostgresLocation) async -> String {
    do {
      try await open(location).close()
      return "no refusal"
    } catch {
      return "\(error)"
    }
  }

  private func withReplicas(
    on location: PostgresLocation,
    _ body: ([Database]) async throws -> Void
  ) async throws {
    let replicas = [try await open(location), try await open(location)]
    do { try await body(replicas) } catch {
      for replica in replicas { await replica.close() }
      throw error
    }
    for replica in replicas { await replica.close() }
  }

  private func said(_ text: String) -> Bool { sink.lines.contains { $0.contains(text) } }

  private func count(_ query: String) throws -> Int64? { try admin.first(query) { $0.integer(0) } }

  // MARK: What is found

  @Test("On PostgreSQL locks give the turn, and the log has engine, version and turn")
  func postgres_isLogged() async throws {
    try await open(location).close()
    #expect(said("the store is on PostgreSQL "))
    #expect(said("advisory_lock"))
    #expect(sink.lines.count == 1)
    #expect(try !admin.hasTable(TurnRows.tableName))
  }

  @Test(
    "Where locks exclude nobody a row gives the turn: writes decide by every commit",
    arguments: Engine.allCases
  )
  func rows_takeThePlaceOfLocks(_ engine: Engine) async throws {
    let location = try strict(engine.functions)
    try await withReplicas(on: location) { replicas in
      try await expectOneOrder(replicas)
      try await expectOneLeader(replicas)
    }
    #expect(said("advisory locks of this engine exclude nobody"))
    #expect(try count("SELECT count(*) FROM store_turn") == 3)
  }

  @Test("An engine whose writes read from one snapshot gets rows as well")
  func snapshot_getsRows() async throws {
    let location = try strict([
      .setting("yb_effective_transaction_isolation_level", "repeatable read")
    ])
    let database = try await open(location)
    try await database.put("a", "milk")
    #expect(try TurnRows.areUsed(on: admin))
    await database.close()
  }

  @Test("A store that is migrated by rows is migrated once, and older programs stop")
  func rows_migrate() async throws {
    let location = try strict(Engine.withoutLocks.functions)
    let older = try await open(location)
    try await older.put("a", "milk")
    let step = Migration(
      version: 2,
      sql: "ALTER TABLE note ADD COLUMN place TEXT NOT NULL DEFAULT ''"
    )
    let configuration = configuration(location)
    let migrations = Notes.migrations + [step]
    async let first = Database.open(configuration, migrations: migrations)
    async let second = Database.open(configuration, migrations: migrations)
    let newer = [try await first, try await second]
    await #expect(throws: StoreError.self) { try await older.put("b", "bread") }
    try await newer[0].put("b", "butter")
    #expect(try await newer[1].noteCount() == 2)
    for database in [older] + newer { await database.close() }
  }

  @Test("A store comes to such an engine, and leaves it, by copy-store")
  func rows_areMadeByCopies() async throws {
    let strict = try strict(Engine.withoutLocks.functions)
    let file = StorePlace.file(folder.file("from.db"))
    let made = try SQLiteConnection(
      path: folder.file("from.db"),
      role: .writer,
      cacheByteCount: 1 << 20
    )
    try StoreSchema(connection: made, applicationID: Notes.applicationID)
      .migrate(Notes.migrations)
    try made.execute("INSERT INTO note (id, text) VALUES ('a', 'milk')")
    try await Database.copy(file, to: .server(strict), Notes.definition)
    #expect(try TurnRows.areUsed(on: admin))
    let database = try await open(strict)
    try await database.put("b", "bread")
    await database.close()
    let back = folder.file("back.db")
    try await Database.copy(.server(strict), to: .file(back), Notes.definition)
    let copied = try SQLiteConnection(path: back, role: .writer, cacheByteCount: 1 << 20)
    #expect(try copied.first("SELECT count(*) FROM note") { $0.integer(0) } == 2)
    let rowCount = try copied.first(
      "SELECT count(*) FROM sqlite_schema WHERE name = '\(TurnRows.tableName)'"
    ) { $0.integer(0) }
    #expect(rowCount == 0)
  }

  // MARK: What is refused

  @Test("A store with locks is not opened where they exclude nobody, and says what to do")
  func lockedStore_withoutLocks_isRefused() async throws {
    try await open(location).close()
    let failure = await refusal(try strict(Engine.withoutLocks.functions))
    #expect(failure.contains("the store was made for advisory locks"))
    #expect(failure.contains("copy-store"))
    #expect(try !admin.hasTable(TurnRows.tableName))
  }

  @Test("An engine on which a row excludes nobody either is refused, and says what to do")
  func freeRow_isRefused() async throws {
    // Changes go to another table, so what changes this one locks nothing of it.
    try admin.run(
      """
      CREATE TABLE store_turn (name text, term bigint, ends_at bigint);
      CREATE TABLE elsewhere (name text, term bigint, ends_at bigint);
      INSERT INTO store_turn VALUES ('make', 0, 0), ('write', 0, 0);
      INSERT INTO elsewhere VALUES ('make', 0, 0);
      CREATE RULE elsewhere AS ON UPDATE TO store_turn
        DO INSTEAD UPDATE elsewhere SET term = elsewhere.term + 1 RETURNING elsewhere.*
      """
    )
    let failure = await refusal(location)
    #expect(failure.contains("lets two programs write at once"))
    #expect(failure.contains("Keep the store on PostgreSQL 14 or newer, or in a file"))
  }

  @Test("An engine that gives no snapshots is refused")
  func withoutSnapshots_isRefused() async throws {
    let location = try strict([
      .setting("yb_effective_transaction_isolation_level", "read committed")
    ])
    #expect(await refusal(location).contains("gives no snapshot"))
  }

  @Test("A sequence that hands out several numbers at once is refused, and says what to do")
  func cachedSequence_isRefused() async throws {
    try await open(location).close()
    try admin.run("ALTER SEQUENCE event_sequence_seq CACHE 100")
    let failure = await refusal(location)
    #expect(failure.contains("event_sequence_seq gives each connection 100 numbers at once"))
    #expect(failure.contains("ALTER SEQUENCE event_sequence_seq CACHE 1"))
    try admin.run("ALTER SEQUENCE event_sequence_seq CACHE 1")
    try await open(location).close()
  }

  @Test("A server without a timeline, or that lets transactions stand still, is warned of")
  func missingTimeline_isWarnedOf() async throws {
    let location = try strict([
      .timeline, .setting("idle_in_transaction_session_timeout", "0"),
    ])
    try await open(location).close()
    #expect(said("an old primary that comes back after a switch looks like"))
    #expect(said("does not end transactions that stand still"))
  }

  // MARK: Conflicts

  @Test("A commit that fails by a conflict is tried again, and each write is done once")
  func conflictAtCommit_isTriedAgain() async throws {
    try await open(location).close()
    try failEachThird(of: "note", "CONSTRAINT", "AFTER INSERT", "DEFERRABLE INITIALLY DEFERRED")
    try await withReplicas(on: location) { replicas in try await expectAllWritten(replicas) }
  }

  @Test("A statement that fails by a conflict has its write tried again")
  func conflictInWrite_isTriedAgain() async throws {
    try await open(location).close()
    try failEachThird(of: "note", "", "BEFORE INSERT", "")
    try await withReplicas(on: location) { replicas in try await expectAllWritten(replicas) }
  }

  @Test("A turn that fails by a conflict is taken again")
  func conflictAtTurn_isTriedAgain() async throws {
    let location = try strict(Engine.withoutLocks.functions)
    try await open(location).close()
    try failEachThird(of: "store_turn", "", "BEFORE UPDATE", "")
    try await withReplicas(on: location) { replicas in try await expectAllWritten(replicas) }
  }

  @Test("A conflict that does not end fails its write, with nothing done, and no other")
  func conflictWithoutEnd_failsTheWrite() async throws {
    let database = try await open(location)
    try admin.run(
      """
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$;
      CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.id = 'a') EXECUTE FUNCTION fail();
      CREATE TRIGGER fail_at_once BEFORE INSERT ON note
        FOR EACH ROW WHEN (NEW.id = 'b') EXECUTE FUNCTION fail()
      """
    )
    for id in ["a", "b"] {
      await #expect(throws: StoreError.self) { try await database.put(id, "milk") }
    }
    try await database.put("c", "tea")
    #expect(try await database.noteCount() == 1)
    #expect(database.condition == .working)
    await database.close()
  }

  @Test("Writes see what was committed while they waited, whatever the server's default is")
  func defaultIsolation_doesNotCount() async throws {
    let location = try #require(
      PostgresLocation(
        "\(location.address)%20-cdefault_transaction_isolation%3Drepeatable%5C%20read"
      )
    )
    let setting = try PostgresConnection(location)
      .first("SHOW default_transaction_isolation") { $0.text(0) }
    try #require(setting == "repeatable read")
    try await withReplicas(on: location) { replicas in try await expectOneOrder(replicas) }
  }

  // MARK: Expectations

  /// Has a table fail each third change with a conflict.
  private func failEachThird(
    of table: String,
    _ kind: String,
    _ event: String,
    _ time: String
  ) throws {
    try admin.run(
      """
      CREATE SEQUENCE attempt;
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('\(schema).attempt') % 3 = 0 THEN
            RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'restart transaction';
          END IF;
          RETURN NEW;
        END $$;
      CREATE \(kind) TRIGGER fail \(event) ON \(table) \(time)
        FOR EACH ROW EXECUTE FUNCTION fail()
      """
    )
  }

  private func expectAllWritten(_ replicas: [Database]) async throws {
    for number in 0..<24 { try await replicas[number % 2].put("\(number)", "milk") }
    #expect(try await replicas[0].noteCount() == 24)
    let attempts = try #require(try count("SELECT last_value FROM attempt"))
    #expect(attempts >= 32)
    #expect(replicas.allSatisfy { $0.condition == .working })
  }

  /// Ten may be made: each write counts the changes that its program has heard of.
  private func expectOneOrder(_ replicas: [Database]) async throws {
    let memories = [Memory(), Memory()]
    for (replica, memory) in zip(replicas, memories) { try await replica.attach(memory, after: 0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (replica, memory) in zip(replicas, memories) {
        for writer in 0..<40 {
          group.addTask {
            try await replica.write { tx in
              try tx.relyOnEverything()
              guard memory.count < 10 else { return }
              _ = try tx.appendChange(kind: "note", subject: "\(writer)", scope: "")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try count("SELECT count(*) FROM change_log") == 10)
  }

  private func expectOneLeader(_ replicas: [Database]) async throws {
    let isLed = await loop.eventually { replicas.contains { $0.isLeading } }
    #expect(isLed)
    // Another program has taken over from one that was silent.
    try admin.run(
      "UPDATE store_turn SET term = term + 1, ends_at = 9000000000000 WHERE name = 'lead'"
    )
    #expect(await loop.eventually { replicas.allSatisfy { !$0.isLeading } })
    try admin.run("UPDATE store_turn SET ends_at = 0 WHERE name = 'lead'")
    #expect(await loop.eventually { replicas.contains { $0.isLeading } })
    #expect(replicas.count { $0.isLeading } == 1)
  }
}

/// A follower that counts what it was told.
private final class Memory: CommitFollower {
  private let seen = Mutex(0)
  var count: Int { seen.withLock { $0 } }
  func follow(_ changes: [Change]) { seen.withLock { $0 += changes.count } }
}
