import Foundation
import RPCKit
import Testing

@testable import ServiceKit

@Suite("Damaged stores", .fileStores, .timeLimit(.minutes(5)))
struct StoreDamageTests {
  private let folder: TemporaryFolder
  private var path: String { folder.file("notes.db") }
  private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock"]

  init() throws { folder = try TemporaryFolder() }

  // MARK: Files

  private func files() throws -> StoreDamage.Files {
    var files: StoreDamage.Files = [:]
    for suffix in Self.suffixes where FileManager.default.fileExists(atPath: path + suffix) {
      files[suffix] = try Data(contentsOf: URL(fileURLWithPath: path + suffix))
    }
    return files
  }

  private func put(_ files: StoreDamage.Files) throws {
    for suffix in Self.suffixes {
      let file = path + suffix
      if let bytes = files[suffix] {
        try bytes.write(to: URL(fileURLWithPath: file))
      } else if FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
  }

  private func marker(in files: StoreDamage.Files) throws -> StoreMarker {
    let bytes = try #require(files[".lock"])
    return try #require(StoreMarker(Array(bytes)))
  }

  private func open() async throws -> Database {
    try await Database.open(Notes.configuration(folder), migrations: Notes.migrations)
  }

  private static let count = 400

  private func write(_ numbers: Range<Int>, to database: Database) async throws {
    for number in numbers {
      try await database.write { tx in
        try tx.execute(
          "INSERT INTO note (id, text) VALUES (?, ?)",
          .text("note \(number)"),
          .text("text of note \(number):" + String(repeating: "x", count: 200))
        )
        try tx.appendChange(kind: "note.added", subject: "note \(number)", scope: "")
      }
    }
  }

  /// A store as it is left by each way of ending.
  private func made(_ before: StoreDamage.Before) async throws -> StoreDamage.Files {
    try put([:])
    let first = try await open()
    try await write(0..<Self.count - 60, to: first)
    await first.close()
    let second = try await open()
    // So few that the log does not start again: behind its end there would be old frames, which no
    // damage to them harms.
    try await write(Self.count - 60..<Self.count, to: second)
    // What a kill leaves is what the files hold at that moment.
    var killed = try files()
    await second.close()
    if before == .closed { return try files() }
    if before == .killedWhileMovingTheLog {
      // Between taking back what was said of the file and the end of the move.
      var marker = try marker(in: killed)
      marker.state.pages = nil
      let file = try StoreFileHandle.openPrivately(folder.file("scratch"))
      try marker.write(to: file)
      killed[".lock"] = try Data(contentsOf: URL(fileURLWithPath: folder.file("scratch")))
    }
    return killed
  }

  /// Whether all notes are there as they were written.
  private func isWhole(_ database: Database) async throws -> Bool {
    let texts = try await database.read { tx in
      try tx.query("SELECT text FROM note WHERE id LIKE 'note %'") { $0.text(0) }
    }
    let expected = (0..<Self.count).map {
      "text of note \($0):" + String(repeating: "x", count: 200)
    }
    return texts.sorted() == expected.sorted()
  }

  private func outcomeAtStart() async throws -> (StoreDamage.Outcome, String) {
    let database: Database
    do {
      database = try await open()
    } catch {
      return (.found, "\(error)")
    }
    let outcome: StoreDamage.Outcome = try await isWhole(database) ? .harmless : .missed
    await database.close()
    return (outcome, "")
  }

  // MARK: Tests

  @Test("Each damage is found when the documents say so, and a start that finds it changes nothing")
  func damages_areFoundAsSaid() async throws {
    #expect(StoreDamage.all.count >= 60)
    for before in StoreDamage.Before.allCases {
      let whole = try await made(before)
      try put(whole)
      #expect(try await Database.verify(path, Notes.definition) == [], "\(before)")
      try put(whole)
      #expect(try await outcomeAtStart() == (.harmless, ""), "\(before)")
      for damage in StoreDamage.all where damage.before == before {
        var damaged = whole
        damage.change(&damaged)
        #expect(damaged != whole, "\(damage) changes nothing")
        try put(damaged)
        let findings = try await Database.verify(path, Notes.definition)
        let verified: StoreDamage.Outcome = findings.isEmpty ? damage.byVerify : .found
        #expect(verified == damage.byVerify, "verify, \(damage): \(findings)")
        #expect(findings.isEmpty == (damage.byVerify != .found), "verify, \(damage): \(findings)")
        try put(damaged)
        let (outcome, reason) = try await outcomeAtStart()
        #expect(outcome == damage.atStart, "start, \(damage): \(reason)")
        guard outcome == .found else { continue }
        let after = try files()
        for suffix in ["", "-wal", "-journal"] {
          #expect(after[suffix] == damaged[suffix], "\(damage) was changed: \(suffix)")
        }
      }
    }
  }

  @Test("docs/operations/services.md says of each kind of damage what these tests find")
  func documents_sayWhatIsFound() throws {
    var rows: [String] = []
    var outcomes: [String: (start: Set<String>, verify: Set<String>, count: Int)] = [:]
    for damage in StoreDamage.all {
      if outcomes[damage.row] == nil { rows.append(damage.row) }
      var entry = outcomes[damage.row] ?? ([], [], 0)
      entry.start.insert(damage.atStart.rawValue)
      entry.verify.insert(damage.byVerify.rawValue)
      entry.count += 1
      outcomes[damage.row] = entry
    }
    var table = "| Damage | At the start | By `verify` |\n|---|---|---|\n"
    for row in rows {
      guard let entry = outcomes[row] else { continue }
      // A row that says two things of one kind would say nothing.
      #expect(entry.start.count == 1 && entry.verify.count == 1, "\(row)")
      table += "| \(row) | \(entry.start.joined()) | \(entry.verify.joined()) |\n"
    }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appendingPathComponent("docs/operations/services.md"),
      encoding: .utf8
    )
    #expect(text.contains(table), "docs/operations/services.md needs this table:\n\(table)")
  }

