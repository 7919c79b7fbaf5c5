import RPCKit
import ServiceKit
import Testing

@Suite("The store")
struct DatabaseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("What was written is read back, and is there after the store was opened again")
  func write_thenReopen_isStillThere() async throws {
    let first = try await Notes.open(folder)
    try await first.put("a", "milk")
    #expect(try await first.note("a") == "milk")
    await first.close()
    let second = try await Notes.open(folder)
    #expect(try await second.note("a") == "milk")
    await second.close()
  }

  @Test("Of 64 writers at once the one that fails leaves nothing, and the others everything")
  func write_64AtOnceOneThrowing_undoesOnlyThatOne() async throws {
    struct Refused: Error {}
    let database = try await Notes.open(folder)
    await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<64 {
        group.addTask {
          try await database.write { tx in
            try tx.execute(
              "INSERT INTO note (id, text) VALUES (?, ?)",
              .text("note \(index)"),
              .text("x")
            )
            if index == 17 { throw Refused() }
          }
        }
      }
      var refusalCount = 0
      while let result = await group.nextResult() {
        if case .failure(let error) = result {
          #expect(error is Refused)
          refusalCount += 1
        }
      }
      #expect(refusalCount == 1)
    }
    await database.close()
    let reopened = try await Notes.open(folder)
    #expect(try await reopened.noteCount() == 63)
    #expect(try await reopened.note("note 17") == nil)
    await reopened.close()
  }

  @Test("A read sees one instant, however long it takes")
  func read_whileWriting_seesASnapshot() async throws {
    let database = try await Notes.open(folder)
    try await database.put("a", "1")
    let counts = try await database.read { tx in
      let before = try tx.first("SELECT count(*) FROM note") { $0.integer(0) }
      let written = OneShot()
      Task {
        try await database.put("b", "2")
        written.fire()
      }
      written.wait()
      return [before, try tx.first("SELECT count(*) FROM note") { $0.integer(0) }]
    }
    #expect(counts == [1, 1])
    #expect(try await database.noteCount() == 2)
    await database.close()
  }

  @Test(
    "A store that is open cannot be opened by another, and can once it was closed",
    .fileStores
  )
  func open_twice_isRefused() async throws {
    let first = try await Notes.open(folder)
    let path = first.configuration.path
    await #expect(throws: StoreError.inUse(path: path)) { try await Notes.open(folder) }
    await first.close()
    let second = try await Notes.open(folder)
    await second.close()
  }

  @Test("A closed store refuses, and does not trap")
  func calls_afterClose_areRefused() async throws {
    let database = try await Notes.open(folder)
    await database.close()
    await #expect(throws: StoreError.unavailable("the store is closed")) {
      try await database.put("a", "1")
    }
    await #expect(throws: StoreError.unavailable("the store is closed")) {
      try await database.note("a")
    }
    await database.close()
  }

  @Test(
    "Text and bytes come back as they went in, whatever they look like",
    arguments: [
      "'; DROP TABLE note; --", "\" OR 1=1", "%_\\", "a\u{0}b", "", "e\u{301}é", "\u{FEFF}x",
      "?1 :a @b $c", "x'00'", "🐎", "\r\n\t",
    ]
  )
  func values_thatLookLikeSQL_roundTrip(_ canary: String) async throws {
    let database = try await Notes.open(folder)
    guard !TestServer.isUsed || !canary.contains("\u{0}") else {
      let refusal = StoreError.unstorable("text with the character U+0000")
      await #expect(throws: refusal) { try await database.put(canary, canary) }
      return await database.close()
    }
    try await database.put(canary, canary)
    let found = try await database.read { tx in
      try tx.first("SELECT text FROM note WHERE id = ?", .text(canary)) { $0.text(0) }
    }
    #expect(found.map { Array($0.utf8) } == Array(canary.utf8))
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("A broken rule of the schema is told apart from other errors")
  func write_breakingAConstraint_saysWhich() async throws {
    let database = try await Notes.open(folder)
    try await database.put("a", "1")
    await #expect {
      try await database.put("a", "2")
    } throws: {
      guard case .constraint(.unique, _) = $0 as? StoreError else { return false }
      return true
    }
    #expect(try await database.note("a") == "1")
    await database.close()
  }

  @Test("A statement with a tail, with wrong values or with a wrong column type is an error")
  func statements_thatAreWrong_throw() async throws {
    let database = try await Notes.open(folder)
    try await database.put("a", "1")
    func isStatementError(_ error: any Error) -> Bool {
      guard case .statement = error as? StoreError else { return false }
      return true
    }
    await #expect {
      try await database.write { tx in
        try tx.execute("DELETE FROM note; DROP TABLE note")
      }
    } throws: { isStatementError($0) }
    await #expect {
      try await database.read { tx in try tx.first("SELECT 1 WHERE 1 = ?") { _ in } }
    } throws: { isStatementError($0) }
    await #expect {
      try await database.read { tx in try tx.query("SELECT id FROM note") { $0.integer(0) } }
    } throws: { isStatementError($0) }
    await #expect {
      try await database.read { tx in try tx.query("SELECT NULL") { $0.text(0) } }
    } throws: { isStatementError($0) }
    #expect(try await database.noteCount() == 1)
    await database.close()
  }

  @Test("A read cannot write")
  func read_thatWrites_isRefused() async throws {
    let database = try await Notes.open(folder)
    await #expect(throws: StoreError.self) {
      try await database.read { tx in
        try tx.query("INSERT INTO note (id, text) VALUES ('a', 'b') RETURNING id") { $0.text(0) }
      }
    }
    #expect(try await database.noteCount() == 0)
    await database.close()
  }

  @Test("A row that a statement returns as it inserts it is there, though only the first was read")
  func write_returningFirst_keepsTheRow() async throws {
    let database = try await Notes.open(folder)
    let id = try await database.write { tx in
      try tx.first("INSERT INTO note (id, text) VALUES ('a', 'b'), ('c', 'd') RETURNING id") {
        $0.text(0)
      }
    }
    #expect(id == "a")
    #expect(try await database.noteCount() == 2)
    await database.close()
  }
}
