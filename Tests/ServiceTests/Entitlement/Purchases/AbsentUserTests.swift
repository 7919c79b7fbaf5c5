import EntitlementContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Purchases whose user is not there")
struct AbsentUserTests {
  private let anna = ServiceFixture.anna
  private let bert = ServiceFixture.bert
  private let now = TestTime.now

  private static let uuids = [
    // Zeros, that of another back end, and what Apple's documentation shows.
    "00000000-0000-0000-0000-000000000000", "7e3fb20b-4cdb-47cc-936d-99d65f608138",
    "3b1f5ffe-7c1d-4d5c-9b9c-0e9c6e9a0d37",
  ]

  private func token(of user: String) throws -> String {
    try #require(AppAccountToken(userID: user)).text
  }

  private func erase(_ user: String, _ fixture: ServiceFixture) async throws {
    let holders = Entitlement_V1.HoldersClient(fixture.channel)
    let pseudonym = Pseudonym.of(user, key: HMACKey([UInt8](repeating: 3, count: 32)))
    var cursor = ""
    while true {
      let answer = try await holders.eraseUser(
        .init(userId: user, pseudonym: pseudonym, cursor: cursor),
        options: CallOptions(metadata: ["test-service": "auth"])
      )
      if answer.finished { return }
      cursor = answer.cursor
    }
  }

  private func isAnywhere(_ text: String, _ fixture: ServiceFixture) -> Bool {
    ["", "-wal"].contains { end in
      let bytes = FileManager.default.contents(atPath: fixture.settings.store.path + end)
      return bytes?.range(of: Data(text.utf8)) != nil
    }
  }

  private func subscription(_ fields: inout TransactionFields, _ token: String, signed: Int64) {
    fields["type"] = "Auto-Renewable Subscription"
    fields["appAccountToken"] = .string(token)
    fields.set("expiresDate", now + TestTime.day)
    fields.set("signedDate", signed)
  }

  // MARK: Notifications

  @Test(
    "What Apple says of an erased user's purchase is stored once and acknowledged, and brings nobody back",
    arguments: [
      "DID_RENEW", "EXPIRED", "SUBSCRIBED", "DID_CHANGE_RENEWAL_STATUS", "REFUND",
      "ONE_TIME_CHARGE",
    ]
  )
  func notify_ofErasedUser_isStoredOnce(type: String) async throws {
    let token = try token(of: anna)
    for isKnown in [true, false] {
      try await ServiceFixture.run { fixture in
        if isKnown { try await fixture.submit(anna) { subscription(&$0, token, signed: now - 10) } }
        try await erase(anna, fixture)
        let first = try await fixture.notify(type, uuid: "n-1") {
          subscription(&$0, token, signed: now + 10)
          if type == "REFUND" { $0.set("revocationDate", now) }
        }
        #expect(first.applied && !first.duplicate)
        let again = try await fixture.notify(type, uuid: "n-1") {
          subscription(&$0, token, signed: now + 10)
        }
        #expect(again.duplicate && !again.applied)
        #expect(!isAnywhere(token, fixture) && !isAnywhere(anna, fixture))
        #expect(try await !fixture.pack(anna).allowed)
      }
    }
  }

