import ServiceKit
import Testing

@testable import AuthService

/// The examples of the W3C, as they were published.
@Suite("WebAuthn's published examples")
struct VectorTests {
  private static let party = WebAuthnVector.party

  /// What becomes of an example whose bits and format do not decide already.
  private func expected(_ vector: WebAuthnVector, isVerified: Bool) -> PasskeyFault? {
    if vector.name.contains("Origin") { return .crossOrigin }
    return isVerified ? nil : .userVerification
  }

  @Test("Each registration is accepted, or refused for what it has by design")
  func registrations_areTold() throws {
    var outcomes: [String: Attestation.Outcome] = [:]
    for vector in try WebAuthnVector.all() {
      let attestation = try Attestation(vector.attestationObject)
      let isVerified = WebAuthnVector.isVerified(attestation.authenticatorBytes)
      var wanted = expected(vector, isVerified: isVerified)
      if vector.name.contains("u2f"), wanted == nil { wanted = .attestationFormat }
      let found = fault {
        _ = try Self.party.verify(vector.registration, challenge: vector.registrationChallenge)
      }
      #expect(found == wanted, "\(vector.name)")
      // Whatever the bits are: the key is there, and its attestation holds.
      let key = try #require(try AuthenticatorData(attestation.authenticatorBytes).newKey)
      #expect(key.id == vector.credentialID && key.model == vector.model)
      guard !vector.name.contains("u2f") else { continue }
      let client = try ClientData(vector.registrationClientData)
      outcomes[vector.name] = try attestation.verify(key, clientDataHash: client.hash)
    }
    #expect(
      outcomes == [
        "none-es256": Attestation.Outcome.none, "packed-self-es256": .selfSigned,
        "none-es256-crossOrigin": Attestation.Outcome.none,
        "none-es256-topOrigin": Attestation.Outcome.none,
        "none-es256-long-credential-id": Attestation.Outcome.none, "packed-es256": .unverified,
        "packed-rs256": .unverified, "packed-eddsa": .unverified,
      ]
    )
  }

  @Test("Each signature is the key's, and of nothing else")
  func uses_areTold() throws {
    let vectors = try WebAuthnVector.all()
    for vector in vectors {
      let data = try AuthenticatorData(try Attestation(vector.attestationObject).authenticatorBytes)
      let key = try #require(data.newKey).key
      let isVerified = WebAuthnVector.isVerified(vector.authenticatorData)
      let found = fault {
        _ = try Self.party.verify(vector.use, challenge: vector.useChallenge, key: key)
      }
      #expect(found == expected(vector, isVerified: isVerified), "\(vector.name)")
      let client = try ClientData(vector.useClientData)
      let message = vector.authenticatorData + client.hash
      try key.verify(vector.signature, of: message)
      #expect(fault { try key.verify(vector.signature, of: message + [0]) } == .signature)
      for place in stride(from: 0, to: vector.signature.count, by: 7) {
        var changed = vector.signature
        changed[place] ^= 1
        #expect(fault { try key.verify(changed, of: message) } == .signature, "\(vector.name)")
      }
      for other in vectors where other.name != vector.name {
        #expect(fault { try key.verify(other.signature, of: message) } == .signature)
      }
    }
  }

  @Test("The algorithms are those of the examples")
  func keys_haveTheirAlgorithms() throws {
    var algorithms: [String: PasskeyKey.Algorithm] = [:]
    for vector in try WebAuthnVector.all() {
      let data = try AuthenticatorData(try Attestation(vector.attestationObject).authenticatorBytes)
      algorithms[vector.name] = try #require(data.newKey).key.algorithm
    }
    #expect(algorithms["packed-rs256"] == .rs256 && algorithms["packed-eddsa"] == .ed25519)
    #expect(algorithms["none-es256"] == .es256)
  }
}
