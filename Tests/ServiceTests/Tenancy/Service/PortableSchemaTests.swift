import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Columns in the place of row numbers", .disabled(if: TestServer.isUsed))
struct PortableSchemaTests {
  @Test("An upgrade keeps the rows and their order")
  func upgrade_keepsOrder() async throws {
    let folder = try TestFolder()
    let configuration = DatabaseConfiguration(
      path: folder.path("tenancy.db"),
      applicationID: TenancySchema.applicationID
    )
    let clock = ManualClock()
    let before = try await Database.open(
      configuration,
      migrations: TenancySchema.migrations.filter { $0.version < 23 },
      clock: clock
    )
    _ = try await before.write { tx in
      for name in ["z", "b", "m"] {
        try tx.execute("INSERT INTO past_suspension VALUES (?, 1, 2)", .text(name))
        try tx.execute("INSERT INTO past_link VALUES ('serves', ?, 'sys_root', 1, 2)", .text(name))
        try tx.execute(
          """
          INSERT INTO pairing_code VALUES (?, ?, 'sys_root', NULL, 'usr_a', 'pwd', 1, 2, 0)
          """,
          .text(name),
          .blob([])
        )
      }
    }
    await before.close()
    let after = try await Database.open(
      configuration,
      migrations: TenancySchema.migrations,
      clock: clock
    )
    let names = try await after.read { tx in
      try [
        "user_id FROM past_suspension ORDER BY sequence",
        "from_id FROM past_link ORDER BY sequence",
        "selector FROM pairing_code ORDER BY added",
      ].map { try tx.query("SELECT \($0)") { $0.text(0) } }
    }
    #expect(names == [["z", "b", "m"], ["z", "b", "m"], ["z", "b", "m"]])
    let keyless = try await after.read { tx in
      let columns = try tx.storeColumns()
      let keyed = Set(columns.filter { $0.keyPlace > 0 }.map(\.table))
      return Set(columns.filter { $0.kind == .text || $0.kind == .blob }.map(\.table))
        .subtracting(keyed)
    }
    #expect(keyless == ["store_identity"])
    await after.close()
  }
}
