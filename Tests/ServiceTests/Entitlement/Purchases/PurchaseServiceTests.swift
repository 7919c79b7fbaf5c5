import PeerContracts
import EntitlementContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Purchases")
struct PurchaseServiceTests {
  private let anna = ServiceFixture.anna
  private let bert = ServiceFixture.bert
  private let now = TestTime.now

  @Test("What is bought is there with the next question, and a repetition changes nothing")
  func submit_genuine_unlocksAtOnce() async throws {
    try await ServiceFixture.run { fixture in
      #expect(try await fixture.pack(anna).reason == .notPurchased)
      let first = try await fixture.submit(anna)
      #expect(first.result == .applied)
      #expect(first.purchase?.state == .active)
      #expect(first.version == 1)
      let check = try await fixture.pack(anna)
      #expect(check.allowed && check.source == .purchase && check.version == 1)
      let again = try await fixture.submit(anna)
      #expect(again.result == .unchanged)
      #expect(again.version == 1)
      #expect(again.purchase?.id == first.purchase?.id)
      let all = try await fixture.entitlements.get(.init(), options: ServiceFixture.user(anna))
      #expect(all.products == [TransactionFields.product])
      #expect(all.tier == "free")
      #expect(try await fixture.pack(bert).allowed == false)
    }
  }

