import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Columns of a record")
struct RecordColumnsTests {
  private struct Shelf: Hashable, Sendable {
    var number: Int64 = 0
    var id: String
    var note: String?
    var count: Int
    var isOpen: Bool
    var width: Double
    var depth: Double?
    var key: [UInt8]
    var seal: [UInt8]?
    var closed: Int64?

    static let columns = RecordColumns<Shelf>(
      "shelf",
      beside: ["owner"],
      .generated("number", \.number),
      .text("id", \.id),
      .optionalText("note", \.note),
      .integer("count", \.count),
      .boolean("is_open", \.isOpen),
      .real("width", \.width),
      .optionalReal("depth", \.depth),
      .blob("key", \.key),
      .optionalBlob("seal", \.seal),
      .optionalInteger("closed_at", \.closed)
    ) { row in
      Shelf(
        number: row.integer(),
        id: row.text(),
        note: row.optionalText(),
        count: Int(row.integer()),
        isOpen: row.boolean(),
        width: row.real(),
        depth: row.optionalReal(),
        key: row.blob(),
        seal: row.optionalBlob(),
        closed: row.optionalInteger()
      )
    }

    static let closing = columns.update("closed_at", "is_open", where: "id = ? AND owner = ?")

    static let full = Shelf(
      id: "s1",
      note: "oak",
      count: 3,
      isOpen: true,
      width: 0.5,
      depth: 2,
      key: [1],
      seal: [2, 3],
      closed: 7
    )
    static let bare = Shelf(id: "s2", count: 0, isOpen: false, width: 1, key: [])
  }

