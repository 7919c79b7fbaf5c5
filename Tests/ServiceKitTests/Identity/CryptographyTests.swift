import Testing

@testable import ServiceKit

@Suite("Digests, keys and sealing")
struct CryptographyTests {
  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  @Test("Ed25519 gives the published signatures, which its public key verifies")
  func ed25519_vectors_match() throws {
    // RFC 8032, section 7.1, tests 1 and 2.
    let vectors: [(secret: String, publicKey: String, message: [UInt8], signature: String)] = [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", [],
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
          + "f9b46bd25bf5f0595bbe24655141438e7a100b"
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", [0x72],
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
          + "f11d8c387b2eaeb4302aeeb00d291612bb0c00"
      ),
    ]
    for vector in vectors {
      let secret = stride(from: 0, to: 64, by: 2).compactMap { place in
        UInt8(vector.secret.dropFirst(place).prefix(2), radix: 16)
      }
      let key = try #require(Ed25519Key(secret: secret))
      #expect(hexadecimal(key.publicKey) == vector.publicKey)
      let signature = key.sign(vector.message)
      #expect(hexadecimal(signature) == vector.signature)
      try RawPublicKey.ed25519(key.publicKey).verify(signature, of: vector.message)
    }
    #expect(Ed25519Key(secret: [UInt8](repeating: 1, count: 31)) == nil)
  }

  @Test("SHA-256 and HMAC-SHA-256 give the published results")
  func digests_vectors_match() {
    // FIPS 180-2, appendix B.1; RFC 4231, section 4.3.
    #expect(
      hexadecimal(Digests.sha256("abc"))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    let key = HMACKey(Array("Jefe".utf8))
    let code = key.code(of: Array("what do ya want for nothing?".utf8))
    #expect(
      hexadecimal(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )
    // A key can be used again, whatever it was used for before.
    #expect(key.code(of: Array("another text".utf8)) != code)
    #expect(key.code(of: []).count == HMACKey.byteCount)
    #expect(key.code(of: Array("what do ya want for nothing?".utf8)) == code)
    #expect(Digests.areEqual(code, code))
    #expect(!Digests.areEqual(code, Digests.sha256("abc")))
    #expect(!Digests.areEqual(code, Array(code.dropLast())))
  }

  @Test("A key verifies what its private part signed, and nothing else")
  func signature_otherMessageOrKey_isRefused() throws {
    let key = SigningKey.generate()
    let message = Array("message".utf8)
    let signature = key.sign(message)
    #expect(signature.count == 64)
    #expect(key.verificationKey.verify(signature, of: message))
    #expect(!key.verificationKey.verify(signature, of: message + [0]))
    #expect(!SigningKey.generate().verificationKey.verify(signature, of: message))
    for index in signature.indices {
      var changed = signature
      changed[index] ^= 1
      #expect(!key.verificationKey.verify(changed, of: message))
    }
  }

  @Test("Signatures outside the range of the curve are refused before OpenSSL sees them")
  func signature_outOfRange_isRefused() {
    let key = SigningKey.generate()
    let message = Array("message".utf8)
    let order: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
      0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25,
      0x51,
    ]
    let zero = [UInt8](repeating: 0, count: 32)
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let good = key.sign(message)
    for forged in [
      zero + zero, zero + one, one + zero, order + one, one + order,
      [UInt8](repeating: 0xFF, count: 64), [], Array(good.dropLast()), good + [0],
    ] {
      #expect(!key.verificationKey.verify(forged, of: message))
      #expect(forged == one + one || ECDSASignature(raw: forged) == nil)
    }
    #expect(ECDSASignature(raw: one + one) != nil)
  }

  @Test("Conversion to DER and back keeps every signature")
  func signature_derRoundTrip_isSame() {
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let high = [0x80] + [UInt8](repeating: 0, count: 31)
    for raw in [one + one, one + high, high + one, high + high] {
      let signature = ECDSASignature(raw: raw)
      #expect(signature.flatMap { ECDSASignature(der: $0.der) }?.raw == raw)
    }
    #expect(ECDSASignature(der: [0x30, 0x03, 0x02, 0x01, 0x01]) == nil)
    #expect(ECDSASignature(der: []) == nil)
  }

  @Test("A key survives PEM, DER and JWK, and keeps its name")
  func key_everyForm_isTheSame() throws {
    let key = SigningKey.generate()
    let message = Array("message".utf8)
    let signature = try SigningKey(pem: Array(key.pem.utf8)).sign(message)
    #expect(key.verificationKey.verify(signature, of: message))
    #expect(try SigningKey(privateBytes: key.privateBytes).id == key.id)
    #expect(try VerificationKey(pem: Array(key.verificationKey.pem.utf8)) == key.verificationKey)
    #expect(try VerificationKey(jwk: key.verificationKey.jwk).id == key.id)
    #expect(key.id.utf8.count == 43)
  }

  @Test("The thumbprint is that of RFC 7638")
  func key_thumbprint_matchesIndependentOne() throws {
    // The key of RFC 7517, appendix A.1; its thumbprint was computed with Python's hashlib.
    let jwk: JSONObject = [
      "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    ]
    #expect(try VerificationKey(jwk: jwk).id == "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
  }

  @Test("What is not a key on P-256 is refused")
  func key_malformed_isRefused() {
    let jwk = SigningKey.generate().verificationKey.jwk
    var offCurve = jwk
    offCurve["kid"] = nil
    offCurve["y"] = offCurve["x"]
    #expect(throws: KeyError.malformed) { try VerificationKey(jwk: offCurve) }
    var short = jwk
    short["x"] = "AAAA"
    #expect(throws: KeyError.malformed) { try VerificationKey(jwk: short) }
    var renamed = jwk
    renamed["kid"] = "other"
    #expect(throws: KeyError.malformed) { try VerificationKey(jwk: renamed) }
    var symmetric = jwk
    symmetric["kty"] = "oct"
    #expect(throws: KeyError.otherKind) { try VerificationKey(jwk: symmetric) }
    #expect(throws: KeyError.self) { try SigningKey(pem: Array("nonsense".utf8)) }
    #expect(throws: KeyError.self) { try SigningKey(pem: []) }
    #expect(throws: KeyError.self) { try SigningKey(privateBytes: [1, 2, 3]) }
  }

  @Test("A sealed secret opens with its key for its purpose, and unchanged only")
  func sealed_anyChange_doesNotOpen() throws {
    let random = SystemRandomSource()
    let key = try #require(SealingKey(random.bytes(32)))
    let other = try #require(SealingKey(random.bytes(32)))
    let secret = Array("secret".utf8)
    let sealed = key.seal(secret, for: "purpose", random: random)
    #expect(try key.open(sealed, for: "purpose") == secret)
    #expect(throws: SealingKey.Failure.self) { try key.open(sealed, for: "other") }
    #expect(throws: SealingKey.Failure.self) { try other.open(sealed, for: "purpose") }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: SealingKey.Failure.self) { try key.open(changed, for: "purpose") }
    }
    for count in 0..<sealed.count {
      #expect(throws: SealingKey.Failure.self) {
        try key.open(Array(sealed.prefix(count)), for: "purpose")
      }
    }
    #expect(try key.open(key.seal([], for: "p", random: random), for: "p").isEmpty)
    #expect(SealingKey([1, 2, 3]) == nil)
  }
}
