import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

/// Programs that know different numbers of steps, on one store.
@Suite("Programs of several versions on one store", .serverStores, .timeLimit(.minutes(2)))
struct MixedVersionTests {
  private let folder: TemporaryFolder
  private let loop: any EventLoop
  private let sink = CollectingSink()

  /// The versions that follow that of `Notes`: two that keep older programs, and one that does not.
  private static let expanded =
    Notes.migrations + [
      Migration(
        version: 2,
        sql: """
          ALTER TABLE note ADD COLUMN place TEXT;
          CREATE TABLE shelf (id TEXT PRIMARY KEY);
          """,
        keepsOlderPrograms: true
      )
    ]
  private static let expandedTwice =
    expanded + [
      Migration(
        version: 3,
        sql: "CREATE INDEX note_by_place ON note (place)",
        keepsOlderPrograms: true
      )
    ]
  private static let contracted =
    expandedTwice + [Migration(version: 4, sql: "UPDATE note SET place = '' WHERE place IS NULL")]

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoopGroup.epoll(count: 1).loops[0]
  }

  private func open(_ migrations: [Migration] = Notes.migrations) async throws -> Database {
    var configuration = Notes.configuration(folder)
    configuration.logger = Logger(label: "test", level: .trace, sink: sink, limiter: nil)
    return try await Database.open(configuration, migrations: migrations)
  }

  private func location() throws -> PostgresLocation {
    try #require(try TestServer.location(of: Notes.configuration(folder).path))
  }

  private func version() throws -> StoreVersion {
    try StoreVersion.of(try PostgresConnection(try location()))
  }

  private func own(_ tables: Int, _ oldestProgram: Int) -> StoreVersion {
    let common = StoreSchema.common.count
    return StoreVersion(
      tables: SchemaVersion(common: common, own: tables),
      oldestProgram: SchemaVersion(common: common, own: oldestProgram)
    )
  }

  private func appendChange(_ subject: String, to database: Database) async throws {
    try await database.write { tx in
      _ = try tx.appendChange(kind: "note", subject: subject, scope: "")
    }
  }

  /// Lines that say that a program goes on with a store that a newer one has expanded.
  private var notices: [String] {
    sink.lines.filter { $0.contains("a newer program has expanded the store") }
  }

  private func expectStopped(_ program: Database) async {
    let isBroken = await loop.eventually {
      guard case .broken(let reason) = program.condition else { return false }
      return reason.contains("by a newer program") && reason.contains("restart this program")
    }
    #expect(isBroken, "\(program.condition)")
    await #expect(throws: StoreError.self) { try await program.put("z", "zucchini") }
  }

  private func expectRefused(_ migrations: [Migration], by store: Int) async throws {
    let path = try location().description
    let known = migrations.count
    await #expect(throws: StoreError.newerSchema(path: path, file: store, program: known)) {
      try await open(migrations).close()
    }
  }

  @Test("A program goes on writing and reading beside a newer one that has expanded the store")
  func olderProgram_afterExpansion_goesOn() async throws {
    let older = try await open()
    #expect(await loop.eventually { older.isLeading })
    try await older.put("a", "milk")
    let newer = try await open(Self.expanded)
    try await older.put("b", "bread")
    try await newer.write { tx in
      try tx.execute("UPDATE note SET place = 'cellar' WHERE id = 'a'")
      try tx.execute("INSERT INTO shelf (id) VALUES ('s')")
    }
    try await appendChange("1", to: newer)
    try await appendChange("2", to: older)
    try await newer.catchUp()
    #expect(older.revision == newer.revision)
    #expect(try await older.note("a") == "milk")
    #expect(try await newer.note("b") == "bread")
    #expect(await loop.eventually { notices.count == 1 })
    // Each of the two says it of the next version, and none of the one before.
    let newest = try await open(Self.expandedTwice)
    #expect(await loop.eventually { notices.count == 3 })
    try await older.put("c", "butter")
    #expect(try await newest.noteCount() == 3)
    #expect(older.condition == .working && older.isLeading && older.readinessCheck.isReady)
    #expect(try version() == own(3, 1))
    for program in [newest, newer, older] { await program.close() }
    #expect(notices.count == 3, "\(notices)")
  }

  @Test("A program starts on a store that a newer one has expanded, and says so")
  func olderProgram_onExpandedStore_starts() async throws {
    let newer = try await open(Self.expanded)
    try await newer.put("a", "milk")
    await newer.close()
    for _ in 0..<2 {
      let older = try await open()
      #expect(try await older.note("a") == "milk")
      try await appendChange("1", to: older)
      #expect(try version() == own(2, 1))
      #expect(await loop.eventually { !notices.isEmpty })
      await older.close()
    }
    let again = try await open(Self.expandedTwice)
    #expect(try await again.note("a") == "milk")
    await again.close()
    #expect(try version() == own(3, 1))
  }

  @Test("A step that is not marked stops older programs, also after some that are")
  func olderPrograms_afterContraction_stop() async throws {
    let programs = [
      try await open(), try await open(Self.expanded), try await open(Self.expandedTwice),
    ]
    for (number, program) in programs.enumerated() {
      try await program.put("\(number)", "milk")
    }
    let newest = try await open(Self.contracted)
    for program in programs { await expectStopped(program) }
    #expect(await loop.eventually { newest.isLeading })
    try await newest.put("b", "butter")
    #expect(try await newest.noteCount() == 4)
    for program in programs + [newest] { await program.close() }
    #expect(try version() == own(4, 4))
    try await expectRefused(Notes.migrations, by: 4)
    try await expectRefused(Self.expandedTwice, by: 4)
  }

  @Test("A step that is marked keeps those that know the last one that is not")
  func program_belowOldest_isRefused() async throws {
    let last = Migration(version: 5, sql: "CREATE TABLE box (id TEXT)", keepsOlderPrograms: true)
    try await open(Self.contracted + [last]).close()
    #expect(try version() == own(5, 4))
    try await open(Self.contracted).close()
    try await expectRefused(Self.expandedTwice, by: 5)
  }

  @Test("A store that was made before there were such steps wants programs that know all of it")
  func store_ofBefore_isExpanded() async throws {
    let program = try await open()
    try await program.put("a", "milk")
    await program.close()
    let admin = try PostgresConnection(try location())
    let forget = "ALTER TABLE store_schema DROP COLUMN oldest_common, DROP COLUMN oldest_own"
    try admin.run(forget)
    // As it was, it can be read and served.
    #expect(try await Database.verify(try location(), Notes.definition).isEmpty)
    let older = try await open()
    #expect(try version() == own(1, 1))
    let newer = try await open(Self.expanded)
    try await older.put("b", "bread")
    #expect(try await newer.noteCount() == 2)
    await newer.close()
    await older.close()
    #expect(try version() == own(2, 1))
    // What a program of before has migrated.
    try admin.run(forget)
    try await expectRefused(Notes.migrations, by: 2)
    try await open(Self.expandedTwice).close()
    #expect(try version() == own(3, 2))
  }

  @Test("Commands that look at all tables refuse a store that a newer program has expanded")
  func commands_onExpandedStore_areRefused() async throws {
    try await open(Self.expanded).close()
    let place = try location()
    let newer = StoreError.newerSchema(path: place.description, file: 2, program: 1)
    await #expect(throws: newer) { try await Database.verify(place, Notes.definition) }
    await #expect(throws: newer) {
      try await Database.copy(
        .server(place),
        to: .file(folder.file("copy")),
        Notes.definition
      )
    }
    #expect(StoreFile.byteCount(folder.file("copy")) == nil)
  }

  @Test("A program that is newer in one way and older in another does not begin")
  func program_newerAndOlder_isRefused() async throws {
    try await open().close()
    let admin = try PostgresConnection(try location())
    let common = StoreSchema.common.count
    try admin.run("UPDATE store_version SET common_version = \(common + 1)")
    // The same version of its own tables: those of all services were expanded.
    try await open().close()
    let refused = StoreError.newerSchema(
      path: try location().description,
      file: common + 1,
      program: common
    )
    await #expect(throws: refused) { try await open(Self.expanded).close() }
  }
}
