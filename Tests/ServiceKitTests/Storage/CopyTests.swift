import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Copies of a store elsewhere", .timeLimit(.minutes(2)))
struct CopyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A store in a file, whatever engine other tests use.
  private func makeFile(_ name: String) throws -> SQLiteConnection {
    let file = try SQLiteConnection(path: folder.file(name), role: .writer, cacheByteCount: 1 << 20)
    try file.startLog(byteCountKept: 1 << 20, pageCountMax: nil)
    try StoreSchema(connection: file, applicationID: Shelf.definition.applicationID)
      .migrate(Shelf.definition.migrations)
    return file
  }

  private func open(_ name: String) throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file(name), role: .writer, cacheByteCount: 1 << 20)
  }

  private func copy(_ source: StorePlace, to target: StorePlace) async throws {
    try await Database.copy(source, to: target, Shelf.definition)
  }

  private func file(_ name: String) -> StorePlace { .file(folder.file(name)) }

  /// A schema of the server in which nothing is yet.
  private func server(_ name: String) throws -> StorePlace {
    .server(try #require(try TestServer.location(of: folder.file(name))))
  }

  @Test(
    "A new file has the rows, the keys and the rules of the store, and the store refuses writes"
  )
  func file_hasEverything() async throws {
    try Shelf.fill(try makeFile("from"))
    try await copy(file("from"), to: file("to"))
    let made = try open("to")
    try #expect(Shelf.contents(made) == Shelf.contents(try open("from")))
    try Shelf.expectRules(of: made)
    #expect(throws: StoreError.moved(path: folder.file("from"), to: folder.file("to"))) {
      try FileMove(of: folder.file("from")).refuse()
    }
    #expect(StoreFile.byteCount(folder.file("to.partial")) == nil)
  }

  @Test("A store in a file goes to a server and back", .serverStores)
  func server_hasEverything() async throws {
    try Shelf.fill(try makeFile("from"))
    let server = try server("there")
    try await copy(file("from"), to: server)
    let there = try PostgresConnection(try #require(server.server))
    let expected = try Shelf.contents(try open("from"))
    try #expect(Shelf.contents(there) == expected)
    try Shelf.expectRules(of: there)

    try await copy(server, to: file("back"))
    let back = try open("back")
    try #expect(Shelf.contents(back) == Shelf.contents(there))
    // The one before has used a number up, which a server does not give back.
    try Shelf.expectRules(of: back, nextKey: 2502)
    // Its log of changes begins anew, behind the newest.
    let newest = try StoreSchema.newestRevision(there)
    try #expect(StoreSchema.newestRevision(back) == newest)
    try #expect(back.lastRevision() == newest)
    try #expect(back.first("SELECT count(*) FROM change_log") { $0.integer(0) } == 0)
  }

  @Test(
    "Writes of a program that has the store open are refused, reads go on, and resume ends that"
  )
  func writes_areRefused() async throws {
    let database = try await Notes.open(folder)
    try await database.put("1", "one")
    let place = database.configuration.place
    let target = file("copy")
    try await Database.copy(place, to: target, Notes.definition)
    for _ in 1...2 {
      let refused = await #expect(throws: StoreError.self) { try await database.put("2", "two") }
      guard case .moved(_, target.path)? = refused else {
        Issue.record("\(String(describing: refused))")
        return
      }
    }
    #expect(try await database.noteCount() == 1)
    #expect(database.condition == .working)
    await #expect(throws: StoreError.moved(path: place.path, to: target.path)) {
      try await Database.copy(place, to: file("second"), Notes.definition)
    }

    #expect(try await Database.resume(place, Notes.definition))
    #expect(try await !Database.resume(place, Notes.definition))
    try await database.put("2", "two")
    #expect(try await database.noteCount() == 2)
    await database.close()
    #expect(try open("copy").first("SELECT count(*) FROM note") { $0.integer(0) } == 1)
  }

  @Test("A program does not start on a store that was copied elsewhere")
  func start_isRefused() async throws {
    let database = try await Notes.open(folder)
    let place = database.configuration.place
    await database.close()
    try await Database.copy(place, to: file("copy"), Notes.definition)
    await #expect(throws: StoreError.moved(path: place.path, to: folder.file("copy"))) {
      _ = try await Notes.open(folder)
    }
  }

  @Test("What was confirmed while the copy began is in it, and nothing that was refused")
  func copy_hasWhatWasConfirmed() async throws {
    let database = try await Notes.open(folder)
    let place = database.configuration.place
    let confirmed = try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 0..<400 {
        group.addTask {
          do {
            try await database.put("\(number)", "text")
            return number
          } catch StoreError.moved {
            return nil
          }
        }
      }
      group.addTask {
        try await Database.copy(place, to: file("copy"), Notes.definition)
        return nil
      }
      return try await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
    }
    await database.close()
    let copied = try open("copy").query("SELECT id FROM note") { Int($0.text(0)) ?? -1 }
    #expect(Set(copied) == confirmed)
  }

  @Test("A copy with other rows does not count, and the store takes writes as before")
  func difference_isNoticed() throws {
    try Shelf.fill(try makeFile("from"))
    for loss in LossyTarget.Loss.allCases {
      let target = LossyTarget(loss)
      let copy = StoreCopy(
        source: try FileCopySource(folder.file("from"), Shelf.definition),
        target: target,
        tableNames: try EmptyStore(Shelf.definition.migrations).tableNames,
        progress: { _ in }
      )
      #expect(throws: StoreError.self, "\(loss)") { try copy.run() }
      #expect(!target.isKept)
      try FileMove(of: folder.file("from")).refuse()
    }
  }

  @Test("What cannot be copied is refused with the reason, and nothing has changed")
  func impossible_isRefused() async throws {
    try Shelf.fill(try makeFile("from"))
    _ = try makeFile("taken")
    for (source, target, reason) in [
      ("from", "taken", "is there already"), ("from", "from", "onto itself"),
      ("nowhere", "to", "there is no store"), ("from", "no-folder/to", "existing folder"),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await copy(file(source), to: file(target))
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains(reason), "\(source) → \(target)")
    }
    try FileMove(of: folder.file("from")).refuse()
  }

  @Test("A server refuses what it cannot keep, and a schema that is not empty", .serverStores)
  func impossible_isRefusedByServer() async throws {
    let from = try makeFile("from")
    try Shelf.fill(from)
    try from.execute("INSERT INTO shelf (name) VALUES (?)", [.text("a\0b")])
    let target = try server("there")
    let error = await #expect(throws: StoreError.self) { try await copy(file("from"), to: target) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("U+0000 in name of shelf"))
    try FileMove(of: folder.file("from")).refuse()

    try from.execute("DELETE FROM book WHERE shelf > 2500")
    try from.execute("DELETE FROM shelf WHERE number > 2500")
    try await copy(file("from"), to: target)
    _ = try await Database.resume(file("from"), Shelf.definition)
    let second = await #expect(throws: StoreError.self) { try await copy(file("from"), to: target) }
    #expect("\(second.map { "\($0)" } ?? "")".contains("has tables of something else"))
  }
}

