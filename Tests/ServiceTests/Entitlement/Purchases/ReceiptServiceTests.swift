import PeerContracts
import EntitlementContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Receipts that devices hand in")
struct ReceiptServiceTests {
  private static let anna = ServiceFixture.anna
  private static let product = TransactionFields.product

  private static func run(_ body: (ServiceFixture) async throws -> Void) async throws {
    let root = try TestAuthority.shared.get().root.der
    try await ServiceFixture.run(
      configure: { $0.purchases.apple.receiptAnchors = [.test(der: root, isStrict: true)] },
      body
    )
  }

  @discardableResult
  private static func validate(
    _ fixture: ServiceFixture,
    _ data: String,
    product: String = product,
    key: String = "",
    by user: String = anna
  ) async throws -> Entitlement_V1.ValidateReceiptResponse {
    try await fixture.purchases.validateReceipt(
      .init(receiptData: data, productId: product, idempotencyKey: key),
      options: ServiceFixture.user(user)
    )
  }

  @Test("A legacy receipt unlocks what it proves, and again changes nothing")
  func validate_legacy_unlocks() async throws {
    try await Self.run { fixture in
      #expect(try await !fixture.pack(Self.anna).allowed)
      let receipt = try TestReceipt().text()
      let answer = try await Self.validate(fixture, receipt, key: "k")
      #expect(answer.format == .legacy && answer.result == .applied && answer.version == 1)
      #expect(answer.purchases.map(\.productId) == [Self.product])
      #expect(answer.purchases.first?.state == .active && answer.message == "Feature enabled")
      #expect(try await fixture.pack(Self.anna).allowed)
      #expect(try await Self.validate(fixture, receipt, key: "k") == answer)
      let again = try await Self.validate(fixture, receipt)
      #expect(again.result == .unchanged && again.version == 1)
    }
  }

  @Test("The profile in the answer has what was bought, whatever AuthService has heard of it")
  func validate_profile_isNotOlder() async throws {
    try await Self.run { fixture in
      // This AuthService knows of no plan.
      let user = try #require(try await Self.validate(fixture, try TestReceipt().text()).user)
      #expect(user.id == Self.anna && user.hasCompliancePack)
      #expect(user.plans.map(\.subject?.id) == [Self.anna] && user.plan == user.planDetails?.tier)
    }
  }

  @Test("A signed transaction is told from a legacy receipt, and is the same purchase")
  func validate_transaction_isToldApart() async throws {
    try await Self.run { fixture in
      let signed = try TransactionFields.signed { $0["transactionId"] = "1000000001" }
      let legacy = try TestReceipt.text { $0.items[0].originalTransactionID = "2000000001" }
      let first = try await Self.validate(fixture, signed)
      #expect(first.format == .transaction && first.result == .applied)
      let second = try await Self.validate(fixture, legacy)
      #expect(second.format == .legacy && second.purchases.map(\.id) == first.purchases.map(\.id))
      let listed = try await fixture.purchases.list(
        .init(),
        options: ServiceFixture.user(Self.anna)
      )
      #expect(listed.purchases.count == 1)
    }
  }

  @Test("A receipt from before a refund does not bring the purchase back")
  func validate_afterRefund_changesNothing() async throws {
    try await Self.run { fixture in
      let early = try TestReceipt.text { $0.createdAt = TestTime.now - TestTime.hour }
      try await Self.validate(fixture, early)
      let cancelled = try TestReceipt.text { $0.items[0].cancelledAt = TestTime.now }
      let refunded = try await Self.validate(fixture, cancelled)
      #expect(refunded.purchases.first?.state == .refunded)
      #expect(try await Self.validate(fixture, early).result == .unchanged)
      #expect(try await fixture.pack(Self.anna).reason == .refunded)
    }
  }

  @Test("The purchase belongs to who handed it in first; others are refused")
  func validate_byAnother_isRefused() async throws {
    try await Self.run { fixture in
      let receipt = try TestReceipt().text()
      try await Self.validate(fixture, receipt)
      let refused = await refusal {
        try await Self.validate(fixture, receipt, by: ServiceFixture.bert)
      }
      #expect(refused.code == .failedPrecondition && refused.reason == "ALREADY_CLAIMED")
      // One of two purchases of the product is somebody else's: the other one counts.
      let both = try TestReceipt.text {
        $0.items.append(.init(transactionID: "1000000009"))
      }
      let answer = try await Self.validate(fixture, both, by: ServiceFixture.bert)
      #expect(answer.purchases.map(\.originalTransactionId) == ["1000000009"])
    }
  }

  @Test("A sandbox receipt is genuine and unlocks nothing in production")
  func validate_sandbox_isDistinct() async throws {
    try await Self.run { fixture in
      let receipt = try TestReceipt.text { $0.environment = "ProductionSandbox" }
      let answer = try await Self.validate(fixture, receipt)
      #expect(answer.result == .sandbox && answer.purchases.first?.environment == .sandbox)
      #expect(try await fixture.pack(Self.anna).reason == .environmentMismatch)
    }
  }

  @Test("Each thing that can be wrong has its reason, and nothing remains of it")
  func validate_bad_isRefusedWithItsReason() async throws {
    try await Self.run { fixture in
      let good = try TestReceipt().text()
      let cases: [(String, String)] = [
        (String(good.dropLast(400)), "MALFORMED"), (good + "AAAA", "MALFORMED"),
        ("not base 64", "MALFORMED"), ("a.b.c", "MALFORMED"), ("....", "MALFORMED"),
        (try TestReceipt.text { $0.bundleID = "com.other" }, "WRONG_APPLICATION"),
        (try TestReceipt.text { $0.environment = "Xcode" }, "WRONG_ENVIRONMENT"),
        (
          try TestReceipt.text { $0.others = Array(repeating: DER.field(17, []), count: 100_000) },
          "TOO_MANY_PURCHASES"
        ),
        (String(repeating: "A", count: 2_799_996), "TOO_LARGE"),
      ]
      for (data, reason) in cases {
        let refused = await refusal { try await Self.validate(fixture, data) }
        #expect(refused.code == .invalidArgument && refused.reason == reason)
      }
      let other = await refusal { try await Self.validate(fixture, good, product: "com.other") }
      #expect(other.code == .failedPrecondition && other.reason == "PRODUCT_NOT_IN_RECEIPT")
      let signed = await refusal {
        try await Self.validate(fixture, try TransactionFields.signed(), product: "com.other")
      }
      #expect(signed.reason == "PRODUCT_NOT_IN_RECEIPT")
      #expect(try await fixture.pack(Self.anna).version == 0)
    }
  }

  @Test("Where no root for receipts is configured they are refused, and transactions are not")
  func validate_withoutRoot_isRefused() async throws {
    try await ServiceFixture.run { fixture in
      let refused = await refusal { try await Self.validate(fixture, try TestReceipt().text()) }
      #expect(refused.code == .failedPrecondition && refused.reason == "RECEIPT_ROOT_MISSING")
      let answer = try await Self.validate(fixture, try TransactionFields.signed())
      #expect(answer.result == .applied)
    }
  }
}
