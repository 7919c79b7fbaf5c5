import EntitlementContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService

@Suite("Sums of the points ledger")
struct PointsLedgerCheckTests {
  @Test(
    "A ledger whose sums are wrong is found by verify, and keeps the service from starting",
    arguments: [
      (
        "UPDATE points_account SET points = points + 1 WHERE name = 'balance'",
        "differs from its entries by 1"
      ),
      ("DELETE FROM points_account WHERE name = 'redeemed'", "differs from its entries by -3"),
      ("DELETE FROM points_entry WHERE number = 1", "2 of 3 entries are there"),
      ("DELETE FROM points_entry WHERE number = 3", "2 of 3 entries are there"),
      ("DELETE FROM points_holder", "3 of 0 entries are there"),
    ]
  )
  func ledger_tampered_isFound(statement: String, finding: String) async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 10)
      try await family.earn("reading", minutes: 5)
      try await family.redeem([("reading", 3)])
      #expect(try await family.findings() == [])
      try await family.fixture.service.core.database.write { tx in
        try tx.execute(statement)
      }
      let found = try await family.findings()
      #expect(found.contains { $0.contains(finding) }, "\(found)")
      let database = family.fixture.service.core.database
      let error = await #expect(throws: StoreError.self) {
        try await database.require(EntitlementProgram.store.checks)
      }
      guard case .corrupt = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test(
    "A start looks at the ledger, and a ledger in order starts",
    .disabled(if: TestServer.isUsed, "starts on a copy of the file")
  )
  func open_wrongSums_isRefused() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 10)
      var copy = family.fixture.settings
      copy.store = .file(copy.store.path + ".copy")
      try await Database.backUp(family.fixture.settings.store.path, to: copy.store.path)
      let configuration = copy
      func open() async throws {
        let service = try await EntitlementService.open(
          configuration,
          ServiceFixture.dependencies(family.fixture.clock)
        )
        await service.close()
      }
      try await open()
      let database = try await Database.open(
        DatabaseConfiguration(
          path: configuration.store.path,
          applicationID: EntitlementSchema.applicationID
        ),
        migrations: EntitlementSchema.migrations
      )
      try await database.write { tx in
        try tx.execute("UPDATE points_account SET points = 11 WHERE name = 'balance'")
      }
      await database.close()
      let error = await #expect(throws: StoreError.self) { try await open() }
      #expect("\(String(describing: error))".contains("points account balance of reading"))
    }
  }

  @Test("Entries cannot be changed, and balances below zero cannot be written, by any statement")
  func schema_refusesToForget() async throws {
    try await PointsFamily.run { family in
      try await family.earn("reading", minutes: 10)
      let database = family.fixture.service.core.database
      for statement in [
        "UPDATE points_entry SET points = 100",
        "UPDATE points_account SET points = -1 WHERE name = 'balance'",
      ] {
        await #expect(throws: StoreError.self) {
          try await database.write { tx in try tx.execute(statement) }
        }
      }
      #expect(try await family.findings() == [])
    }
  }
}
