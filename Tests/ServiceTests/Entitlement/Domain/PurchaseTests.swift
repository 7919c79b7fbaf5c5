import EntitlementService
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting

@Suite("The state of a purchase")
struct PurchaseTests {
  private let verifier: SignedDataVerifier
  private let now = TestTime.now

  init() throws {
    verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID),
      anchors: [.test(der: try TestAuthority.shared.get().root.der)],
      clock: ManualClock(TestTime.now)
    )
  }

  private func purchase(
    _ change: (inout TransactionFields) -> Void = { _ in }
  ) throws -> Purchase {
    try Purchase(try verifier.transaction(try TransactionFields.signed(change), in: .production))
  }

  @Test("A transaction signed before a refund does not undo it, one signed after it does")
  func updated_refund_needsNewerSignature() throws {
    let bought = try purchase { $0.set("signedDate", now - 300) }
    let refunded = try purchase {
      $0.set("signedDate", now - 200)
      $0.set("revocationDate", now - 210)
    }
    let after = try #require(bought.updated(by: refunded))
    #expect(after.state(at: now) == .refunded)
    #expect(after.updated(by: bought) == nil)
    #expect(after.updated(by: refunded) == nil)
    let replay = try purchase {
      $0.set("signedDate", now - 250)
      $0["transactionId"] = "2000000077"
    }
    #expect(after.updated(by: replay) == nil)
    let reversed = try purchase { $0.set("signedDate", now - 100) }
    #expect(after.updated(by: reversed)?.state(at: now) == .active)
  }

  @Test("Of two signed at the same time the one that takes away holds, in either order")
  func updated_sameSignature_prefersRefund() throws {
    let bought = try purchase()
    let refunded = try purchase { $0.set("revocationDate", now - 210) }
    #expect(bought.updated(by: refunded)?.state(at: now) == .refunded)
    #expect(refunded.updated(by: bought) == nil)
  }

  @Test("An old period that is signed anew does not replace the current one")
  func updated_oldPeriod_isHistory() throws {
    func period(_ number: Int64, signed: Int64, revoked: Int64? = nil) throws -> Purchase {
      try purchase {
        $0["type"] = "Auto-Renewable Subscription"
        $0["transactionId"] = .string("\(3_000_000_000 + number)")
        $0.set("purchaseDate", now + number * TestTime.day)
        $0.set("expiresDate", now + (number + 1) * TestTime.day)
        $0.set("signedDate", signed)
        $0.set("revocationDate", revoked)
      }
    }
    let second = try period(1, signed: now - 100)
    #expect(second.updated(by: try period(0, signed: now - 50)) == nil)
    #expect(second.updated(by: try period(0, signed: now - 50, revoked: now)) == nil)
    let third = try #require(second.updated(by: try period(2, signed: now - 200)))
    #expect(third.expiresAt == now + 3 * TestTime.day)
    let refunded = try #require(third.updated(by: try period(2, signed: now, revoked: now)))
    #expect(refunded.state(at: now) == .refunded)
  }

  @Test("A purchase ends with its last day or its days of grace, that instant excluded")
  func state_expiry_isExclusive() throws {
    var purchase = try purchase { $0.set("expiresDate", now + 10) }
    #expect(purchase.state(at: now + 9) == .active)
    #expect(purchase.state(at: now + 10) == .expired)
    purchase.graceUntil = now + 20
    #expect(purchase.state(at: now + 19) == .active)
    #expect(purchase.state(at: now + 20) == .expired)
    purchase.graceUntil = now
    #expect(purchase.state(at: now + 9) == .active)
  }

  @Test("The end of family sharing is a revocation and not a refund")
  func state_unshared_isRevoked() throws {
    let shared = try purchase {
      $0["inAppOwnershipType"] = "FAMILY_SHARED"
      $0.set("revocationDate", now)
    }
    #expect(shared.state(at: now) == .revoked)
    #expect(shared.isFamilyShared)
  }

  @Test(
    "A transaction that does not say what was bought is no purchase",
    arguments: [
      "transactionId", "productId", "signedDate",
    ]
  )
  func init_incomplete_isRefused(field: String) throws {
    let text = try TransactionFields.signed { $0[field] = nil }
    let verified = try verifier.transaction(text, in: .production)
    #expect(throws: EntitlementError.transactionIncomplete) { try Purchase(verified) }
  }
}
