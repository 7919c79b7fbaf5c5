import RPCKit
import ServiceKit
import Testing

@Suite("How long audit records are kept")
struct AuditPurgeTests {
  private let folder: TemporaryFolder
  private let clock = StoreClock()
  private let day: Int64 = 86_400_000

  init() throws { folder = try TemporaryFolder() }

  private func open(lifetime: Int64?) async throws -> Database {
    var configuration = Notes.configuration(folder)
    configuration.auditLifetime = lifetime
    return try await Database.open(configuration, migrations: Notes.migrations, clock: clock)
  }

  private func append(_ count: Int, to database: Database) async throws {
    try await database.write { tx in
      for _ in 0..<count {
        try tx.audit(AuditRecord(actor: "a", requestID: "r", action: "note.put", object: "n"))
      }
    }
  }

  private func log(of database: Database) async throws -> [String] {
    try await database.read { tx in
      try tx.query("SELECT action, detail FROM audit_log ORDER BY sequence") {
        $0.text(1).isEmpty ? $0.text(0) : "\($0.text(0)): \($0.text(1))"
      }
    }
  }

  @Test("They are kept for ever unless somebody says otherwise")
  func records_withoutALifetime_areKept() async throws {
    let database = try await open(lifetime: nil)
    try await append(3, to: database)
    clock.advance(by: 100_000 * day)
    try await database.purgeOldRows(now: clock.now)
    #expect(try await log(of: database).count == 3)
    await database.close()
  }

  @Test("Past their time they go once a day, however many, and a record says that they went")
  func records_pastTheirLifetime_areForgottenWithARecord() async throws {
    let database = try await open(lifetime: 30 * day)
    try await append(1200, to: database)
    let bound = clock.now + day + 1
    clock.advance(by: 2 * day)
    try await append(2, to: database)
    clock.advance(by: 29 * day)
    try await database.purgeOldRows(now: clock.now)
    #expect(try await log(of: database).count == 1202)
    clock.advance(by: 1)
    try await database.purgeOldRows(now: clock.now)
    let expected = ["note.put", "note.put", "audit.purge: 1200 records written before \(bound)"]
    #expect(try await log(of: database) == expected)
    try await database.purgeOldRows(now: clock.now)
    #expect(try await log(of: database) == expected)
    await database.close()
  }
}