  @Test("A store of another installation, an older copy and a log of another store are found")
  func otherFiles_areFound() async throws {
    let other = try await made(.killed)
    let whole = try await made(.closed)
    try put(whole)
    let database = try await open()
    try await write(10_000..<10_300, to: database)
    let killed = try files()
    await database.close()
    let newer = try files()
    func expectFound(_ files: StoreDamage.Files, _ name: String) async throws {
      try put(files)
      #expect(try await !Database.verify(path, Notes.definition).isEmpty, "verify: \(name)")
      try put(files)
      #expect(try await outcomeAtStart().0 == .found, "start: \(name)")
    }
    var files = newer
    files[""] = other[""]
    try await expectFound(files, "another store")
    files = newer
    files["-wal"] = other["-wal"]
    try await expectFound(files, "log of another store beside a closed one")
    files = killed
    files["-wal"] = other["-wal"]
    try await expectFound(files, "log of another store beside a killed one")
    files = newer
    files[""] = whole[""]
    try await expectFound(files, "older copy")
    // Also without a digest of its pages.
    var marker = try marker(in: newer)
    marker.state.pages = nil
    let scratch = folder.file("scratch")
    try marker.write(to: try StoreFileHandle.openPrivately(scratch))
    files[".lock"] = try Data(contentsOf: URL(fileURLWithPath: scratch))
    try put(files)
    #expect(try await outcomeAtStart().0 == .found)
    files[""] = other[""]
    try put(files)
    #expect(try await outcomeAtStart().0 == .found)
  }

  @Test("A marker that lost power before the disk had its newest state is no damage")
  func olderMarker_isAccepted() async throws {
    var configuration = Notes.configuration(folder)
    configuration.checkpointByteCount = 64 << 10
    let database = try await Database.open(configuration, migrations: Notes.migrations)
    var markers = [StoreMarker()]
    for end in stride(from: 0, to: Self.count, by: 40) {
      try await write(end..<end + 40, to: database)
      markers.append(try marker(in: try files()))
    }
    let killed = try files()
    await database.close()
    let runs = Set(
      markers.compactMap { marker in
        if case .atLeast(let salts, _) = marker.state.log { salts } else { nil }
      }
    )
    #expect(runs.count > 3, "the log never started again")
    for var older in markers.dropFirst() {
      // What was said of the pages was taken back, and that was confirmed, before they were moved.
      older.state.pages = nil
      let scratch = folder.file("scratch")
      try older.write(to: try StoreFileHandle.openPrivately(scratch))
      var files = killed
      files[".lock"] = try Data(contentsOf: URL(fileURLWithPath: scratch))
      try put(files)
      #expect(try await Database.verify(path, Notes.definition) == [], "\(older.state)")
      try put(files)
      #expect(try await outcomeAtStart() == (.harmless, ""), "\(older.state)")
    }
  }

