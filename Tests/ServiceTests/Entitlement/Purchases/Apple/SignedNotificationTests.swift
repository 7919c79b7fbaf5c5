import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Notifications of the App Store")
struct SignedNotificationTests {
  private let authority: TestAuthority
  private let verifier: SignedDataVerifier

  init() throws {
    authority = try TestAuthority.shared.get()
    verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID, appleID: 1234),
      anchors: [.test(der: authority.root.der, isStrict: true)],
      clock: ManualClock(TestTime.now)
    )
  }

  @Test("A refund is read together with the transaction inside")
  func notification_refund_isRead() throws {
    let inner = try TransactionFields.signed { $0.set("revocationDate", TestTime.now) }
    let text = try NotificationFields.signed("REFUND", transaction: inner)
    let notification = try verifier.notification(text, in: .production).payload
    #expect(notification.type == "REFUND")
    #expect(notification.transaction?.payload.revocationDate == TestTime.now)
  }

  @Test("The signature around a transaction does not speak for the one inside")
  func notification_forgedInside_isRefused() throws {
    let forged = try SignedData(
      TransactionFields.with(),
      leaf: authority.otherLeaf,
      above: authority.otherIntermediate
    ).text()
    let text = try NotificationFields.signed("ONE_TIME_CHARGE", transaction: forged)
    #expect(throws: AppleVerificationError.invalid(.untrustedChain)) {
      try verifier.notification(text, in: .production)
    }
    let foreign = try TransactionFields.signed { $0["bundleId"] = "com.example.other" }
    let other = try NotificationFields.signed("ONE_TIME_CHARGE", transaction: foreign)
    #expect(throws: AppleVerificationError.invalid(.wrongApplication)) {
      try verifier.notification(other, in: .production)
    }
  }

  @Test("A renewal counts only beside a transaction of the same purchase")
  func notification_renewalOfOtherPurchase_isRefused() throws {
    let inner = try TransactionFields.signed()
    func renewal(_ original: String) throws -> String {
      try SignedData([
        "originalTransactionId": .string(original), "environment": "Production",
        "gracePeriodExpiresDate": .number(JSONNumber(TestTime.now + TestTime.day)),
        "signedDate": .number(JSONNumber(TestTime.now)),
      ]).text()
    }
    let same = try NotificationFields.signed(
      "DID_FAIL_TO_RENEW",
      transaction: inner,
      renewal: try renewal("2000000001")
    )
    let read = try verifier.notification(same, in: .production).payload
    #expect(read.renewal?.gracePeriodExpiresDate == TestTime.now + TestTime.day)
    let other = try NotificationFields.signed(
      "DID_FAIL_TO_RENEW",
      transaction: inner,
      renewal: try renewal("2000000002")
    )
    #expect(throws: AppleVerificationError.invalid(.malformed)) {
      try verifier.notification(other, in: .production)
    }
  }

  @Test("Production needs the application's number, the sandbox does not")
  func notification_otherAppleID_isRefused() throws {
    let text = try NotificationFields.signed("TEST") { $0["appAppleId"] = 99 }
    #expect(throws: AppleVerificationError.invalid(.wrongApplication)) {
      try verifier.notification(text, in: .production)
    }
    let sandbox = try NotificationFields.signed("TEST") {
      $0["appAppleId"] = nil
      $0["environment"] = "Sandbox"
    }
    #expect(try verifier.notification(sandbox, in: .sandbox).payload.type == "TEST")
    #expect(throws: AppleVerificationError.invalid(.wrongEnvironment(found: .sandbox))) {
      try verifier.notification(sandbox, in: .production)
    }
  }

  @Test("A type that nobody knows yet is read like any other")
  func notification_unknownType_isRead() throws {
    let text = try NotificationFields.signed("SOMETHING_OF_2031")
    #expect(try verifier.notification(text, in: .production).payload.type == "SOMETHING_OF_2031")
  }

  @Test("Tokens of external purchases say in their identifier where they are from")
  func notification_externalPurchase_hasEnvironment() throws {
    func text(_ identifier: String) throws -> String {
      try SignedData([
        "notificationType": "EXTERNAL_PURCHASE_TOKEN", "notificationUUID": "u-1",
        "signedDate": .number(JSONNumber(TestTime.now)),
        "externalPurchaseToken": [
          "externalPurchaseId": .string(identifier), "bundleId": "com.example",
          "appAppleId": 1234,
        ],
      ]).text()
    }
    _ = try verifier.notification(try text("SANDBOX_1"), in: .sandbox)
    _ = try verifier.notification(try text("1"), in: .production)
    #expect(throws: AppleVerificationError.invalid(.wrongEnvironment(found: .sandbox))) {
      try verifier.notification(try text("SANDBOX_1"), in: .production)
    }
  }
}
