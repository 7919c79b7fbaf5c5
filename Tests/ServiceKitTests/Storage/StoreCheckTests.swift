import RPCKit
import ServiceKit
import Testing

@Suite("What a service promises about its rows", .fileStores)
struct StoreCheckTests {
  private struct Unexpected: Error {}

  /// Notes that must not say "bad"; one that says "broken" cannot even be checked.
  private static let definition = StoreDefinition(
    applicationID: Notes.applicationID,
    migrations: Notes.migrations,
    checks: [
      StoreCheck("good notes") { tx in
        if try tx.exists("SELECT 1 FROM note WHERE text = 'broken'") { throw Unexpected() }
        return try tx.query("SELECT id FROM note WHERE text = 'bad' ORDER BY id") {
          "note \($0.text(0)) is bad"
        }
      }
    ]
  )

  @Test("Verify and the start find what is wrong, and say that they looked when nothing is")
  func rows_wrong_areFound() async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder)
    let path = folder.file("notes.db")
    let lines = Lock<[String]>([])
    try await database.put("a", "milk")
    let clean = try await Database.verify(path, Self.definition) { line in
      lines.withLock { $0.append(line) }
    }
    #expect(clean == [])
    #expect(lines.withLock { $0.contains("good notes: no damage found") })
    try await database.require(Self.definition.checks)

    try await database.put("b", "bad")
    try await database.put("c", "bad")
    let found = try await Database.verify(path, Self.definition)
    #expect(found.count == 2)
    #expect(found.first?.hasSuffix("note b is bad") == true)
    let error = await #expect(throws: StoreError.self) {
      try await database.require(Self.definition.checks)
    }
    guard case .corrupt(_, let detail) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail == "note b is bad")
    await database.close()
  }

  @Test("A check that fails by itself is a finding, not the end of verify")
  func check_failing_isAFinding() async throws {
    let folder = try TemporaryFolder()
    let database = try await Notes.open(folder)
    try await database.put("a", "broken")
    let found = try await Database.verify(folder.file("notes.db"), Self.definition)
    #expect(found.count == 1)
    #expect(found.first?.contains("the good notes cannot be checked") == true)
    await database.close()
  }
}
