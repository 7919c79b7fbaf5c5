import RPCKit
import Testing

@testable import ServiceKit

/// The vectors of Project Wycheproof for ECDSA on P-256 with SHA-256, as tokens have signatures:
/// r and s one after the other (see the README beside them).
@Suite("Signatures that break libraries")
struct WycheproofTests {
  private struct Case {
    var number: Int64
    var comment: String
    var message: [UInt8]
    var signature: [UInt8]
    var isValid: Bool
  }

  private static func bytes(_ field: JSONField) throws -> [UInt8] {
    let digits = Array(try field.string().utf8)
    try #require(digits.count % 2 == 0)
    return try stride(from: 0, to: digits.count, by: 2).map { start in
      let pair = String(decoding: digits[start..<(start + 2)], as: UTF8.self)
      return try #require(UInt8(pair, radix: 16))
    }
  }

  private static func read() throws -> [(key: VerificationKey, cases: [Case])] {
    let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let path = "/\(folder)/Wycheproof/ecdsa_secp256r1_sha256_p1363_test.json"
    let file = try JSONReader.read(
      try FileBytes.read(path, byteCountMax: 1 << 20),
      limits: JSONLimits(byteCountMax: 1 << 20)
    )
    var members = try JSONField(file).members()
    return try members.required("testGroups").elements().map { group in
      var members = try group.members()
      #expect(try members.required("sha").string() == "SHA-256")
      let pem = try members.required("publicKeyPem").string()
      let key = try VerificationKey(pem: Array(pem.utf8))
      var point = try members.required("publicKey").members()
      // The same key, given as a point.
      #expect(try [4] + key.x + key.y == bytes(point.required("uncompressed")))
      return (key, try members.required("tests").elements().map { try read($0) })
    }
  }

  private static func read(_ test: JSONField) throws -> Case {
    var members = try test.members()
    let result = try members.required("result").string()
    try #require(result == "valid" || result == "invalid", "nothing is in between")
    return Case(
      number: try members.required("tcId").integer(in: 0...100_000),
      comment: try members.required("comment").string(),
      message: try bytes(members.required("msg")),
      signature: try bytes(members.required("sig")),
      isValid: result == "valid"
    )
  }

  @Test("Every valid signature is accepted and every invalid one refused")
  func verify_vectors_areTold() throws {
    var counts = (valid: 0, invalid: 0)
    for (key, cases) in try Self.read() {
      for test in cases {
        #expect(
          key.verify(test.signature, of: test.message) == test.isValid,
          "\(test.number): \(test.comment)"
        )
        if test.isValid { counts.valid += 1 } else { counts.invalid += 1 }
      }
    }
    #expect(counts.valid + counts.invalid == 262)
    #expect(counts.invalid > 50)
  }

  @Test("A signature is good for its message and its key, and for no bit of another one")
  func verify_changedVectors_areRefused() throws {
    // The first key is an ordinary one; others are made so that several signatures are good.
    let groups = try Self.read().prefix(1)
    let other = SigningKey.generate().verificationKey
    for (key, cases) in groups {
      guard let test = cases.first(where: \.isValid) else { continue }
      #expect(!other.verify(test.signature, of: test.message))
      #expect(!key.verify(test.signature, of: test.message + [0]))
      let halves = test.signature.suffix(32) + test.signature.prefix(32)
      #expect(!key.verify(Array(halves), of: test.message))
      for place in test.signature.indices {
        var changed = test.signature
        changed[place] ^= 1
        #expect(!key.verify(changed, of: test.message))
      }
    }
  }

  @Test("Points that are none of the curve's are no keys")
  func key_badPoints_areRefused() throws {
    let key = try #require(try Self.read().first).key
    let zero = [UInt8](repeating: 0, count: 32)
    var offCurve = key.y
    offCurve[31] ^= 1
    // The field's prime (SEC 2, section 2.4.2): a coordinate is smaller.
    let prime: [UInt8] =
      [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + .init(repeating: 0, count: 12)
      + .init(repeating: 0xFF, count: 12)
    for (x, y) in [
      (zero, zero), (key.x, offCurve), (key.y, key.x), (prime, key.y), (key.x, prime),
      (zero, key.y),
      (.init(repeating: 0xFF, count: 32), .init(repeating: 0xFF, count: 32)),
      (key.x, Array(key.y.dropLast())), (key.x + [0], key.y), ([], []),
    ] {
      #expect(throws: KeyError.self) { try VerificationKey(x: x, y: y) }
    }
    // The point at infinity is one byte (SEC 1, section 2.3.3), and compressed points are 33.
    for point in [[0], [2] + key.x, [3] + key.x, [6] + key.x + key.y, [7] + key.x + key.y] {
      #expect(throws: KeyError.self) { try EllipticCurveKey(point: point) }
    }
  }
}