  @Test("A notification names nobody: it is stored, and the first who hands the purchase in has it")
  func notify_ofNobody_bindsNobody() async throws {
    for uuid in Self.uuids {
      try await ServiceFixture.run { fixture in
        let stored = try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1") {
          $0["appAccountToken"] = .string(uuid)
        }
        #expect(stored.applied)
        let holders = try await fixture.service.core.database.read { tx in
          try tx.query("SELECT subject_id FROM purchase_binding") { $0.text(0) }
        }
        #expect(holders.isEmpty)
        let taken = try await fixture.submit(bert) { $0["appAccountToken"] = .string(uuid) }
        #expect(taken.result == .applied)
        #expect(try await fixture.pack(bert).allowed)
        let refused = await refusal {
          try await fixture.submit(anna) { $0["appAccountToken"] = .string(uuid) }
        }
        #expect(refused.reason == "ALREADY_CLAIMED")
      }
    }
  }

  @Test("While AuthService cannot be asked, Apple is answered, and a claim on another's name waits")
  func authService_isDown() async throws {
    let accounts = KnownAccounts()
    try await ServiceFixture.run(accounts: accounts) { fixture in
      let name = Self.uuids[1]
      accounts.isDown = true
      func named(_ fields: inout TransactionFields) { fields["appAccountToken"] = .string(name) }
      #expect(try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1") { named(&$0) }.applied)
      let waits = await refusal { try await fixture.submit(bert) { named(&$0) } }
      #expect(waits.code == .unavailable && waits.reason == "AUTH_UNAVAILABLE")
      // A user's own name needs no other service, and neither does none.
      let token = try token(of: anna)
      try await fixture.submit(anna) { fields in
        fields["transactionId"] = "20003"
        fields["originalTransactionId"] = "20003"
        fields["appAccountToken"] = .string(token)
      }
      #expect(try await fixture.pack(anna).allowed)
      accounts.isDown = false
      #expect(try await fixture.submit(bert) { named(&$0) }.result == .applied)
      #expect(try await fixture.pack(bert).allowed)
    }
  }

  // MARK: Claims

  @Test("The new account of an erased user gets what the old one bought, once")
  func claim_ofErasedUsersPurchase_isTaken() async throws {
    let token = try token(of: anna)
    for isNotified in [true, false] {
      try await ServiceFixture.run { fixture in
        try await fixture.submit(anna) { $0["appAccountToken"] = .string(token) }
        try await erase(anna, fixture)
        if isNotified {
          try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1") {
            $0["appAccountToken"] = .string(token)
          }
        }
        // The device gets it signed anew, with the old name.
        let text = try TransactionFields.signed { fields in
          fields["appAccountToken"] = .string(token)
          fields.set("signedDate", now + 10)
        }
        let restored = try await fixture.restore(bert, [text, text])
        #expect(restored.transactions.map(\.result) == [.applied, .unchanged])
        #expect(try await fixture.pack(bert).allowed)
        #expect(!isAnywhere(token, fixture))
        // It is that account's now, as any other that names nobody.
        let refused = await refusal {
          try await fixture.submit("usr_other") { $0["appAccountToken"] = .string(token) }
        }
        #expect(refused.reason == "ALREADY_CLAIMED")
      }
    }
  }

  @Test("A running subscription goes on for the new account with the next renewal")
  func claim_ofRunningSubscription_isRenewed() async throws {
    let token = try token(of: anna)
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna) { subscription(&$0, token, signed: now - 10) }
      try await erase(anna, fixture)
      let taken = try await fixture.submit(bert) { subscription(&$0, token, signed: now + 5) }
      #expect(taken.result == .applied && taken.purchase?.state == .active)
      let renewed = try await fixture.notify("DID_RENEW", uuid: "n-1") { fields in
        subscription(&fields, token, signed: now + 10)
        fields["transactionId"] = "2000000002"
        fields.set("purchaseDate", now)
        fields.set("expiresDate", now + 2 * TestTime.day)
      }
      #expect(renewed.applied)
      let check = try await fixture.pack(bert)
      #expect(check.allowed && check.version == 2)
    }
  }

  @Test("What is used up is given once, whatever becomes of the account, and never goes over")
  func claim_ofConsumable_isOnce() async throws {
    for policy in RestorePolicy.allCases {
      try await ServiceFixture.run {
        $0.purchases.restorePolicy = policy
      } _: { fixture in
        func consumable(_ fields: inout TransactionFields) { fields["type"] = "Consumable" }
        #expect(try await fixture.submit(anna) { consumable(&$0) }.result == .applied)
        #expect(try await fixture.submit(anna) { consumable(&$0) }.result == .unchanged)
        let text = try TransactionFields.signed { consumable(&$0) }
        #expect(try await fixture.restore(bert, [text]).transactions[0].result == .alreadyClaimed)
        try await erase(anna, fixture)
        let refused = await #expect(throws: RPCError.self) {
          try await fixture.submit(bert) { consumable(&$0) }
        }
        #expect(refused?.reason == "ALREADY_CLAIMED")
        // There is no other user any more.
        #expect(refused?.message.contains("another user") == false)
        #expect(try await fixture.restore(bert, [text]).transactions[0].result == .alreadyClaimed)
      }
    }
  }

  @Test("What somebody holds counts as given, and what nobody holds does not")
  func granted_followsHolders() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1") { fields in
        fields["transactionId"] = "20002"
        fields["originalTransactionId"] = "20002"
      }
      let granted = try await fixture.service.core.database.read { tx in
        try tx.query("SELECT is_granted FROM purchase ORDER BY original_transaction_id") {
          $0.boolean(0)
        }
      }
      #expect(granted == [true, false])
    }
  }

  @Test("Text that is no UUID names nobody", arguments: ["", " ", "anna", "{}"])
  func token_thatIsNone_isAbsent(text: String) async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna) { $0["appAccountToken"] = .string(text) }
      #expect(try await fixture.pack(anna).allowed)
      let signed = try TransactionFields.signed { $0["appAccountToken"] = .string(text) }
      #expect(try await fixture.restore(bert, [signed]).transactions[0].result == .applied)
    }
  }

  @Test("A purchase that was bound to nobody by an older version is free, and one of a user is not")
  func claim_ofStoredName_isAskedFor() async throws {
    let accounts = KnownAccounts()
    try await ServiceFixture.run(accounts: accounts) { fixture in
      let token = try token(of: anna)
      try await fixture.submit(anna) { $0["appAccountToken"] = .string(token) }
      // The data of the claim names nobody; what is stored does.
      let text = try TransactionFields.signed()
      #expect(try await fixture.restore(bert, [text]).transactions[0].result == .alreadyClaimed)
      #expect(accounts.asked == [[anna]])
      accounts.remove(anna)
      #expect(try await fixture.restore(bert, [text]).transactions[0].result == .applied)
      #expect(try await fixture.pack(bert).allowed)
    }
  }
}
