import Foundation
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Legacy receipts")
struct ReceiptVerifierTests {
  private let authority: TestAuthority
  private let verifier: ReceiptVerifier
  /// 2020-06-01.
  private static let past: Int64 = 1_590_969_600_000
  /// 2025-06-01.
  private static let afterSHA1: Int64 = 1_748_736_000_000

  init() throws {
    authority = try TestAuthority.shared.get()
    verifier = try ReceiptVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID),
      anchors: [.test(der: authority.root.der, isStrict: true)],
      clock: ManualClock(TestTime.now)
    )
  }

  private func reason(
    _ der: [UInt8],
    in environment: PurchaseEnvironment = .production
  ) -> AppleVerificationError.Reason? {
    reason(Data(der).base64EncodedString(), in: environment)
  }

  /// Why a receipt is refused; nil when it is not.
  private func reason(
    _ text: String,
    in environment: PurchaseEnvironment = .production
  ) -> AppleVerificationError.Reason? {
    do throws(AppleVerificationError) {
      _ = try verifier.receipt(text, in: environment)
      return nil
    } catch {
      guard case .invalid(let reason) = error else {
        Issue.record("not refused for good: \(error)")
        return nil
      }
      return reason
    }
  }

  private func receipt(_ change: (inout TestReceipt) -> Void = { _ in }) -> TestReceipt {
    var receipt = TestReceipt()
    change(&receipt)
    return receipt
  }

  @Test("A receipt is read with everything that was bought")
  func receipt_genuine_isRead() throws {
    let text = try TestReceipt.text { receipt in
      receipt.items = [
        .init(),
        .init(
          productID: "com.example.basic",
          transactionID: "1000000003",
          originalTransactionID: "1000000002",
          kind: 3,
          expiresAt: TestTime.now + TestTime.day,
          isTrial: true
        ),
        .init(productID: "com.example.plus", cancelledAt: TestTime.now - TestTime.second),
      ]
    }
    let verified = try verifier.receipt(text, in: .production)
    #expect(verified.evidence.isTest)
    #expect(verified.evidence.signedDate == TestTime.now - TestTime.second)
    #expect(verified.payload.purchases.count == 3)
    let pack = try #require(verified.transactions(of: TransactionFields.product).first)
    #expect(pack.payload.type == "Non-Consumable" && pack.payload.revocationDate == nil)
    #expect(pack.payload.expiresDate == nil && pack.payload.offer == nil)
    let basic = try #require(verified.transactions(of: "com.example.basic").first?.payload)
    #expect(basic.transactionID == "1000000003" && basic.originalTransactionID == "1000000002")
    #expect(basic.type == "Auto-Renewable Subscription")
    #expect(basic.expiresDate == TestTime.now + TestTime.day && basic.offer?.kind == .introductory)
    let plus = try #require(verified.transactions(of: "com.example.plus").first?.payload)
    #expect(plus.revocationDate == TestTime.now - TestTime.second)
    #expect(verified.transactions(of: "com.example.other").isEmpty)
  }

  @Test("Of the periods of a subscription the newest counts, in whatever order they are listed")
  func transactions_severalPeriods_newestCounts() throws {
    func period(_ number: Int64) -> TestReceipt.Item {
      .init(
        productID: "com.example.basic",
        transactionID: "\(2000 + number)",
        originalTransactionID: "2000",
        purchasedAt: TestTime.now + number * TestTime.second,
        kind: 3,
        expiresAt: TestTime.now + (number + 1) * TestTime.second
      )
    }
    for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[Int64]] {
      let text = try TestReceipt.text { $0.items = order.map(period) }
      let found = try verifier.receipt(text, in: .production).transactions(of: "com.example.basic")
      #expect(found.map(\.payload.transactionID) == ["2003"], "\(order)")
    }
  }

  @Test("Indefinite lengths and signatures without attributes are fine: the container is BER")
  func receipt_otherEncodings_areRead() throws {
    for arguments in [["-noattr"], ["-stream"], ["-md", "sha512"]] {
      let der = try TestReceipt().der(["-nodetach", "-md", "sha256"] + arguments)
      #expect(reason(der) == nil, "\(arguments)")
    }
    let stream = try TestReceipt().der(["-nodetach", "-stream"])
    // SEQUENCE of a length that is not said.
    #expect(stream.prefix(2) == [0x30, 0x80])
  }

  @Test("No cut of a receipt is taken for one, nor anything behind it")
  func receipt_cutOrPadded_isRefused() throws {
    let der = try TestReceipt().der()
    for count in stride(from: 0, to: der.count, by: 13) {
      #expect(reason(Array(der.prefix(count))) == .malformed, "\(count) bytes")
    }
    #expect(reason(der + [0]) == .malformed)
    #expect(reason(der + der) == .malformed)
    let text = Data(der).base64EncodedString()
    #expect(reason(text + "=") == .malformed)
    #expect(reason(text + "\n") == .malformed)
    #expect(reason(String(text.dropLast(4))) == .malformed)
    #expect(reason("") == .malformed)
    #expect(reason("=") == .malformed)
    #expect(reason(String(repeating: "A", count: ReceiptVerifier.byteCountMax * 2)) == .tooLarge)
  }

  @Test("A receipt whose content was changed has a bad signature")
  func receipt_changed_isRefused() throws {
    var der = try TestReceipt().der()
    let needle = Array(TransactionFields.product.utf8)
    let place = try #require(
      der.indices.first { der[$0...].starts(with: needle) }
    )
    der[place] ^= 1
    #expect(reason(der) == .badSignature)
  }

  @Test("A receipt of another application or environment is told from a forged one")
  func receipt_notForUs_isRefused() throws {
    #expect(reason(try receipt { $0.bundleID = "com.other" }.der()) == .wrongApplication)
    let sandbox = try receipt { $0.environment = "ProductionSandbox" }.der()
    #expect(reason(sandbox) == .wrongEnvironment(found: .sandbox))
    #expect(reason(sandbox, in: .sandbox) == nil)
    let production = try TestReceipt().der()
    #expect(reason(production, in: .sandbox) == .wrongEnvironment(found: .production))
    for name in ["Xcode", "Sandbox", ""] {
      let other = try receipt { $0.environment = name }.der()
      #expect(reason(other) == .wrongEnvironment(found: nil), "\(name)")
    }
  }

  @Test("Only a marked signer below the configured root may sign receipts")
  func receipt_otherSigner_isRefused() throws {
    let receipt = TestReceipt()
    #expect(
      reason(try receipt.der(signedBy: authority.otherLeaf, below: authority.otherIntermediate))
        == .untrustedChain
    )
    #expect(reason(try receipt.der(signedBy: authority.plainLeaf)) == .notAStoreSigner)
    #expect(
      reason(try receipt.der(signedBy: authority.leafOfPlain, below: authority.plainIntermediate))
        == .notAStoreSigner
    )
    #expect(reason(try receipt.der(signedBy: authority.directLeaf)) == .untrustedChain)
    #expect(
      reason(try receipt.der(signedBy: authority.deepLeaf, below: authority.deepIntermediate))
        == .untrustedChain
    )
    #expect(
      reason(try receipt.der(signedBy: authority.leafOfLeaf, below: authority.leaf))
        == .untrustedChain
    )
    // Without the intermediate nothing leads anywhere.
    #expect(reason(try receipt.der(below: authority.otherRoot)) == .untrustedChain)
    // Nor one of the same name, with another key.
    #expect(reason(try receipt.der(below: authority.otherIntermediate)) == .untrustedChain)
  }

  @Test("The chain must have been valid when the receipt was made, not today")
  func receipt_time_isThatOfItsCreation() throws {
    #expect(reason(try receipt { $0.createdAt = Self.past }.der()) == .untrustedChain)
    #expect(reason(try receipt { $0.createdAt = TestTime.now + TestTime.day }.der()) == nil)
    let future = TestTime.now + TestTime.day + TestTime.second
    #expect(reason(try receipt { $0.createdAt = future }.der()) == .signedInFuture)
    #expect(reason(try receipt { $0.createdAt = nil }.der()) == .malformed)
  }

  @Test("SHA-1 is taken from receipts of its time, and from none that are newer")
  func receipt_sha1_onlyBefore2025() throws {
    func old(_ createdAt: Int64, _ digest: String) throws -> [UInt8] {
      try receipt { $0.createdAt = createdAt }.der(
        signedBy: authority.oldLeaf,
        below: authority.oldIntermediate,
        ["-nodetach", "-md", digest]
      )
    }
    #expect(reason(try old(Self.past, "sha1")) == nil)
    #expect(reason(try old(Self.past, "sha256")) == nil)
    #expect(reason(try old(ReceiptVerifier.sha1End - 1000, "sha1")) == nil)
    #expect(reason(try old(ReceiptVerifier.sha1End, "sha1")) == .wrongAlgorithm)
    #expect(reason(try old(Self.afterSHA1, "sha256")) == .untrustedChain)
    // New certificates do not make an old digest good.
    let der = try TestReceipt().der(["-nodetach", "-md", "sha1"])
    #expect(reason(der) == .wrongAlgorithm)
    let unknown = try receipt { $0.createdAt = Self.past }.der(
      signedBy: authority.oldLeaf,
      below: authority.oldIntermediate,
      ["-nodetach", "-md", "sha224"]
    )
    #expect(reason(unknown) == .wrongAlgorithm)
  }

  @Test("A message without its content, of several signers or of another kind is no receipt")
  func receipt_otherMessages_areRefused() throws {
    let receipt = TestReceipt()
    #expect(reason(try receipt.der(["-md", "sha256"])) == .malformed)
    let two = ["-signer", "\(authority.otherLeaf.name).pem"]
    let keys = ["-inkey", "\(authority.otherLeaf.name).key"]
    #expect(reason(try receipt.der(["-nodetach"] + two + keys)) == .malformed)
    #expect(
      reason(try receipt.der(["-nodetach", "-econtent_type", "1.2.840.113549.1.9.16.1.4"]))
        == .malformed
    )
    // Nobody's certificate came along.
    #expect(reason(try receipt.der(["-nodetach", "-nocerts"])) != nil)
    #expect(reason(authority.leaf.der) == .malformed)
  }

  @Test("A receipt with 100,000 entries is refused, of whatever kind they are")
  func receipt_manyEntries_isRefused() throws {
    let empty = DER.field(17, [])
    let unknown = DER.field(99, [])
    for field in [empty, unknown] {
      let many = receipt { $0.others = Array(repeating: field, count: 100_000) }
      #expect(reason(try many.der()) == .tooManyPurchases)
    }
    let purchases = (0...LegacyReceipt.itemCountMax).map {
      TestReceipt.Item(transactionID: "\($0)")
    }
    #expect(reason(try receipt { $0.items = purchases }.der()) == .tooManyPurchases)
    let largest = receipt { $0.items = Array(purchases.dropLast()) }
    #expect(reason(try largest.der()) == nil)
    // As many transactions of one product as count.
    let verified = try verifier.receipt(try largest.text(), in: .production)
    #expect(
      verified.transactions(of: TransactionFields.product).count == LegacyReceipt.purchaseCountMax
    )
  }

  @Test("A field that is there twice is nobody's to choose from")
  func content_repeatedField_isMalformed() throws {
    for field in [DER.field(2, DER.utf8("com.example")), DER.field(12, DER.date(TestTime.now))] {
      #expect(reason(try receipt { $0.others = [field] }.der()) == .malformed)
    }
    // What is not read may be there as often as it likes.
    let age = DER.field(10, DER.utf8("17+"))
    #expect(reason(try receipt { $0.others = [age, age] }.der()) == nil)
  }

  @Test("Every change of a byte of the content is survived, and either read or malformed")
  func content_mutated_neverTraps() throws {
    let content = TestReceipt().content
    var readCount = 0
    for place in content.indices {
      for bit in 0..<8 {
        var changed = content
        changed[place] ^= 1 << bit
        do throws(AppleVerificationError) {
          _ = try LegacyReceipt(content: changed)
          readCount += 1
        } catch {
          #expect(error == .invalid(.malformed))
        }
      }
    }
    #expect(readCount > 0)
  }

  @Test("Without a root for receipts none is accepted, and only Apple's may be called Apple's")
  func verifier_roots_areThoseConfigured() throws {
    let none = try ReceiptVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID),
      anchors: []
    )
    #expect(!none.isConfigured && verifier.isConfigured)
    #expect(throws: AppleVerificationError.invalid(.untrustedChain)) {
      try none.receipt(try TestReceipt().text(), in: .production)
    }
    let error = #expect(throws: TrustAnchorError.self) {
      try ReceiptVerifier(
        application: AppleApplication(bundleID: "x"),
        anchors: [.appleReceipts(der: authority.root.der)]
      )
    }
    #expect(error?.description == "a root certificate is not Apple Inc. Root of 2006")
    // The root of StoreKit 2 does not sign receipts.
    #expect(throws: TrustAnchorError.self) {
      try ReceiptVerifier(
        application: AppleApplication(bundleID: "x"),
        anchors: [.appleReceipts(der: TrustAnchor.apple.der)]
      )
    }
  }
}
