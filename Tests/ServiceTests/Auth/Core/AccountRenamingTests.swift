import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceTesting

@Suite("The table of accounts", .disabled(if: TestServer.isUsed, "opens older files"))
struct AccountRenamingTests {
  @Test("Accounts of a store of each older version are in it", arguments: 2...25)
  func upgrade_keepsAccounts(version: Int) async throws {
    let folder = try StoreFolder()
    let configuration = DatabaseConfiguration(
      path: "\(folder.path)/auth.db",
      applicationID: AuthSchema.applicationID
    )
    let clock = ManualClock()
    let before = try await Database.open(
      configuration,
      migrations: Array(AuthSchema.migrations.prefix(version)),
      clock: clock
    )
    _ = try await before.write { tx in
      try tx.execute(
        """
        INSERT INTO user (id, email, email_key, email_verified, display_name, first_name, last_name,
          created_at, updated_at)
        VALUES ('usr_a', 'a@example.com', 'a@example.com', 1, 'Ada', '', '', 5, 6)
        """
      )
      try tx.execute(
        "INSERT INTO credential (user_id, password, changed_at) VALUES ('usr_a', 'record', 5)"
      )
    }
    await before.close()
    let after = try await Database.open(
      configuration,
      migrations: AuthSchema.migrations,
      clock: clock
    )
    let (userID, password, orphans) = try await after.read { tx in
      let found = try UserTable.findForSignIn(EmailAddress("a@example.com"), in: tx)
      let orphans = try tx.query("SELECT \"table\" FROM pragma_foreign_key_check") { $0.text(0) }
      return (found?.user.id, found?.password, orphans)
    }
    #expect(userID == "usr_a")
    #expect(password == "record")
    #expect(orphans == [])
    await #expect(throws: StoreError.self) {
      _ = try await after.write { tx in try tx.execute("DELETE FROM account") }
    }
    await after.close()
  }
}