  private static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE shelf (
          number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, id TEXT NOT NULL UNIQUE, note TEXT,
          count INTEGER NOT NULL, is_open INTEGER NOT NULL, width REAL NOT NULL, depth REAL, key BLOB NOT NULL,
          seal BLOB, closed_at INTEGER
        );
        """
    )
  ]

  private func run(_ body: (Database) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let database = try await Database.open(
      DatabaseConfiguration(path: folder.file("store.db"), applicationID: Notes.applicationID),
      migrations: Self.migrations,
      clock: ManualClock()
    )
    do {
      try await body(database)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  @Test("The declaration gives the names, the SELECT and the INSERT")
  func declaration_givesSQL() {
    let names = "number, id, note, count, is_open, width, depth, key, seal, closed_at"
    let columns = Shelf.columns
    #expect(columns.list == names)
    #expect(columns.selection == "SELECT \(names) FROM shelf")
    #expect(columns.list(of: "s").hasPrefix("s.number, s.id, s.note, "))
    #expect(
      columns.insertion == """
        INSERT INTO shelf (owner, id, note, count, is_open, width, depth, key, seal, closed_at) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    #expect(
      Shelf.closing.sql == "UPDATE shelf SET closed_at = ?, is_open = ? WHERE id = ? AND owner = ?"
    )
  }

  @Test("A record is read as it was inserted, with what the store has generated")
  func record_insertedAndRead() async throws {
    try await run { database in
      try await database.write { tx in
        try tx.insert(Shelf.full, Shelf.columns, beside: .text("ada"))
        try tx.insert(Shelf.bare, Shelf.columns, beside: .text("ada"))
      }
      let found = try await database.read { tx in
        (
          try tx.query(Shelf.columns, "WHERE owner = ? ORDER BY id", .text("ada")),
          try tx.first(Shelf.columns, "WHERE id = ?", .text("s2")),
          try tx.first(Shelf.columns, "WHERE id = ?", .text("s3")),
          try tx.query("SELECT owner, \(Shelf.columns.list) FROM shelf") {
            try Shelf.columns.record($0, at: 1)
          }
        )
      }
      var expected = [Shelf.full, .bare]
      (expected[0].number, expected[1].number) = (1, 2)
      #expect(found.0 == expected && found.3 == expected)
      #expect(found.1 == expected[1] && found.2 == nil)
    }
  }

  @Test("Columns of joined tables are read, and left out of insertions")
  func joined_areReadOnly() async throws {
    let columns = RecordColumns<Shelf>(
      "shelf",
      as: "s",
      joining: "JOIN shelf t ON t.id = s.note",
      beside: ["owner"],
      .text("id", \.id),
      .optionalText("note", \.note),
      .integer("count", \.count),
      .joined(.boolean("t.is_open", \.isOpen)),
      .real("width", \.width),
      .joined(.blob("t.key", \.key))
    ) { row in
      Shelf(
        id: row.text(),
        note: row.optionalText(),
        count: Int(row.integer()),
        isOpen: row.boolean(),
        width: row.real(),
        key: row.blob()
      )
    }
    #expect(columns.list == "s.id, s.note, s.count, t.is_open, s.width, t.key")
    #expect(
      columns.selection == """
        SELECT s.id, s.note, s.count, t.is_open, s.width, t.key FROM shelf s \
        JOIN shelf t ON t.id = s.note
        """
    )
    #expect(
      columns.insertion
        == "INSERT INTO shelf (owner, id, note, count, width) VALUES (?, ?, ?, ?, ?)"
    )
    try await run { database in
      let found = try await database.write { tx in
        var other = Shelf.full
        (other.id, other.note, other.key) = ("s3", "s1", [])
        try tx.insert(Shelf.full, Shelf.columns, beside: .text("ada"))
        try tx.insert(other, Shelf.columns, beside: .text("bob"))
        return try tx.query(columns, "WHERE s.id = ?", values: [.text("s3")])
      }
      #expect(found.map(\.key) == [Shelf.full.key] && found.map(\.note) == ["s1"])
      let read = try await database.read { tx in try tx.readBack(Shelf.bare, columns) }
      #expect(read == Shelf.bare)
    }
  }

  @Test("A clause says what becomes of a record that is there already")
  func insertion_withClause() async throws {
    try await run { database in
      let isNew = try await database.write { tx in
        try tx.insert(Shelf.full, Shelf.columns, beside: .text("ada"))
        return try tx.insertIfNew(
          Shelf.full,
          Shelf.columns,
          beside: .text("bob"),
          clause: "ON CONFLICT (id) DO NOTHING"
        )
      }
      #expect(!isNew)
      await #expect(throws: StoreError.self) {
        try await database.write { tx in
          try tx.insert(Shelf.full, Shelf.columns, beside: .text("bob"))
        }
      }
    }
  }

  @Test("An update writes the columns that it names, of the rows that its condition names")
  func update_writesItsColumns() async throws {
    try await run { database in
      let (counts, found) = try await database.write { tx in
        try tx.insert(Shelf.full, Shelf.columns, beside: .text("ada"))
        var changed = Shelf.full
        (changed.closed, changed.isOpen, changed.note) = (nil, false, "elm")
        let others = try tx.rowsChanged(
          by: Shelf.closing,
          to: changed,
          .text("s1"),
          .text("bob")
        )
        let own = try tx.rowsChanged(by: Shelf.closing, to: changed, .text("s1"), .text("ada"))
        try tx.update(changed, Shelf.closing, .text("s1"), .text("ada"))
        return ([others, own], try tx.first(Shelf.columns, ""))
      }
      #expect(counts == [0, 1])
      #expect(found?.closed == nil && found?.isOpen == false && found?.note == "oak")
    }
  }

  @Test("An upsert replaces the row with the same key, where its condition holds")
  func upsert_replaces() async throws {
    let saving = Shelf.columns.upsert(on: "id", where: "shelf.is_open = 1")
    let start = "\(Shelf.columns.insertion) ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, "
    #expect(saving.sql.hasPrefix(start))
    #expect(saving.sql.hasSuffix("closed_at = excluded.closed_at WHERE shelf.is_open = 1"))
    try await run { database in
      let found = try await database.write { tx in
        var shelf = Shelf.full
        try tx.save(shelf, saving, beside: .text("ada"))
        (shelf.note, shelf.isOpen) = ("elm", false)
        try tx.save(shelf, saving, beside: .text("bob"))
        try tx.save(Shelf.full, saving, beside: .text("eve"))
        return try tx.first(Shelf.columns, "WHERE owner = 'bob'")
      }
      #expect(found?.note == "elm" && found?.isOpen == false)
    }
  }

  @Test("Cases of enumerations are read by their raw values; unknown ones are errors")
  func read_enumeration() async throws {
    enum Wood: String, Sendable { case oak }
    enum Size: Int64, Sendable { case small = 3 }
    struct Kind: Hashable, Sendable {
      let wood: Wood
      let size: Size
    }
    let columns = RecordColumns<Kind>(
      "shelf",
      .text("note", \.wood.rawValue),
      .integer("count", \.size.rawValue)
    ) {
      Kind(wood: try $0.text(as: Wood.self), size: try $0.integer(as: Size.self))
    }
    try await run { database in
      let kind = Kind(wood: .oak, size: .small)
      let found = try await database.read { tx in try tx.readBack(kind, columns) }
      #expect(found == kind)
      await #expect(throws: StoreError.statement("column 1 has 4, which is no Size")) {
        try await database.read { tx in try tx.first("SELECT 'oak', 4") { try columns.record($0) } }
      }
    }
  }

  @Test("Reading a record back finds columns that are read in another order")
  func readBack_findsExchange() async throws {
    struct Pair: Hashable, Sendable {
      var left: String
      var right: String
    }
    let exchanged = RecordColumns<Pair>("pair", .text("left", \.left), .text("right", \.right)) {
      (row) in
      let right = row.text()
      return Pair(left: row.text(), right: right)
    }
    try await run { database in
      let found = try await database.read { tx in
        (
          try tx.readBack(Shelf.full, Shelf.columns), try tx.readBack(Shelf.bare, Shelf.columns),
          try tx.readBack(Pair(left: "a", right: "b"), exchanged)
        )
      }
      #expect(found.0 == Shelf.full && found.1 == Shelf.bare)
      #expect(found.2 == Pair(left: "b", right: "a"))
    }
  }

  @Test("A column of another type than the record's is an error of the query")
  func read_wrongType_throws() async throws {
    struct Number: Hashable, Sendable { var text: String }
    let columns = RecordColumns<Number>("shelf", .text("count", \.text)) {
      Number(text: $0.text())
    }
    try await run { database in
      _ = try await database.write { tx in
        try tx.insert(Shelf.full, Shelf.columns, beside: .text("ada"))
      }
      await #expect(throws: StoreError.self) {
        try await database.read { tx in try tx.first(columns, "") }
      }
    }
  }

  @Test("The store's own records are read as they are written")
  func ownRecords_areReadBack() async throws {
    try await run { database in
      let change = Change(
        revision: 1,
        recordedAt: 2,
        kind: "a",
        subject: "b",
        scope: "c",
        payload: [4]
      )
      let record = StoredAuditRecord(
        sequence: 1,
        recordedAt: 2,
        record: AuditRecord(
          actor: "a",
          onBehalfOf: "b",
          requestID: "c",
          action: "d",
          object: "e",
          scope: "f",
          outcome: .refused,
          beforeDigest: [1],
          afterDigest: [2],
          detail: "g"
        )
      )
      let found = try await database.read { tx in
        (
          try tx.readBack(change, Change.columns),
          try tx.readBack(record, StoredAuditRecord.columns)
        )
      }
      #expect(found.0 == change && found.1 == record)
    }
  }
}
