import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

@Suite("Damaged data")
struct MutationTests {
  private let verifier: SignedDataVerifier

  init() throws {
    verifier = try SignedDataVerifier(
      application: AppleApplication(bundleID: TransactionFields.bundleID, appleID: 1234),
      anchors: [.test(der: try TestAuthority.shared.get().root.der, isStrict: true)],
      clock: ManualClock(TestTime.now)
    )
  }

  @Test("No damage to the text is accepted, and none ends the process", arguments: [1, 2, 3, 4])
  func transaction_mutated_isRefused(seed: UInt64) throws {
    let good = Array(try TransactionFields.signed().utf8)
    var chance = SeededGenerator(state: seed)
    for round in 0..<800 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...3, using: &chance) {
        guard !bytes.isEmpty else { break }
        let place = Int.random(in: 0..<bytes.count, using: &chance)
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: bytes[place] = UInt8.random(in: 0...127, using: &chance)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8.random(in: 33...126, using: &chance), at: place)
        default: bytes.removeSubrange(place...)
        }
      }
      // A letter can be replaced by itself.
      guard bytes != good else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(throws: AppleVerificationError.self, "seed \(seed), round \(round)") {
        try verifier.transaction(text, in: .production)
      }
    }
  }

  @Test("No damage to certificates inside a well-formed text ends the process", arguments: [5, 6])
  func certificates_mutated_areRefused(seed: UInt64) throws {
    let data = try SignedData(TransactionFields.with())
    let signature = SignedData.base64([UInt8](repeating: 1, count: 64))
    var chance = SeededGenerator(state: seed)
    for round in 0..<600 {
      var damaged = data
      var chain = data.chain
      let index = Int.random(in: 0...1, using: &chance)
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        let place = Int.random(in: 0..<chain[index].count, using: &chance)
        chain[index][place] = UInt8.random(in: 0...255, using: &chance)
      }
      damaged.chain = chain
      let header = SignedData.base64(damaged.header.text)
      let text = "\(header).\(SignedData.base64(damaged.payload.text)).\(signature)"
      #expect(throws: AppleVerificationError.self, "seed \(seed), round \(round)") {
        try verifier.transaction(text, in: .production)
      }
    }
  }

  @Test("How many transactions can be verified in a second")
  func verify_rate_isReported() throws {
    let text = try TransactionFields.signed()
    let anchors = [TrustAnchor.test(der: try TestAuthority.shared.get().root.der, isStrict: true)]
    let application = AppleApplication(bundleID: TransactionFields.bundleID)
    let timer = ContinuousClock()
    let warm = try timer.measure {
      for _ in 0..<300 { _ = try verifier.transaction(text, in: .production) }
    }
    let verifiers = try (0..<60).map { _ in
      try SignedDataVerifier(
        application: application,
        anchors: anchors,
        clock: ManualClock(TestTime.now)
      )
    }
    let cold = try timer.measure {
      for verifier in verifiers { _ = try verifier.transaction(text, in: .production) }
    }
    let (warmRate, coldRate) = (300 / (warm / .seconds(1)), 60 / (cold / .seconds(1)))
    print("verified per second: chain known \(Int(warmRate)), chain new \(Int(coldRate))")
    #expect(warmRate > coldRate)
  }
}