  @Test("A folder in the place of the file, and a link to nothing, are no new stores")
  func open_inThePlaceOfOthers_isRefused() async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(try await outcomeAtStart().0 == .found)
    #expect(try await !Database.verify(path, Notes.definition).isEmpty)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path,
      withDestinationPath: folder.file("elsewhere.db")
    )
    #expect(try await outcomeAtStart().0 == .found)
  }

  @Test("What another program changed is found, and can be accepted")
  func changedSchema_isFound() async throws {
    let whole = try await made(.closed)
    for sql in [
      "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END",
      "DROP INDEX event_by_time", "CREATE TABLE more (a)",
      "DELETE FROM change_log WHERE revision = 7", "UPDATE note SET text = '' WHERE id = 'note 7'",
    ] {
      try put(whole)
      do {
        let connection = try SQLiteConnection(path: path, role: .writer, cacheByteCount: 1 << 20)
        connection.leaveLogAtEnd(false)
        try connection.execute(sql)
      }
      #expect(try await outcomeAtStart().0 == .found, "\(sql)")
      #expect(try await !Database.verify(path, Notes.definition).isEmpty, "\(sql)")
      try await Database.accept(path, Notes.definition)
      // A schema or a log that the program cannot work with stays an error.
      let isContent = sql.hasPrefix("UPDATE")
      let findings = try await Database.verify(path, Notes.definition)
      #expect(findings.isEmpty == isContent, "\(sql): \(findings)")
    }
  }

  @Test("A store that was set aside is whole in its new place, and the next start makes a new one")
  func setAside_keepsEverything() async throws {
    try put(try await made(.killed))
    try FileManager.default.removeItem(atPath: path)
    await #expect(throws: StoreError.missing(path: path, isEmpty: false)) { try await open() }
    try put(try await made(.killed))
    let target = try Database.setAside(path, clock: StoreClock(1_000))
    #expect(target == path + ".set-aside-1000")
    #expect(try await Database.verify(target, Notes.definition) == [])
    let new = try await open()
    #expect(try await new.noteCount() == 0)
    await new.close()
    var configuration = Notes.configuration(folder)
    configuration.path = target
    let old = try await Database.open(configuration, migrations: Notes.migrations)
    #expect(try await isWhole(old))
    await old.close()
  }

  @Test("A copy is verified with its marker, and can take the place of the store")
  func backup_isVerifiedAndRestored() async throws {
    try put(try await made(.closed))
    let database = try await open()
    let copy = folder.file("copy.db")
    try await database.backup(to: copy)
    try await write(20_000..<20_010, to: database)
    // A store that is open can be verified too.
    #expect(try await Database.verify(path, Notes.definition) == [])
    await #expect(throws: StoreError.inUse(path: path)) {
      try await Database.accept(path, Notes.definition)
    }
    await database.close()
    #expect(try await Database.verify(copy, Notes.definition) == [])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    let place = try #require(bytes.range(of: Data("text of note 0:".utf8)))
    bytes.flip(place.upperBound)
    try bytes.write(to: URL(fileURLWithPath: copy))
    #expect(try await Database.verify(copy, Notes.definition).count == 1)
    bytes.flip(place.upperBound)

    _ = try Database.setAside(path, clock: StoreClock(2_000))
    var files: StoreDamage.Files = ["": bytes]
    files[".lock"] = try Data(contentsOf: URL(fileURLWithPath: copy + ".lock"))
    try put(files)
    let restored = try await open()
    #expect(try await isWhole(restored))
    await restored.close()
    #expect(try await Database.verify(path, Notes.definition) == [])
  }

  @Test("A file larger than the limit opens without being read, and is verified all the same")
  func largeFile_isVerifiedOnly() async throws {
    var configuration = Notes.configuration(folder)
    configuration.checkByteCountMax = 64 << 10
    try put(try await made(.closed))
    let first = try await Database.open(configuration, migrations: Notes.migrations)
    await first.close()
    var files = try files()
    let place = try #require(files[""]?.range(of: Data("text of note 0:".utf8)))
    files[""]?.flip(place.upperBound)
    try put(files)
    let second = try await Database.open(configuration, migrations: Notes.migrations)
    #expect(try await !isWhole(second))
    await second.close()
    // Its structure and its end are looked at nonetheless.
    files = try self.files()
    files[""] = Data()
    try put(files)
    await #expect(throws: StoreError.missing(path: path, isEmpty: true)) {
      try await Database.open(configuration, migrations: Notes.migrations)
    }
  }
}
