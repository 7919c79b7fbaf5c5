import RPCKit
import Testing

@testable import ServiceKit

/// The vectors of Project Wycheproof for what passkeys sign with, as authenticators write
/// signatures.
@Suite("Signatures of passkeys that break libraries")
struct RawPublicKeyTests {
  private struct Case {
    var key: RawPublicKey
    var number: Int64
    var comment: String
    var message: [UInt8]
    var signature: [UInt8]
    /// Nil where the project leaves the answer open.
    var isValid: Bool?
  }

  private static func bytes(_ field: JSONField) throws -> [UInt8] {
    let digits = Array(try field.string().utf8)
    try #require(digits.count % 2 == 0)
    return try stride(from: 0, to: digits.count, by: 2).map { start in
      let pair = String(decoding: digits[start..<(start + 2)], as: UTF8.self)
      return try #require(UInt8(pair, radix: 16))
    }
  }

  private static func read(
    _ name: String,
    _ key: (inout JSONMembers) throws -> RawPublicKey
  ) throws -> [Case] {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let file = try JSONReader.read(
      try FileBytes.read("/\(folder)/Wycheproof/\(name)", byteCountMax: 1 << 20),
      limits: JSONLimits(byteCountMax: 1 << 20)
    )
    var members = try JSONField(file).members()
    var cases: [Case] = []
    for group in try members.required("testGroups").elements() {
      var members = try group.members()
      var keyMembers = try members.required("publicKey").members()
      let key = try key(&keyMembers)
      for test in try members.required("tests").elements() {
        var members = try test.members()
        let result = try members.required("result").string()
        cases.append(
          Case(
            key: key,
            number: try members.required("tcId").integer(in: 0...100_000),
            comment: try members.required("comment").string(),
            message: try bytes(members.required("msg")),
            signature: try bytes(members.required("sig")),
            isValid: result == "acceptable" ? nil : result == "valid"
          )
        )
      }
    }
    return cases
  }

  private func check(_ cases: [Case], valid: Int, invalid: Int) {
    var counts = (valid: 0, invalid: 0)
    for test in cases {
      var isAccepted = true
      do throws(SignatureError) {
        try test.key.verify(test.signature, of: test.message)
      } catch {
        isAccepted = false
      }
      guard let isValid = test.isValid else { continue }
      #expect(isAccepted == isValid, "\(test.number): \(test.comment)")
      if isValid { counts.valid += 1 } else { counts.invalid += 1 }
    }
    #expect(counts.valid == valid && counts.invalid == invalid)
  }

  @Test("ES256 in DER")
  func es256_vectors_areTold() throws {
    let cases = try Self.read("ecdsa_secp256r1_sha256_test.json") { members in
      let point = try Self.bytes(members.required("uncompressed"))
      return .p256(x: Array(point[1..<33]), y: Array(point[33...]))
    }
    check(cases, valid: 174, invalid: 310)
  }

  @Test("EdDSA on Ed25519")
  func ed25519_vectors_areTold() throws {
    let cases = try Self.read("ed25519_test.json") { members in
      .ed25519(try Self.bytes(members.required("pk")))
    }
    check(cases, valid: 117, invalid: 64)
  }

  @Test("A key of Ed25519 that signs without a secret is none")
  func ed25519_smallOrder_isRefused() throws {
    let zero = [UInt8](repeating: 0, count: 32)
    let edges: [UInt8] = [0xEC, 0xED, 0xEE]
    let eighth: [UInt8] = [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
      0xF0,
      0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC,
      0x05,
    ]
    // p minus it, which is its mirror.
    var borrow = 0
    let mirrored = zip([0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], eighth).map {
      pair -> UInt8 in
      let difference = Int(pair.0) - Int(pair.1) - borrow
      borrow = difference < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: difference)
    }
    let points =
      [zero, [1] + zero.dropFirst(), eighth, mirrored]
      + edges.map { [$0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
    // Of the neutral point, with the factor zero: good for all messages if the key is 1.
    let signature = [1] + [UInt8](repeating: 0, count: 63)
    for point in points {
      for sign: UInt8 in [0, 0x80] {
        let key = RawPublicKey.ed25519(point.dropLast() + [point[31] | sign])
        #expect(throws: SignatureError.key) { try key.check() }
        #expect(throws: SignatureError.key) { try key.verify(signature, of: Array("any".utf8)) }
      }
    }
    try RawPublicKey.ed25519([0x58] + [UInt8](repeating: 0x66, count: 31)).check()
  }

  @Test("RS256 with 2,048 bits")
  func rs256_vectors_areTold() throws {
    let cases = try Self.read("rsa_signature_2048_sha256_test.json") { members in
      func number(_ name: String) throws -> [UInt8] {
        // With a zero in front where the first bit is set.
        Array(try Self.bytes(members.required(name)).drop { $0 == 0 })
      }
      return .rsa(modulus: try number("modulus"), exponent: try number("publicExponent"))
    }
    check(cases, valid: 9, invalid: 249)
  }

  @Test("A signature that is good for ES256 is good for its message, its key and in one spelling")
  func es256_changed_isRefused() throws {
    let signer = SigningKey.generate()
    let (x, y) = (signer.verificationKey.x, signer.verificationKey.y)
    let key = RawPublicKey.p256(x: x, y: y)
    let message: [UInt8] = [1, 2, 3]
    let signature = try #require(ECDSASignature(raw: signer.sign(message)))
    try key.verify(signature.der, of: message)
    let der = signature.der
    let others: [[UInt8]] = [
      signature.raw, der + [0], Array(der.dropLast()), [], [0x30, 0],
      [0x30, 0x81] + Array(der.dropFirst()),
    ]
    for other in others {
      #expect(throws: SignatureError.signature) { try key.verify(other, of: message) }
    }
    #expect(throws: SignatureError.signature) { try key.verify(signature.der, of: [1, 2]) }
    let swapped = RawPublicKey.p256(x: y, y: x)
    #expect(throws: SignatureError.key) { try swapped.check() }
    #expect(throws: SignatureError.key) { try swapped.verify(signature.der, of: message) }
    let pairs: [([UInt8], [UInt8])] = [(Array(x.dropLast()), y), (x, y + [0]), ([], [])]
    for (x, y) in pairs {
      #expect(throws: SignatureError.key) { try RawPublicKey.p256(x: x, y: y).check() }
    }
  }
}
