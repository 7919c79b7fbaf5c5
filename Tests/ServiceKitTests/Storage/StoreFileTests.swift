import Foundation
import RPCKit
import ServiceKit
import Testing

@Suite("Files of a store", .fileStores)
struct StoreFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("notes.db") }

  init() throws { folder = try TemporaryFolder() }

  private func open(_ migrations: [Migration] = Notes.migrations) async throws -> Database {
    try await Database.open(Notes.configuration(folder), migrations: migrations)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  private func fill(_ database: Database, _ count: Int) async throws {
    try await database.write { tx in
      for index in 0..<count {
        try tx.execute(
          "INSERT INTO note (id, text) VALUES (?, ?)",
          .text("note \(index)"),
          .text(String(repeating: "x", count: 200))
        )
      }
    }
  }

  @Test("Nobody but the owner may read any of them")
  func files_areForTheOwnerOnly() async throws {
    let database = try await open()
    try await database.put("a", "1")
    for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(path + suffix) == 0o600) }
    await database.close()
  }

  @Test("A damaged file is refused by name")
  func open_damagedFile_isRefused() async throws {
    let database = try await open()
    try await fill(database, 500)
    await database.close()
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    let end = try file.seekToEnd()
    for offset in stride(from: 8192, to: end, by: 4096) {
      try file.seek(toOffset: offset)
      file.write(Data(repeating: 0xA5, count: 64))
    }
    try file.close()
    await #expect {
      try await open()
    } throws: {
      guard case .corrupt(let path, _) = $0 as? StoreError else { return false }
      return path == self.path
    }
  }

  @Test("A file that is no database is refused by name, and left as it was")
  func open_otherFile_isRefused() async throws {
    let text = Data(String(repeating: "This is a letter.\n", count: 500).utf8)
    try text.write(to: URL(fileURLWithPath: path))
    await #expect {
      try await open()
    } throws: {
      guard case .corrupt(let path, _) = $0 as? StoreError else { return false }
      return path == self.path
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
  }

  @Test("The store of another service is refused")
  func open_otherService_isRefused() async throws {
    let database = try await open()
    await database.close()
    var configuration = Notes.configuration(folder)
    configuration.applicationID += 1
    await #expect(
      throws: StoreError.foreignFile(path: path, applicationID: Notes.applicationID)
    ) {
      try await Database.open(configuration, migrations: Notes.migrations)
    }
  }

  private static let second = Migration(
    version: 2,
    sql: """
      ALTER TABLE note ADD COLUMN colour TEXT NOT NULL DEFAULT 'white';
      CREATE INDEX note_by_colour ON note (colour);
      """
  )

  @Test("Migrations apply once, in order, to a new store and to one of the version before")
  func migrations_applyOnce() async throws {
    let first = try await open()
    try await first.put("a", "1")
    await first.close()
    for _ in 0..<2 {
      let database = try await open(Notes.migrations + [Self.second])
      let colour = try await database.read { tx in
        try tx.first("SELECT colour FROM note") { $0.text(0) }
      }
      #expect(colour == "white")
      await database.close()
    }
  }

  @Test("A schema is refused that is not what the migrations make, by its digest or without one")
  func open_otherSchema_isRefused() async throws {
    let digest = try SchemaListing.digest(of: Notes.migrations)
    for known in [digest, "", "another"] {
      let folder = try TemporaryFolder()
      func open() async throws -> Database {
        try await Notes.open(folder) { $0.schemaDigest = known }
      }
      try await open().close()
      // As it is, it opens, also with the digest of another one.
      let database = try await open()
      try await database.write { tx in try tx.execute("CREATE INDEX mine ON note (text)") }
      await database.close()
      let error = await #expect(throws: StoreError.self) { try await open() }
      guard case .corrupt(_, let detail) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(detail == "its schema has a index mine that this program did not make")
    }
  }

  @Test("A file from a newer program is refused, and both versions are named")
  func open_newerFile_isRefused() async throws {
    let newer = try await open(Notes.migrations + [Self.second])
    await newer.close()
    await #expect(throws: StoreError.newerSchema(path: path, file: 2, program: 1)) {
      try await open()
    }
  }

  @Test("A migration that fails half way leaves the version before, which still opens")
  func migration_failing_leavesTheVersionBefore() async throws {
    let first = try await open()
    try await first.put("a", "1")
    await first.close()
    let broken = Migration(version: 2, sql: Self.second.sql + "; INSERT INTO nowhere VALUES (1)")
    await #expect {
      try await open(Notes.migrations + [broken])
    } throws: {
      guard case .migrationFailed(version: 2, _) = $0 as? StoreError else { return false }
      return true
    }
    let again = try await open()
    #expect(try await again.note("a") == "1")
    await again.close()
    let repaired = try await open(Notes.migrations + [Self.second])
    #expect(try await repaired.noteCount() == 1)
    await repaired.close()
  }

  @Test("A copy made under load is whole, private, and has all that was written before it")
  func backup_underLoad_isConsistent() async throws {
    let database = try await open()
    try await fill(database, 2000)
    let before = database.revision
    let writers = Task {
      var index = 0
      while !Task.isCancelled {
        let number = index
        try await database.write { tx in
          try tx.execute("INSERT INTO note (id, text) VALUES (?, '')", .text("pair \(number) a"))
          try tx.execute("INSERT INTO note (id, text) VALUES (?, '')", .text("pair \(number) b"))
          try tx.appendChange(kind: "k", subject: "s", scope: "")
        }
        index += 1
      }
    }
    var follower = database.changes(after: before).makeAsyncIterator()
    for _ in 0..<20 { _ = try await follower.next() }
    let atStart = database.revision
    let copyPath = folder.file("copy.db")
    try await database.backup(to: copyPath)
    for _ in 0..<20 { _ = try await follower.next() }
    writers.cancel()
    _ = await writers.result
    await database.close()

    #expect(try mode(copyPath) == 0o600)
    #expect(!FileManager.default.fileExists(atPath: copyPath + ".partial"))
    var configuration = Notes.configuration(folder)
    configuration.path = copyPath
    let copy = try await Database.open(configuration, migrations: Notes.migrations)
    let pairs = try await copy.read { tx in
      try tx.first("SELECT count(*) FROM note WHERE id LIKE 'pair %'") { $0.integer(0) } ?? -1
    }
    #expect(copy.revision >= atStart)
    #expect(pairs == 2 * copy.revision)
    #expect(try await copy.noteCount() == 2000 + pairs)
    await copy.close()
  }

  @Test("The log stays short under many writes, and is gone after the end")
  func log_underManyWrites_staysShort() async throws {
    let database = try await Notes.open(folder) { $0.checkpointByteCount = 64 << 10 }
    for round in 0..<200 {
      try await database.write { tx in
        for index in 0..<10 {
          try tx.execute(
            "INSERT INTO note (id, text) VALUES (?, ?)",
            .text("\(round) \(index)"),
            .text(String(repeating: "x", count: 1000))
          )
        }
      }
    }
    let byteCount = try #require(
      try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    )
    #expect(byteCount < 512 << 10)
    await database.close()
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test("A read that holds the log past its limit makes writes fail until it ends, and no longer")
  func log_heldByAReader_isBounded() async throws {
    let database = try await Notes.open(folder) {
      $0.checkpointByteCount = 64 << 10
      $0.logByteCountMax = 1 << 20
      $0.readerCount = 2
    }
    let started = Milestone()
    let released = OneShot()
    async let held = database.read { tx in
      let count = try tx.first("SELECT count(*) FROM note") { $0.integer(0) }
      started.reach()
      released.wait()
      return count
    }
    await started.reached()
    var refusal: (any Error)?
    for index in 0..<2000 where refusal == nil {
      do {
        try await database.put("\(index)", String(repeating: "x", count: 4000))
      } catch {
        refusal = error
      }
    }
    guard case .unavailable = refusal as? StoreError else {
      Issue.record("the log grew without bound")
      released.fire()
      return
    }
    let byteCount = try #require(
      try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
    )
    #expect(byteCount < 2 << 20)
    released.fire()
    #expect(try await held == 0)
    try await database.put("after", "1")
    #expect(database.condition == .working)
    await database.close()
  }
}
