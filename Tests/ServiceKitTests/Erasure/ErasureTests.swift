import Foundation
import RPCKit
import RPCKitTesting
import Testing

@testable import ServiceKit

@Suite("Erasing what names somebody")
struct ErasureTests {
  private static let name = "usr_06xrk5tq8k0123456789abcdef"
  private static let other = "usr_06xrk5tq8k0123456789abcdeg"
  private static let key = HMACKey([UInt8](repeating: 9, count: 32))
  private static let pseudonym = Pseudonym.of(name, key: key)

  private static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE numbered (
          id INTEGER PRIMARY KEY,
          who TEXT,
          encoded BLOB,
          size INTEGER NOT NULL
        );
        CREATE TABLE named (who TEXT PRIMARY KEY, other TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE document (owner TEXT PRIMARY KEY);
        CREATE TABLE held (
          id INTEGER PRIMARY KEY,
          place TEXT NOT NULL,
          who TEXT,
          note TEXT NOT NULL,
          UNIQUE (place, who)
        );
        CREATE TABLE figure (number INTEGER NOT NULL);
        \(Tombstones.table)
        """
    )
  ]

  /// A store in a folder, as a service has it.
  private func run(_ body: (ServiceStore, TemporaryFolder) async throws -> Void) async throws {
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
      try await body(store, folder)
    } catch {
      await database.close()
      throw error
    }
    await database.close()
    withExtendedLifetime(folder) {}
  }

  private func erase(_ store: ServiceStore, sparing: Set<String> = []) async throws -> Int {
    let eraser = MentionEraser(
      store,
      replacing: Self.name,
      by: Self.pseudonym,
      sparing: sparing
    )
    var cursor: MentionEraser.Cursor? = .start
    var count = 0
    while let next = cursor {
      cursor = try await eraser.advance(from: next)
      count += 1
    }
    return count
  }

  private func holds(_ text: String, _ path: String) -> Bool {
    FileManager.default.contents(atPath: path)?.range(of: Data(text.utf8)) != nil
  }

  @Test(
    "A pseudonym is as long as the identifier, the same each time, and another one for another key"
  )
  func pseudonym_replacesItsIdentifier() {
    #expect(Self.pseudonym.utf8.count == Self.name.utf8.count)
    #expect(Self.pseudonym.hasPrefix("del_"))
    #expect(Pseudonym.of(Self.name, key: Self.key) == Self.pseudonym)
    #expect(Pseudonym.of(Self.other, key: Self.key) != Self.pseudonym)
    let second = HMACKey([UInt8](repeating: 8, count: 32))
    #expect(Pseudonym.of(Self.name, key: second) != Self.pseudonym)
    let letters = Set("0123456789abcdefghjkmnpqrstvwxyz")
    #expect(Self.pseudonym.dropFirst(4).allSatisfy { letters.contains($0) })
  }

  @Test("A tombstone is found by its name and kind alone, and says neither")
  func tombstones_areKeyed() async throws {
    try await run { store, folder in
      let tombstones = Tombstones(secret: Self.key)
      let wereNew = try await store.writeOwn { tx in
        [
          try tombstones.insert(.user(Self.name), in: tx),
          try tombstones.insert(.user(Self.name), in: tx),
          try tombstones.insert(.identity(issuer: "a", subject: "b c"), in: tx),
        ]
      }
      #expect(wereNew == [true, false, true])
      let stranger = Tombstones(secret: HMACKey([UInt8](repeating: 8, count: 32)))
      let found = try await store.read { tx in
        [
          try tombstones.contains(.user(Self.name), in: tx),
          try tombstones.contains(.identity(issuer: "a", subject: "b c"), in: tx),
          try tombstones.contains(.user(Self.other), in: tx),
          try tombstones.contains(.address(Self.name), in: tx),
          try tombstones.contains(.identity(issuer: "a b", subject: "c"), in: tx),
          try stranger.contains(.user(Self.name), in: tx),
        ]
      }
      #expect(found == [true, true, false, false, false, false])
      for file in ["store.db", "store.db-wal"] { #expect(!holds(Self.name, folder.file(file))) }
      let imported = Tombstones.Name.imported(source: "a", id: "b c")
      let times = try await store.writeOwn { tx in
        let before = try tombstones.time(of: imported, in: tx)
        try tombstones.insert(imported, in: tx)
        return [before, try tombstones.time(of: imported, in: tx) ?? 0, tx.now]
      }
      #expect(times[0] == nil && times[1] == times[2])
      try await store.writeOwn { tx in try Tombstones.prune(before: tx.now, in: tx) }
      let kept = try await store.read { tx in try tombstones.contains(.user(Self.name), in: tx) }
      #expect(kept)
      try await store.writeOwn { tx in try Tombstones.prune(before: tx.now + 1, in: tx) }
      let left = try await store.read { tx in try tombstones.contains(.user(Self.name), in: tx) }
      #expect(!left)
    }
  }

  @Test("Names are replaced in texts and bytes of all tables, whatever is around them")
  func mentions_everywhere_areReplaced() async throws {
    try await run { store, folder in
      let bytes: [UInt8] = [0, 0xFF, 30] + Array(Self.name.utf8) + [0, 0xC3, 0x28]
      try await store.writeOwn { tx in
        try tx.execute(
          "INSERT INTO numbered VALUES (7, ?, ?, 5), (8, NULL, NULL, 6), (9, ?, ?, 7)",
          .text("<\(Self.name)|\(Self.name)>"),
          .blob(bytes),
          .text(Self.other),
          .blob([0xFF])
        )
        try tx.execute(
          "INSERT INTO named VALUES (?, 'a'), (?, ?)",
          .text(Self.name),
          .text(Self.other),
          .text("of \(Self.name)")
        )
        try tx.execute("INSERT INTO document VALUES (?)", .text(Self.name))
        try tx.audit("test", object: Self.name, detail: "x \(Self.name)")
        try tx.appendChange(kind: "test", subject: Self.name, scope: "", payload: bytes)
      }
      _ = try await erase(store, sparing: ["document"])
      // Again: nothing is there any more, and nothing is in the way.
      _ = try await erase(store, sparing: ["document"])
      let pseudonym = Self.pseudonym
      let rows = try await store.read { tx in
        try tx.query("SELECT id, who, encoded, size FROM numbered ORDER BY id") { row in
          "\(row.integer(0)) \(row.optionalText(1) ?? "-") \(row.optionalBlob(2) ?? []) \(row.integer(3))"
        }
      }
      let replaced: [UInt8] = [0, 0xFF, 30] + Array(pseudonym.utf8) + [0, 0xC3, 0x28]
      #expect(
        rows == [
          "7 <\(pseudonym)|\(pseudonym)> \(replaced) 5", "8 - [] 6", "9 \(Self.other) [255] 7",
        ]
      )
      let named = try await store.read { tx in
        try tx.query("SELECT who, other FROM named ORDER BY other") {
          "\($0.text(0)) \($0.text(1))"
        }
      }
      #expect(named == ["\(pseudonym) a", "\(Self.other) of \(pseudonym)"])
      let others = try await store.read { tx in
        try tx.query(
          """
          SELECT object || detail FROM audit_log WHERE action = 'test'
          UNION ALL SELECT subject FROM change_log WHERE kind = 'test'
          """
        ) { $0.text(0) }
      }
      #expect(others == ["\(pseudonym)x \(pseudonym)", pseudonym])
      // What is not the service's to change stays, until its owner deletes it.
      let deletedCount = try await store.writeOwn { tx in
        try tx.rowsChanged(by: "DELETE FROM document WHERE owner = ?", .text(Self.name))
      }
      #expect(deletedCount == 1)
      #expect(TestServer.isUsed || holds(Self.name, folder.file("store.db-wal")))
      #expect(try await store.database.truncateLog())
      for file in ["store.db", "store.db-wal"] { #expect(!holds(Self.name, folder.file(file))) }
    }
  }

  @Test("A name that the pseudonym has taken already gives way")
  func mentions_secondTime_doNotCollide() async throws {
    try await run { store, _ in
      for _ in 0..<2 {
        try await store.writeOwn { tx in
          try tx.execute("INSERT INTO named VALUES (?, 'late')", .text(Self.name))
        }
        _ = try await erase(store)
      }
      let rows = try await store.read { tx in
        try tx.query("SELECT who FROM named") { $0.text(0) }
      }
      #expect(rows == [Self.pseudonym])
    }
  }

  @Test("Many rows take several calls, each of which begins where the last one ended")
  func mentions_inManyRows_areReplacedInParts() async throws {
    try await run { store, _ in
      let rowCount = MentionEraser.sliceRowCount * MentionEraser.sliceCountMax + 3
      try await store.writeOwn { tx in
        try tx.execute(
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO numbered SELECT i, CASE WHEN i % 100 = 3 THEN ? ELSE ? END, NULL, i FROM n
          """,
          .integer(rowCount),
          .text(Self.name),
          .text(Self.other)
        )
      }
      let callCount = try await erase(store)
      #expect(callCount == 2)
      let counts = try await store.read { tx in
        try tx.query("SELECT who, count(*) FROM numbered GROUP BY who ORDER BY who") {
          "\($0.text(0)) \($0.integer(1))"
        }
      }
      let named = rowCount / 100 + 1
      #expect(counts == ["\(Self.pseudonym) \(named)", "\(Self.other) \(rowCount - named)"])
    }
  }

  @Test("A cursor is read as it was written, and nothing else is one")
  func cursor_isReadBack() {
    let start = MentionEraser.Cursor.start
    #expect(MentionEraser.Cursor(text: start.text) == start)
    let key: [SQLValue] = [.text("ö, \n"), .integer(-3), .blob([0, 255]), .text("")]
    let cursor = MentionEraser.Cursor(table: "named", key: key)
    #expect(MentionEraser.Cursor(text: cursor.text) == cursor)
    for text in ["", "a", "a b", "a 1 2", "1"] { #expect(MentionEraser.Cursor(text: text) == nil) }
  }

  @Test("A cursor of an older version, which has the number of a row, begins again")
  func cursor_withRowNumber_beginsAgain() {
    #expect(MentionEraser.Cursor(text: "user 17") == .start)
    #expect(MentionEraser.Cursor(text: " -9223372036854775808") == .start)
  }

  @Test("A row gives way that has the pseudonym where no two rows may have the same")
  func mentions_inUniqueColumns_replaceTheOther() async throws {
    try await run { store, _ in
      try await store.writeOwn { tx in
        try tx.execute(
          "INSERT INTO held VALUES (1, 'a', ?, 'old'), (2, 'a', ?, 'new'), (3, 'b', ?, 'other')",
          .text(Self.pseudonym),
          .text(Self.name),
          .text(Self.pseudonym)
        )
      }
      _ = try await erase(store)
      let rows = try await store.read { tx in
        try tx.query("SELECT note FROM held WHERE who = ? ORDER BY id", .text(Self.pseudonym)) {
          $0.text(0)
        }
      }
      #expect(rows == ["new", "other"])
    }
  }

  @Test("A read that lasts keeps the log from being emptied, next time it works", .fileStores)
  func truncateLog_whileRead_saysSo() async throws {
    try await run { store, folder in
      try await store.writeOwn { tx in
        try tx.execute("INSERT INTO document VALUES (?)", .text(Self.name))
      }
      let (started, release) = (Milestone(), OneShot())
      let database = store.database
      let reading = Task.detached {
        try await database.read { tx in
          // The snapshot begins with what is read first (sqlite.org/isolation.html).
          _ = try tx.exists("SELECT 1 FROM document")
          started.reach()
          release.wait()
        }
      }
      await started.reached()
      try await store.writeOwn { tx in try tx.execute("DELETE FROM document") }
      #expect(try await !database.truncateLog())
      #expect(holds(Self.name, folder.file("store.db-wal")))
      release.fire()
      try await reading.value
      #expect(try await database.truncateLog())
      #expect(!holds(Self.name, folder.file("store.db")))
      #expect(FileManager.default.contents(atPath: folder.file("store.db-wal"))?.isEmpty == true)
    }
  }

  @Test("A store whose process ended with an emptied log starts again, complete", .fileStores)
  func truncateLog_beforeAnAbruptEnd_losesNothing() async throws {
    let (folder, copies) = (try TemporaryFolder(), try TemporaryFolder())
    let database = try await Notes.open(folder)
    for note in 0..<20 { try await database.put("n\(note)", "text") }
    #expect(try await database.truncateLog())
    // The files as a process leaves them that is killed now, and one more that commits before it is.
    for isLate in [false, true] {
      if isLate { try await database.put("late", "text") }
      let name = isLate ? "late.db" : "early.db"
      for end in ["", "-wal", ".lock"] {
        let from = folder.file("notes.db\(end)")
        guard FileManager.default.fileExists(atPath: from) else { continue }
        try FileManager.default.copyItem(atPath: from, toPath: copies.file("\(name)\(end)"))
      }
      let copy = try await Database.open(
        DatabaseConfiguration(path: copies.file(name), applicationID: Notes.applicationID),
        migrations: Notes.migrations
      )
      #expect(try await copy.noteCount() == (isLate ? 21 : 20))
      await copy.close()
    }
    await database.close()
    withExtendedLifetime((folder, copies)) {}
  }
}
