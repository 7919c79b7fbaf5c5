import EntitlementContracts
import Foundation
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Purchases in no store's words")
struct PurchaseNamingTests {
  @Test("An upgrade turns the UUID that named a user into the user's identifier")
  func migration_namedUser_isTheUser() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("gatehouse-naming-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = DatabaseConfiguration(
      path: folder.appendingPathComponent("store.db").path,
      applicationID: EntitlementSchema.applicationID
    )
    let clock = ManualClock(TestTime.now)
    let old = EntitlementSchema.migrations.filter { $0.version < 13 }
    let users = [
      ServiceFixture.anna, "usr_068a7h3v3szgs39e9x862wm3jg", "usr_zzzzzzzzzzzzzzzzzzzzzzzzzw",
      "usr_00000000000000000000000000",
    ]
    let before = try await Database.open(configuration, migrations: old, clock: clock)
    for (number, user) in users.enumerated() {
      let token = try #require(AppAccountToken(userID: user)).text
      try await Self.insert("\(number)", naming: "'\(token)'", in: before)
    }
    try await Self.insert("nobody", naming: "NULL", in: before)
    await before.close()
    let after = try await Database.open(
      configuration,
      migrations: EntitlementSchema.migrations,
      clock: clock
    )
    let named = try await after.read { tx in
      try tx.query(
        "SELECT named_user_id, customer_reference FROM purchase ORDER BY original_transaction_id"
      ) { [$0.optionalText(0), $0.optionalText(1)] }
    }
    await after.close()
    #expect(named == users.map { [$0, "app_1"] } + [[nil, "app_1"]])
  }

  private static func insert(
    _ id: String,
    naming token: String,
    in database: Database
  ) async throws {
    _ = try await database.write { tx in
      try tx.execute(
        """
        INSERT INTO purchase (store, environment, original_transaction_id, id, transaction_id, product_id,
          is_renewed, is_family_shared, purchased_at, is_unshared, signed_at, app_account_token,
          app_transaction_id, payload_digest, leaf_serial, is_test, transfer_count, transfers_since)
        VALUES ('apple', 'Production', '\(id)', 'pur_\(id)', '\(id)', 'p', 0, 0, 1, 0, 1, \(token), 'app_1',
          '', '', 0, 0, 0)
        """
      )
    }
  }

  @Test("A store that is not taken here is refused by its name")
  func submit_unknownStore_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      let anna = ServiceFixture.user(ServiceFixture.anna)
      let signed = try TransactionFields.signed { _ in }
      let unknown = Refused(.invalidArgument, "STORE_UNKNOWN")
      let submitted = await Refused.by {
        _ = try await fixture.purchases.submitTransaction(
          .init(signedTransaction: signed, store: "play"),
          options: anna
        )
      }
      #expect(submitted == unknown)
      let restored = await Refused.by {
        _ = try await fixture.purchases.restore(
          .init(signedTransactions: [signed], store: "Apple"),
          options: anna
        )
      }
      #expect(restored == unknown)
      let answer = try await fixture.purchases.submitTransaction(
        .init(signedTransaction: signed, store: "apple"),
        options: anna
      )
      #expect(answer.result == .applied && answer.purchase?.store == "apple")
    }
  }

  @Test("Validating a receipt answers with the user, unless AuthService is silent")
  func validate_answersWithUser() async throws {
    let accounts = KnownAccounts()
    try await ServiceFixture.run(accounts: accounts) { fixture in
      func validate() async throws -> Auth_V1.User? {
        try await fixture.purchases.validateReceipt(
          .init(
            receiptData: try TransactionFields.signed { _ in },
            productId: TransactionFields.product
          ),
          options: ServiceFixture.user(ServiceFixture.anna)
        ).user
      }
      let user = try await validate()
      #expect(user?.id == ServiceFixture.anna)
      accounts.isDown = true
      let silent = try await validate()
      #expect(silent == nil)
    }
  }

  @Test("Purchases and the history of points name people; a deleted one is a deleted user")
  func lists_namePeople() async throws {
    let accounts = KnownAccounts()
    try await PointsFamily.run { family in
      try await family.earn("math", minutes: 1)
      let history = try await family.fixture.points.history(
        .init(holderId: family.holder),
        options: PointsFamily.parent
      )
      #expect(history.entries.first?.actorName == KnownAccounts.name(of: ServiceFixture.bert))
    }
    try await ServiceFixture.run(accounts: accounts) { fixture in
      try await fixture.submit(ServiceFixture.anna)
      func buyer() async throws -> String? {
        try await fixture.purchases.list(
          .init(),
          options: ServiceFixture.user(ServiceFixture.anna)
        ).purchases.first?.buyerName
      }
      #expect(try await buyer() == KnownAccounts.name(of: ServiceFixture.anna))
      accounts.remove(ServiceFixture.anna)
      fixture.clock.advance(299_999)
      #expect(try await buyer() == KnownAccounts.name(of: ServiceFixture.anna))
      fixture.clock.advance(1)
      #expect(try await buyer() == "deleted user")
      accounts.isDown = true
      fixture.clock.advance(300_000)
      #expect(try await buyer() == "")
    }
  }
}