/// A store with what is hard to copy: references inside a table, keys that the engine makes, triggers, empty values.
private enum Shelf {
  static let definition = StoreDefinition(
    applicationID: 0x4748_5402,
    migrations: [
      Migration(
        version: 1,
        sql: """
          CREATE TABLE shelf (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            parent INTEGER REFERENCES shelf (number),
            name TEXT NOT NULL UNIQUE,
            picture BLOB
          );
          CREATE TABLE book (
            title TEXT PRIMARY KEY,
            shelf INTEGER NOT NULL REFERENCES shelf (number)
          ) WITHOUT ROWID;
          CREATE TRIGGER book_is_final BEFORE UPDATE ON book
            BEGIN SELECT RAISE(ABORT, 'books are final'); END;
          CREATE TRIGGER shelf_has_book AFTER INSERT ON shelf
            BEGIN INSERT INTO book (title, shelf) VALUES ('empty ' || new.number, new.number); END;
          INSERT INTO shelf (name) VALUES ('first');
          """,
        postgresTriggers: """
          CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'books are final'; END
          $$;
          CREATE TRIGGER book_is_final BEFORE UPDATE ON book
            FOR EACH ROW EXECUTE FUNCTION refuse_update();
          CREATE FUNCTION add_book() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO book (title, shelf) VALUES ('empty ' || new.number, new.number);
              RETURN NULL;
            END
          $$;
          CREATE TRIGGER shelf_has_book AFTER INSERT ON shelf
            FOR EACH ROW EXECUTE FUNCTION add_book()
          """
      )
    ]
  )