  @Test("Forged data, foreign data and nobody are refused, each with its reason")
  func submit_unacceptable_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      let authority = try TestAuthority.shared.get()
      let forged = try SignedData(
        TransactionFields.with(),
        leaf: authority.otherLeaf,
        above: authority.otherIntermediate
      ).text()
      let cases: [(String, String)] = [
        (forged, "UNTRUSTED_CHAIN"),
        (try TransactionFields.signed { $0["bundleId"] = "x" }, "WRONG_APPLICATION"),
        (try TransactionFields.signed { $0["environment"] = "Xcode" }, "WRONG_ENVIRONMENT"),
        (try TransactionFields.signed { $0["productId"] = nil }, "TRANSACTION_INCOMPLETE"),
        ("a.b.c", "MALFORMED"),
      ]
      for (text, reason) in cases {
        let refused = await refusal {
          _ = try await fixture.purchases.submitTransaction(
            .init(signedTransaction: text),
            options: ServiceFixture.user(anna)
          )
        }
        #expect(refused.code == .invalidArgument)
        #expect(refused.reason == reason)
      }
      let nobody = await refusal {
        _ = try await fixture.purchases.submitTransaction(.init(signedTransaction: forged))
      }
      #expect(nobody.code == .unauthenticated)
      #expect(try await fixture.pack(anna).version == 0)
    }
  }

  @Test(
    "A refund ends it, older data does not bring it back, a reversal does, and so does buying again"
  )
  func notify_refundReversalRebuy_followTheSignatures() async throws {
    try await ServiceFixture.run { fixture in
      let before = try TransactionFields.signed()
      try await fixture.submit(anna)
      let refund = try await fixture.notify("REFUND", uuid: "n-1") {
        $0.set("signedDate", now + 10)
        $0.set("revocationDate", now)
      }
      #expect(refund.applied && !refund.duplicate)
      #expect(try await fixture.pack(anna).reason == .refunded)
      let replay = try await fixture.restore(anna, [before])
      #expect(replay.transactions[0].result == .unchanged)
      #expect(replay.transactions[0].purchase?.state == .refunded)
      #expect(try await fixture.pack(anna).reason == .refunded)
      try await fixture.notify("REFUND_REVERSED", uuid: "n-2") { $0.set("signedDate", now + 20) }
      #expect(try await fixture.pack(anna).allowed)
      try await fixture.notify("REFUND", uuid: "n-3") {
        $0.set("signedDate", now + 30)
        $0.set("revocationDate", now)
      }
      #expect(try await fixture.pack(anna).allowed == false)
      let rebuy = try await fixture.submit(anna) {
        $0["transactionId"] = "2000000002"
        $0["originalTransactionId"] = "2000000002"
        $0.set("signedDate", now + 40)
      }
      #expect(rebuy.result == .applied)
      #expect(try await fixture.pack(anna).allowed)
      let list = try await fixture.purchases.list(.init(), options: ServiceFixture.user(anna))
      #expect(list.purchases.count == 2)
    }
  }

  @Test("A notification that is sent again is known, and one that names nobody waits for its user")
  func notify_duplicate_isKnown() async throws {
    try await ServiceFixture.run { fixture in
      let first = try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1")
      #expect(first.applied && !first.duplicate)
      let again = try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1")
      #expect(!again.applied && again.duplicate)
      let other = try await fixture.notify("CONSUMPTION_REQUEST", uuid: "n-2")
      #expect(!other.applied && !other.duplicate)
      #expect(try await fixture.pack(anna).allowed == false)
      #expect(try await fixture.submit(anna).result == .applied)
      #expect(try await fixture.pack(anna).allowed)
    }
  }

  @Test("Types that nobody knows, tests and incomplete data are kept and acknowledged")
  func notify_unprocessable_isAcknowledged() async throws {
    try await ServiceFixture.run { fixture in
      func send(_ text: String) async throws -> Entitlement_V1.HandleNotificationResponse {
        try await fixture.purchases.handleNotification(.init(signedPayload: text))
      }
      let test = try NotificationFields.signed("TEST", uuid: "n-1")
      #expect(try await send(test).applied == false)
      #expect(try await send(test).duplicate)
      let unknown = try await fixture.notify("NEW_IN_2031", uuid: "n-2")
      #expect(unknown.applied)
      let incomplete = try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-3") {
        $0["productId"] = nil
      }
      #expect(!incomplete.applied && !incomplete.duplicate)
      let forged = await refusal { _ = try await send("a.b.c") }
      #expect(forged.code == .invalidArgument)
    }
  }

  @Test(
    "A purchase that names its user is theirs before the device says so, and nobody else's ever"
  )
  func token_namesUser_binds() async throws {
    let token = try #require(AppAccountToken(userID: anna)).text
    for policy in RestorePolicy.allCases {
      try await ServiceFixture.run {
        $0.purchases.restorePolicy = policy
      } _: { fixture in
        try await fixture.notify("ONE_TIME_CHARGE", uuid: "n-1") {
          $0["appAccountToken"] = .string(token.uppercased())
        }
        #expect(try await fixture.pack(anna).allowed)
        let refused = await refusal {
          try await fixture.submit(bert) { $0["appAccountToken"] = .string(token) }
        }
        #expect(refused.reason == "ALREADY_CLAIMED")
        let text = try TransactionFields.signed { $0["appAccountToken"] = .string(token) }
        let restored = try await fixture.restore(bert, [text])
        #expect(restored.transactions[0].result == .alreadyClaimed)
        #expect(restored.transactions[0].purchase == nil)
        #expect(try await fixture.pack(anna).allowed)
        #expect(try await fixture.pack(bert).allowed == false)
      }
    }
  }

  @Test(
    "Restoring takes a purchase over, handing it in does not, and not more than three times a day"
  )
  func restore_transfer_isLimited() async throws {
    try await ServiceFixture.run { fixture in
      let text = try TransactionFields.signed()
      try await fixture.submit(anna)
      let plain = await refusal { try await fixture.submit(bert) }
      #expect(plain.code == .failedPrecondition && plain.reason == "ALREADY_CLAIMED")
      for (user, other) in [(bert, anna), (anna, bert), (bert, anna)] {
        let restored = try await fixture.restore(user, [text])
        #expect(restored.transactions[0].result == .applied)
        #expect(try await fixture.pack(user).allowed)
        #expect(try await fixture.pack(other).allowed == false)
      }
      let late = try await fixture.restore(anna, [text])
      #expect(late.transactions[0].result == .alreadyClaimed)
      #expect(late.transactions[0].reason == "TRANSFER_LIMIT")
      #expect(try await fixture.pack(bert).allowed)
      fixture.clock.advance(TestTime.day)
      #expect(try await fixture.restore(anna, [text]).transactions[0].result == .applied)
    }
  }

  @Test("With the policy to keep nothing goes over, with the policy to share both have it")
  func restore_otherPolicies_areFollowed() async throws {
    let text = try TransactionFields.signed()
    try await ServiceFixture.run {
      $0.purchases.restorePolicy = .keep
    } _: { fixture in
      try await fixture.submit(anna)
      let kept = try await fixture.restore(bert, [text])
      #expect(kept.transactions[0].result == .alreadyClaimed)
    }
    try await ServiceFixture.run {
      $0.purchases.restorePolicy = .share
    } _: { fixture in
      try await fixture.submit(anna)
      #expect(try await fixture.restore(bert, [text]).transactions[0].result == .applied)
      #expect(try await fixture.pack(anna).allowed)
      #expect(try await fixture.pack(bert).allowed)
      for number in 0..<4 {
        #expect(
          try await fixture.restore("usr_\(number)", [text]).transactions[0].result == .applied
        )
      }
      let seventh = try await fixture.restore("usr_4", [text])
      #expect(seventh.transactions[0].result == .alreadyClaimed)
    }
  }

  @Test("One bad transaction does not keep the others from being restored")
  func restore_mixed_answersEach() async throws {
    try await ServiceFixture.run { fixture in
      let good = try TransactionFields.signed()
      let foreign = try TransactionFields.signed { $0["bundleId"] = "x" }
      let incomplete = try TransactionFields.signed { $0["productId"] = nil }
      let answer = try await fixture.restore(anna, ["a.b.c", good, foreign, incomplete, good])
      #expect(
        answer.transactions.map(\.result) == [
          .invalid, .applied, .invalid, .invalid, .unchanged,
        ]
      )
      #expect(
        answer.transactions.map(\.reason) == [
          "MALFORMED", "", "WRONG_APPLICATION", "TRANSACTION_INCOMPLETE", "",
        ]
      )
      #expect(answer.version == 1)
    }
  }

  @Test("The sandbox is answered distinctly and unlocks nothing, except for testers")
  func submit_sandbox_isDistinct() async throws {
    try await ServiceFixture.run { fixture in
      let answer = try await fixture.submit(anna) { $0["environment"] = "Sandbox" }
      #expect(answer.result == .sandbox)
      #expect(answer.purchase?.environment == .sandbox)
      let check = try await fixture.pack(anna)
      #expect(!check.allowed && check.reason == .environmentMismatch)
      // The same number in production is another purchase.
      #expect(try await fixture.submit(anna).result == .applied)
      #expect(try await fixture.pack(anna).allowed)
    }
    try await ServiceFixture.run {
      $0.purchases.apple.scope.sandboxUsers = [anna]
    } _: { fixture in
      let answer = try await fixture.submit(anna) { $0["environment"] = "Sandbox" }
      #expect(answer.result == .applied)
      #expect(try await fixture.pack(anna).allowed)
    }
    try await ServiceFixture.run {
      $0.purchases.apple.acceptsSandbox = false
    } _: { fixture in
      let refused = await refusal {
        try await fixture.submit(anna) { $0["environment"] = "Sandbox" }
      }
      #expect(refused.reason == "WRONG_ENVIRONMENT")
    }
  }

  @Test("A subscription lasts to its end and through its grace, by the clock and not by a job")
  func subscription_ofAUser_endsByItself() async throws {
    try await ServiceFixture.run { fixture in
      func period(_ fields: inout TransactionFields) {
        fields["type"] = "Auto-Renewable Subscription"
        fields.set("expiresDate", now + 10_000)
      }
      try await fixture.submit(anna) { period(&$0) }
      let check = try await fixture.pack(anna)
      #expect(check.allowed)
      #expect(check.validUntil?.milliseconds == now + 10_000)
      fixture.clock.advance(10_000)
      #expect(try await fixture.pack(anna).reason == .subscriptionExpired)
      let renewal = try SignedData([
        "originalTransactionId": "2000000001", "environment": "Production",
        "gracePeriodExpiresDate": .number(JSONNumber(now + 20_000)),
        "signedDate": .number(JSONNumber(now + 10_000)),
      ]).text()
      let grace = try await fixture.notify(
        "DID_FAIL_TO_RENEW",
        uuid: "n-1",
        renewal: renewal
      ) { period(&$0) }
      #expect(grace.applied)
      #expect(try await fixture.pack(anna).allowed)
      fixture.clock.advance(10_000)
      #expect(try await fixture.pack(anna).reason == .subscriptionExpired)
    }
  }

  @Test("A member of a family loses what is no longer shared, and only that")
  func notify_revoke_endsSharing() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna)
      func shared(_ fields: inout TransactionFields) {
        fields["transactionId"] = "3000000001"
        fields["originalTransactionId"] = "3000000001"
        fields["inAppOwnershipType"] = "FAMILY_SHARED"
      }
      let answer = try await fixture.submit(bert) { shared(&$0) }
      #expect(answer.purchase?.familyShared == true)
      try await fixture.notify("REVOKE", uuid: "n-1") {
        shared(&$0)
        $0.set("signedDate", now + 10)
        $0.set("revocationDate", now)
      }
      #expect(try await fixture.pack(bert).reason == .revoked)
      #expect(try await fixture.pack(anna).allowed)
    }
  }

  @Test("When a parent withdraws consent everything ends that this user bought")
  func notify_rescindConsent_endsAccess() async throws {
    try await ServiceFixture.run { fixture in
      try await fixture.submit(anna) { $0["appTransactionId"] = "app-1" }
      let inner = try SignedData([
        "bundleId": "com.example", "appAppleId": 1234, "receiptType": "Production",
        "appTransactionId": "app-1", "receiptCreationDate": .number(JSONNumber(now)),
      ]).text()
      let text = try SignedData([
        "notificationType": "RESCIND_CONSENT", "notificationUUID": "n-1",
        "signedDate": .number(JSONNumber(now)),
        "appData": [
          "bundleId": "com.example", "appAppleId": 1234, "environment": "Production",
          "signedAppTransactionInfo": .string(inner),
        ],
      ]).text()
      let answer = try await fixture.purchases.handleNotification(.init(signedPayload: text))
      #expect(answer.applied)
      #expect(try await fixture.pack(anna).reason == .revoked)
      try await fixture.submit(anna) {
        $0["appTransactionId"] = "app-1"
        $0.set("signedDate", now + 100)
      }
      #expect(try await fixture.pack(anna).reason == .revoked)
    }
  }

  @Test("The same key with the same request gets the same answer, with another request a refusal")
  func submit_idempotencyKey_isKept() async throws {
    try await ServiceFixture.run { fixture in
      let text = try TransactionFields.signed()
      func submit(_ text: String) async throws -> Entitlement_V1.SubmitTransactionResponse {
        try await fixture.purchases.submitTransaction(
          .init(signedTransaction: text, idempotencyKey: "k"),
          options: ServiceFixture.user(anna)
        )
      }
      let first = try await submit(text)
      #expect(first.result == .applied)
      #expect(try await submit(text) == first)
      let other = try TransactionFields.signed { $0["transactionId"] = "5" }
      let refused = await refusal { _ = try await submit(other) }
      #expect(refused.code == .alreadyExists && refused.reason == "IDEMPOTENCY_KEY_REUSED")
    }
  }

  @Test("Many who claim one purchase at once: one has it")
  func submit_concurrent_oneWins() async throws {
    try await ServiceFixture.run { fixture in
      let text = try TransactionFields.signed()
      let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<32 {
          group.addTask {
            let refused = await refusal {
              _ = try await fixture.purchases.submitTransaction(
                .init(signedTransaction: text),
                options: ServiceFixture.user("usr_\(number)")
              )
            }
            #expect(refused.reason == nil || refused.reason == "ALREADY_CLAIMED")
            return refused.reason == nil
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
    }
  }

  @Test("Pages of purchases are complete, newest first, and their tokens belong to one user")
  func list_pages_areComplete() async throws {
    try await ServiceFixture.run { fixture in
      for number in 1...5 {
        try await fixture.submit(anna) {
          $0["transactionId"] = .string("\(number)")
          $0["originalTransactionId"] = .string("\(number)")
          $0.set("purchaseDate", now + Int64(number / 2))
        }
      }
      try await ListProbe.check("-purchasedAt", "purchasedAt") { sortBy, size, page, token in
        let page = try await fixture.purchases.list(
          .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: ServiceFixture.user(anna)
        )
        return (page.purchases.map(\.originalTransactionId), page.nextPageToken)
      }
      var found: [String] = []
      var token = ""
      repeat {
        let page = try await fixture.purchases.list(
          // No size is the size as before.
          .init(pageSize: token.isEmpty ? 2 : 0, pageToken: token),
          options: ServiceFixture.user(anna)
        )
        #expect(page.purchases.count <= 2)
        found += page.purchases.map(\.originalTransactionId)
        token = page.nextPageToken
        if !token.isEmpty {
          let stolen = token
          let refused = await refusal {
            _ = try await fixture.purchases.list(
              .init(pageToken: stolen),
              options: ServiceFixture.user(bert)
            )
          }
          #expect(refused.code == .invalidArgument && refused.reason == "PAGE_TOKEN_INVALID")
          // Sealed: neither to be read nor to be made.
          let readable = Base64URL.decode(token).map { String(decoding: $0, as: UTF8.self) }
          #expect(!token.contains(anna) && readable?.contains(anna) == false)
          for forged in ["\(anna)~0~pur_1", String(token.dropLast()), token + "A"] {
            let refused = await refusal {
              _ = try await fixture.purchases.list(
                .init(pageSize: 2, pageToken: forged),
                options: ServiceFixture.user(anna)
              )
            }
            #expect(refused.reason == "PAGE_TOKEN_INVALID", "\(forged)")
          }
        }
      } while !token.isEmpty
      #expect(Set(found) == ["1", "2", "3", "4", "5"])
      #expect(found.count == 5 && found.last == "1")
    }
  }
}
