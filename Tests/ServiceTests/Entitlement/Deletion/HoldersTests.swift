import EntitlementContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Erasing a user of plans, purchases and points")
struct HoldersTests {
  private let anna = ServiceFixture.anna
  private let bert = ServiceFixture.bert

  private func pseudonym(of user: String) -> String {
    Pseudonym.of(user, key: HMACKey([UInt8](repeating: 3, count: 32)))
  }

  /// Erases a user to the end; the cursors on the way.
  @discardableResult
  private func erase(_ user: String, _ fixture: ServiceFixture) async throws -> [String] {
    let holders = Entitlement_V1.HoldersClient(fixture.channel)
    var cursors = [""]
    while true {
      let answer = try await holders.eraseUser(
        .init(
          userId: user,
          pseudonym: pseudonym(of: user),
          cursor: cursors[cursors.count - 1]
        ),
        options: CallOptions(metadata: ["test-service": "auth"])
      )
      if answer.finished { return cursors }
      cursors.append(answer.cursor)
    }
  }

  /// Whether a file of the store has a text in it.
  private func isAnywhere(_ text: String, _ fixture: ServiceFixture) -> Bool {
    ["", "-wal"].contains { end in
      let bytes = FileManager.default.contents(atPath: fixture.settings.store.path + end)
      return bytes?.range(of: Data(text.utf8)) != nil
    }
  }

  @Test("Plan, purchases and what was used go, for this user alone")
  func erase_withPlanAndPurchases_leavesNothing() async throws {
    try await ServiceFixture.run { fixture in
      for user in [anna, bert] {
        try await fixture.submit(user, key: "k") { fields in
          let number = user == anna ? "20001" : "20002"
          fields["originalTransactionId"] = .string(number)
          fields["transactionId"] = .string(number)
        }
        _ = try await fixture.subscriptions.put(
          .init(subscription: .init(subject: .init(kind: .user, id: user), tier: "standard")),
          options: ServiceFixture.service
        )
      }
      #expect(try await fixture.pack(anna).allowed)
      #expect(TestServer.isUsed || isAnywhere(anna, fixture))
      try await erase(anna, fixture)
      #expect(!isAnywhere(anna, fixture))
      #expect(try await fixture.pack(bert).allowed)
      let seen = try await fixture.entitlements.get(
        .init(subject: .init(kind: .user, id: anna)),
        options: ServiceFixture.service
      )
      #expect(seen.products.isEmpty && seen.tier == "free")
      let kept = try await fixture.entitlements.get(
        .init(subject: .init(kind: .user, id: bert)),
        options: ServiceFixture.service
      )
      #expect(!kept.products.isEmpty && kept.tier == "standard")
    }
  }

  @Test("A purchase that was refunded is not worth more because its user was erased")
  func erase_withRefundedPurchase_remembersTheRefund() async throws {
    let token = try #require(AppAccountToken(userID: anna)).text
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna) { $0["appAccountToken"] = .string(token) }
      try await fixture.notify("REFUND", uuid: "refund-1") { fields in
        fields.set("signedDate", TestTime.now + 10)
        fields.set("revocationDate", TestTime.now)
      }
      #expect(try await !fixture.pack(anna).allowed)
      try await erase(anna, fixture)
      // Apple's word for the user is gone, the refund is not.
      #expect(!isAnywhere(token, fixture))
      #expect(try await fixture.submit(bert).purchase?.state == .refunded)
      #expect(try await !fixture.pack(bert).allowed)
      // A late notification finds what it is about, and brings nobody back.
      try await fixture.notify("REFUND", uuid: "refund-2") { fields in
        fields.set("signedDate", TestTime.now + 20)
        fields.set("revocationDate", TestTime.now)
      }
      #expect(!isAnywhere(anna, fixture))
    }
  }

  @Test("Somebody else may claim what the erased user has bought")
  func erase_withPurchase_letsItGo() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      try await erase(anna, fixture)
      #expect(try await fixture.submit(bert).result == .applied)
      #expect(try await fixture.pack(bert).allowed)
    }
  }

  @Test(
    "The ledger of a child keeps its sums and names the pseudonym; nothing else of it can change"
  )
  func erase_ofParent_keepsTheLedger() async throws {
    try await PointsFamily.run { family in
      try await family.earn("math", minutes: 10, by: PointsFamily.parent)
      try await family.earn("math", minutes: 5, by: PointsFamily.child)
      try await erase(anna, family.fixture)
      let database = family.fixture.service.core.database
      try await database.require([PointsLedgerCheck.check])
      let entries = try await database.read { tx in
        try tx.query("SELECT actor_id, points FROM points_entry ORDER BY number") {
          "\($0.text(0)) \($0.integer(1))"
        }
      }
      #expect(entries == ["\(pseudonym(of: anna)) 20", "\(bert) 10"])
      #expect(!isAnywhere(anna, family.fixture))
      await #expect(throws: StoreError.self) {
        try await database.write { tx in
          try tx.execute("UPDATE points_entry SET points = points + 1")
        }
      }
    }
  }

  @Test("What a service or the user does late is refused")
  func erased_user_getsNothing() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      try await erase(anna, fixture)
      #expect(
        await refusal { try await fixture.submit(anna) }.reason == "CREDENTIALS_INVALID"
      )
      #expect(
        await refusal {
          _ = try await fixture.subscriptions.put(
            .init(subscription: .init(subject: .init(kind: .user, id: anna), tier: "standard")),
            options: ServiceFixture.service
          )
        }.reason == "NOT_FOUND"
      )
      #expect(!isAnywhere(anna, fixture))
    }
  }

  @Test("Each part may come again, in any order")
  func erase_repeatedInAnyOrder_changesNothing() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      try await fixture.submit(bert) { fields in
        fields["originalTransactionId"] = "20002"
        fields["transactionId"] = "20002"
      }
      let cursors = try await erase(anna, fixture)
      let holders = Entitlement_V1.HoldersClient(fixture.channel)
      for cursor in cursors.reversed() + ["nonsense", ""] {
        _ = try await holders.eraseUser(
          .init(userId: anna, pseudonym: pseudonym(of: anna), cursor: cursor),
          options: CallOptions(metadata: ["test-service": "auth"])
        )
      }
      try await erase(anna, fixture)
      #expect(!isAnywhere(anna, fixture))
      #expect(try await fixture.pack(bert).allowed)
    }
  }
}
