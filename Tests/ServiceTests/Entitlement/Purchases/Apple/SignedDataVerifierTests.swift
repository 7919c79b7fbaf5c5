import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("What Apple signed")
struct SignedDataVerifierTests {
  private let authority: TestAuthority
  private let clock = ManualClock(TestTime.now)
  private let verifier: SignedDataVerifier

  init() throws {
    authority = try TestAuthority.shared.get()
    verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID, appleID: 1234),
      anchors: [.test(der: authority.root.der, isStrict: true)],
      clock: clock
    )
  }

  private func reason(
    _ text: String,
    in environment: PurchaseEnvironment = .production
  ) -> AppleVerificationError? {
    do throws(AppleVerificationError) {
      _ = try verifier.transaction(text, in: environment)
      return nil
    } catch {
      return error
    }
  }

  @Test("A transaction of the store is read with everything it says")
  func transaction_genuine_isRead() throws {
    let text = try TransactionFields.signed {
      $0["appAccountToken"] = "5D2C9D5A-0000-4000-8000-00000000000F"
      $0["purchaseDate"] = .number(JSONNumber(1_697_679_936_049.7297) ?? JSONNumber(0))
      $0["somethingNew"] = ["deep": [1, 2, 3]]
    }
    let verified = try verifier.transaction(text, in: .production)
    #expect(verified.payload.productID == TransactionFields.product)
    #expect(verified.payload.appAccountToken == "5d2c9d5a-0000-4000-8000-00000000000f")
    #expect(verified.payload.purchaseDate == 1_697_679_936_050)
    #expect(verified.evidence.isTest)
    #expect(verified.evidence.environment == .production)
    #expect(verified.evidence.signedDate == TestTime.now - TestTime.second)
    #expect(verified.evidence.payloadDigest.utf8.count == 64)
  }

  @Test("The third certificate is not looked at: trust comes from the configuration")
  func transaction_anyThirdCertificate_isAccepted() throws {
    var data = try SignedData(TransactionFields.with())
    data.chain[2] = authority.leaf.der
    #expect(reason(try data.text()) == nil)
    data.entries[2] = "not base 64!"
    #expect(reason(try data.text()) == nil)
    data.chain = [authority.leaf.der, authority.intermediate.der, authority.otherRoot.der]
    #expect(reason(try data.text()) == nil)
  }

  @Test("Exactly three certificates are needed", arguments: [0, 1, 2, 4])
  func transaction_otherChainLength_isRefused(count: Int) throws {
    var data = try SignedData(TransactionFields.with())
    let all = data.chain + [authority.root.der]
    data.chain = Array(all.prefix(count))
    #expect(reason(try data.text()) == .invalid(.wrongChainLength))
  }

  @Test("A chain to a root that only looks like the pinned one is not trusted")
  func transaction_otherRoot_isRefused() throws {
    var data = try SignedData(
      TransactionFields.with(),
      leaf: authority.otherLeaf,
      above: authority.otherIntermediate
    )
    data.chain[2] = authority.otherRoot.der
    #expect(reason(try data.text()) == .invalid(.untrustedChain))
    data.chain[2] = authority.root.der
    #expect(reason(try data.text()) == .invalid(.untrustedChain))
    data.chain[1] = authority.intermediate.der
    #expect(reason(try data.text()) == .invalid(.untrustedChain))
  }

  @Test("A certificate of the same root that does not sign for the store is refused")
  func transaction_withoutMarkers_isRefused() throws {
    let plain = try SignedData(TransactionFields.with(), leaf: authority.plainLeaf)
    #expect(reason(try plain.text()) == .invalid(.notAStoreSigner))
    let below = try SignedData(
      TransactionFields.with(),
      leaf: authority.leafOfPlain,
      above: authority.plainIntermediate
    )
    #expect(reason(try below.text()) == .invalid(.notAStoreSigner))
  }

  @Test("A path that is not root, intermediate, leaf is refused")
  func transaction_otherPath_isRefused() throws {
    let direct = try SignedData(
      TransactionFields.with(),
      leaf: authority.directLeaf,
      above: authority.intermediate
    )
    #expect(reason(try direct.text()) == .invalid(.untrustedChain))
    let deep = try SignedData(
      TransactionFields.with(),
      leaf: authority.deepLeaf,
      above: authority.deepIntermediate
    )
    #expect(reason(try deep.text()) == .invalid(.untrustedChain))
    let belowLeaf = try SignedData(
      TransactionFields.with(),
      leaf: authority.leafOfLeaf,
      above: authority.leaf
    )
    #expect(reason(try belowLeaf.text()) == .invalid(.untrustedChain))
    let rootOnly = try SignedData(
      TransactionFields.with(),
      leaf: authority.directLeaf,
      above: authority.root
    )
    #expect(reason(try rootOnly.text()) == .invalid(.untrustedChain))
  }

  @Test("A leaf on another curve than P-256 cannot sign")
  func transaction_otherCurve_isRefused() throws {
    var data = try SignedData(TransactionFields.with(), leaf: authority.leaf)
    data.chain[0] = authority.wideLeaf.der
    #expect(reason(try data.text()) == .invalid(.badCertificate))
  }

  @Test("Every certificate must have been valid when the data was signed, not now")
  func transaction_signedOutsideValidity_isRefused() throws {
    func signed(at date: Int64) throws -> String {
      try TransactionFields.signed { $0.set("signedDate", date) }
    }
    #expect(reason(try signed(at: 1_262_304_000_000)) == .invalid(.untrustedChain))
    #expect(reason(try signed(at: 1_704_067_199_000)) == .invalid(.untrustedChain))
    #expect(reason(try signed(at: 1_704_067_200_000)) == nil)
    #expect(reason(try signed(at: 1_704_067_199_000)) == .invalid(.untrustedChain))
    let old = try signed(at: TestTime.now)
    clock.advance(10 * 365 * TestTime.day)
    #expect(reason(old) == nil)
    #expect(reason(try signed(at: 1_823_385_601_000)) == .invalid(.untrustedChain))
  }

  @Test("What was signed more than a day ahead of our clock is refused")
  func transaction_signedInFuture_isRefused() throws {
    let limit = TestTime.now + SignedDataVerifier.futureMillisecondsMax
    let inTime = try TransactionFields.signed { $0.set("signedDate", limit) }
    #expect(reason(inTime) == nil)
    let late = try TransactionFields.signed { $0.set("signedDate", limit + 1) }
    #expect(reason(late) == .invalid(.signedInFuture))
    let farther = try TransactionFields.signed { $0.set("signedDate", 2_208_988_800_000) }
    #expect(reason(farther) == .invalid(.signedInFuture))
  }

  @Test("Without a date the chain is checked at the present time")
  func transaction_withoutDate_isCheckedNow() throws {
    let text = try TransactionFields.signed { $0.set("signedDate", nil) }
    #expect(reason(text) == nil)
    clock.advance(3 * 365 * TestTime.day)
    #expect(reason(text) == .invalid(.untrustedChain))
  }

  @Test("Data of another application or environment is told apart from forged data")
  func transaction_forSomebodyElse_isRefused() throws {
    let other = try TransactionFields.signed { $0["bundleId"] = "com.example.other" }
    #expect(reason(other) == .invalid(.wrongApplication))
    let missing = try TransactionFields.signed { $0["bundleId"] = nil }
    #expect(reason(missing) == .invalid(.wrongApplication))
    let sandbox = try TransactionFields.signed { $0["environment"] = "Sandbox" }
    #expect(reason(sandbox) == .invalid(.wrongEnvironment(found: .sandbox)))
    #expect(reason(sandbox, in: .sandbox) == nil)
    for name in ["Xcode", "LocalTesting", "production"] {
      let text = try TransactionFields.signed { $0["environment"] = .string(name) }
      #expect(reason(text) == .invalid(.wrongEnvironment(found: nil)))
      #expect(reason(text, in: .sandbox) == .invalid(.wrongEnvironment(found: nil)))
    }
  }

  @Test("Data of Xcode without a signature is refused in every mode there is")
  func transaction_fromXcode_isRefused() throws {
    let payload = TransactionFields.with { $0["environment"] = "Xcode" }
    let data = try SignedData(payload)
    let signed = "\(SignedData.base64(data.header.text)).\(SignedData.base64(payload.text))"
    for environment in PurchaseEnvironment.allCases {
      #expect(reason("\(signed).AAAA", in: environment) == .invalid(.badSignature))
    }
  }

  @Test("One changed letter of payload or signature is noticed")
  func transaction_edited_isRefused() throws {
    let text = try TransactionFields.signed()
    let parts = text.split(separator: ".").map(String.init)
    let payload = TransactionFields.with { $0["productId"] = "something.better" }
    let edited = "\(parts[0]).\(SignedData.base64(payload.text)).\(parts[2])"
    #expect(reason(edited) == .invalid(.badSignature))
    #expect(reason(text + "A") == .invalid(.badSignature))
    #expect(reason(text + "=") == .invalid(.badSignature))
    #expect(reason(String(text.dropLast())) == .invalid(.badSignature))
    let zeros = SignedData.base64([UInt8](repeating: 0, count: 64))
    #expect(reason("\(parts[0]).\(parts[1]).\(zeros)") == .invalid(.badSignature))
    #expect(reason("\(text).AAAA") == .invalid(.malformed))
    #expect(reason("\(parts[0]).\(parts[1])") == .invalid(.malformed))
    #expect(reason("") == .invalid(.malformed))
  }

  @Test(
    "No algorithm but ES256 is spoken",
    arguments: ["HS256", "none", "ES384", "es256", "RS256"]
  )
  func transaction_otherAlgorithm_isRefused(name: String) throws {
    var data = try SignedData(TransactionFields.with())
    data["alg"] = .string(name)
    #expect(reason(try data.text()) == .invalid(.wrongAlgorithm))
    data["alg"] = nil
    #expect(reason(try data.text()) == .invalid(.wrongAlgorithm))
  }

  @Test("Keys that the header offers besides x5c are ignored, critical extensions are refused")
  func transaction_otherHeaderMembers_areIgnored() throws {
    var data = try SignedData(TransactionFields.with())
    data["kid"] = "abc"
    data["jku"] = "https://example.com/keys"
    data["jwk"] = ["kty": "EC"]
    #expect(reason(try data.text()) == nil)
    data["crit"] = ["exp"]
    #expect(reason(try data.text()) == .invalid(.malformed))
  }

  @Test("Certificates must be standard base 64 of one certificate and nothing else")
  func transaction_badCertificates_areRefused() throws {
    var data = try SignedData(TransactionFields.with())
    let good = data.entries
    let bad: [JSONValue] = [
      "", "AAAA", "!!!!", 7, .string((good[0].string ?? "") + "AAAA"),
      .string(SignedData.base64(authority.leaf.der + [0])),
      .string(String(repeating: "A", count: 20_000)),
    ]
    for entry in bad {
      data.entries = [entry, good[1], good[2]]
      #expect(reason(try data.text()) == .invalid(.badCertificate))
      data.entries = [good[0], entry, good[2]]
      #expect(reason(try data.text()) == .invalid(.badCertificate))
    }
    data["x5c"] = "text"
    #expect(reason(try data.text()) == .invalid(.malformed))
  }

  @Test("Size is looked at before anything else")
  func transaction_tooLarge_isRefused() throws {
    let limit = SignedDataVerifier.transactionByteCountMax
    #expect(reason(String(repeating: "a", count: limit)) == .invalid(.malformed))
    #expect(reason(String(repeating: "a", count: limit + 1)) == .invalid(.tooLarge))
  }

  @Test("What Apple has signed is read leniently: what describes a purchase never refuses it")
  func transaction_ofOtherKinds_isRead() throws {
    let changes: [(String, JSONValue, @Sendable (AppleTransaction) -> Bool)] = [
      ("price", .number(try #require(JSONNumber(990.5))), { $0.price == 990 }),
      ("price", "990.5", { $0.price == 990 }), ("quantity", "1", { $0.quantity == 1 }),
      ("quantity", ["1"], { $0.quantity == nil }), ("currency", 978, { $0.currency == nil }),
      ("storefront", .string(String(repeating: "x", count: 300)), { $0.storefront == nil }),
      ("transactionId", 2_000_000_009, { $0.transactionID == "2000000009" }),
      ("expiresDate", "1893456000000", { $0.expiresDate == 1_893_456_000_000 }),
      ("expiresDate", .number(JSONNumber(Int64.max)), { $0.expiresDate == 253_402_300_799_999 }),
      ("originalPurchaseDate", "long ago", { $0.originalPurchaseDate == nil }),
      ("isUpgraded", "true", { $0.isUpgraded == true }),
      ("isUpgraded", 0, { $0.isUpgraded == false }),
      ("offerType", "3", { $0.offer?.kind == .code }), ("offerType", .null, { $0.offer == nil }),
      ("appAccountToken", 5, { $0.appAccountToken == nil }),
      ("somethingNew", ["a": [1]], { $0.productID != nil }),
    ]
    for (name, value, isRight) in changes {
      let text = try TransactionFields.signed { $0[name] = value }
      let read = try? verifier.transaction(text, in: .production).payload
      #expect(read.map(isRight) == true, "\(name)")
    }
  }

  @Test("A field that decides and cannot be read is refused even when signed")
  func transaction_wrongKinds_areRefused() throws {
    let changes: [(String, JSONValue)] = [
      ("signedDate", "yesterday"), ("signedDate", -1), ("productId", ["a"]), ("purchaseDate", true),
      ("expiresDate", "nan"), ("revocationDate", "soon"), ("isUpgraded", "perhaps"),
      ("transactionId", .string(String(repeating: "1", count: 257))),
    ]
    for (name, value) in changes {
      let text = try TransactionFields.signed { $0[name] = value }
      #expect(reason(text) == .invalid(.malformed), "\(name)")
    }
  }

  @Test("The strict rules refuse a root without key identifier, and tests can do without them")
  func transaction_looseRoot_dependsOnStrictness() throws {
    let text = try SignedData(
      TransactionFields.with(),
      leaf: authority.looseLeaf,
      above: authority.looseIntermediate
    ).text()
    let application = AppleApplication(bundleID: TransactionFields.bundleID)
    let strict = try SignedDataVerifier(
      application: application,
      anchors: [.test(der: authority.looseRoot.der, isStrict: true)],
      clock: clock
    )
    #expect(throws: AppleVerificationError.invalid(.untrustedChain)) {
      try strict.transaction(text, in: .production)
    }
    let loose = try SignedDataVerifier(
      application: application,
      anchors: [.apple, .test(der: authority.looseRoot.der)],
      clock: clock
    )
    #expect(try loose.transaction(text, in: .production).evidence.isTest)
  }

  @Test("The root of Apple is built in, and nothing signed by others passes with it")
  func transaction_withAppleRoot_isRefused() throws {
    let verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID),
      clock: clock
    )
    let text = try TransactionFields.signed()
    #expect(throws: AppleVerificationError.invalid(.untrustedChain)) {
      try verifier.transaction(text, in: .production)
    }
    #expect(throws: TrustAnchorError.self) {
      try SignedDataVerifier(
        application: AppleApplication(bundleID: "x"),
        anchors: [.test(der: [1, 2, 3])]
      )
    }
  }

  @Test("At most 32 chains are remembered, and a refused one never")
  func chains_many_areBounded() throws {
    #expect(verifier.rememberedChainCount == 0)
    #expect(reason(try TransactionFields.signed()) == nil)
    #expect(reason(try TransactionFields.signed()) == nil)
    #expect(verifier.rememberedChainCount == 1)
    let plain = try SignedData(TransactionFields.with(), leaf: authority.plainLeaf)
    #expect(reason(try plain.text()) == .invalid(.notAStoreSigner))
    #expect(verifier.rememberedChainCount == 1)
  }
}