  /// Rows that refer to later ones, and a generated key that has no row any longer.
  static func fill(_ file: SQLiteConnection) throws {
    for number in 2...2500 {
      try file.execute(
        "INSERT INTO shelf (name, picture) VALUES (?, ?)",
        [
          .text("S\(number) é"),
          number.isMultiple(of: 3) ? .null : .blob(number == 4 ? [] : [0, 255]),
        ]
      )
    }
    try file.execute("UPDATE shelf SET parent = number + 1 WHERE number < 1000")
    try file.execute("DELETE FROM book WHERE shelf = 2500")
    try file.execute("DELETE FROM shelf WHERE number = 2500")
    for revision in 1...3 {
      try file.execute(
        """
        INSERT INTO change_log (recorded_at, kind, subject, scope, payload)
        VALUES (?, 'k', 's', '', x'')
        """,
        [.integer(revision)]
      )
    }
  }

  /// All rows but those of the log of changes, by table.
  static func contents(_ connection: any StoreConnection) throws -> [String: TableDigest] {
    var contents: [String: TableDigest] = [:]
    for table in try CopiedTable.all(in: connection)
    where !["change_log", "store_version"].contains(table.name) {
      let cursor = try connection.open(table.query, [], limit: .max)
      defer { cursor.close() }
      var digest = TableDigest()
      while try cursor.step() { digest.add(try CopiedRow(table, cursor)) }
      contents[table.name] = digest
    }
    return contents
  }

  /// Keys go on behind those that were ever given, triggers act, references are looked at.
  static func expectRules(of connection: any StoreConnection, nextKey: Int64 = 2501) throws {
    try connection.execute("BEGIN")
    let key = try connection.insert(
      "INSERT INTO shelf (name) VALUES (?)",
      [.text("new")],
      generating: "number"
    )
    #expect(key == nextKey)
    let book = try connection.first(
      "SELECT title FROM book WHERE shelf = ?",
      [.integer(nextKey)]
    ) { $0.text(0) }
    #expect(book == "empty \(nextKey)")
    #expect(throws: StoreError.self) {
      try connection.execute(
        "UPDATE book SET title = ? WHERE shelf = ?",
        [.text("t"), .integer(nextKey)]
      )
    }
    try connection.execute("ROLLBACK")
    #expect(throws: StoreError.self) {
      try connection.execute("INSERT INTO book (title, shelf) VALUES (?, 9999)", [.text("t")])
    }
  }
}

/// A target that does not keep what it gets.
private final class LossyTarget: StoreCopyTarget, StoreCopyTables {
  enum Loss: CaseIterable {
    case row, value, doubled
  }

  let path = "lossy"
  let wantsEveryRevision = false
  private(set) var isKept = false
  private let loss: Loss
  private let file: SQLiteConnection

  init(_ loss: Loss) {
    self.loss = loss
    do {
      file = try SQLiteConnection(path: ":memory:", role: .writer, cacheByteCount: 1 << 20)
    } catch {
      fatalError("\(error)")
    }
  }

  func make(_ body: (any StoreCopyTables) throws(StoreError) -> Void) throws(StoreError) {
    try body(self)
    isKept = true
  }

  func fill(
    _ table: CopiedTable,
    _ rows: ((CopiedRow) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    try file.execute("CREATE TABLE \(table.name) (\(table.columnList))")
    let sql = "INSERT INTO \(table.name) VALUES (\(Placeholders.list(table.columns.count)))"
    try rows { row throws(StoreError) in try file.execute(sql, row.values) }
    guard table.name == "shelf" else { return }
    let change =
      switch loss {
      case .row: "DELETE FROM shelf WHERE number = 7"
      case .value: "UPDATE shelf SET name = 'x' WHERE number = 7"
      case .doubled: "INSERT INTO shelf SELECT * FROM shelf WHERE number = 7"
      }
    try file.execute(change)
  }

  func continueKeys(of table: CopiedTable, after last: Int64) {}

  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    try file.scan(table.query, body)
  }

  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
    try file.execute(sql, values)
  }
}

extension DatabaseConfiguration {
  /// Where the store is.
  fileprivate var place: StorePlace { server.map { .server($0) } ?? .file(path) }
}
