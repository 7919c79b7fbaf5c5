import RPCKit
import ServiceKit
import Testing

@testable import AuthService

/// Every rule of a ceremony broken alone, by a key that signs what it says.
@Suite("What a relying party checks")
struct CeremonyRulesTests {
  private typealias Answer = SoftAuthenticator.Answer
  private static let party = WebAuthnVector.party
  private static let challenge = [UInt8](repeating: 7, count: 32)

  private func answer(_ type: String, _ authenticator: SoftAuthenticator) -> Answer {
    Answer(type: type, challenge: Self.challenge, signer: authenticator.key)
  }

  @Test("Base 64 may be padded, and a handle that is empty or null is none")
  func response_padded_isRead() throws {
    func read(_ handle: JSONValue?) throws -> UseResponse {
      var response: JSONObject = [
        "clientDataJSON": "e30=", "authenticatorData": "AQ==", "signature": "AQID",
      ]
      response["userHandle"] = handle
      let value: JSONValue = [
        "id": "AQI", "rawId": "AQI=", "type": "public-key", "response": .object(response),
      ]
      return try UseResponse(json: value.text)
    }
    let response = try read("AQIDBA==")
    #expect(response.credentialID == [1, 2] && response.clientData == Array("{}".utf8))
    #expect(response.authenticatorData == [1] && response.signature == [1, 2, 3])
    #expect(response.userHandle == [1, 2, 3, 4])
    for handle: JSONValue? in [nil, .null, ""] { #expect(try read(handle).userHandle == nil) }
    for handle: JSONValue in ["AQ=", "AQ===", "AQI==", "=", "A", "AQ==AQ==", 1] {
      #expect(fault { _ = try read(handle) } == .response, "\(handle)")
    }
  }

  private func use(
    _ authenticator: SoftAuthenticator,
    _ change: (inout Answer) -> Void = { _ in }
  )
    -> PasskeyFault?
  {
    var answer = answer("webauthn.get", authenticator)
    change(&answer)
    return fault {
      _ = try Self.party.verify(
        UseResponse(json: authenticator.json(answer)),
        challenge: Self.challenge,
        key: PasskeyKey(encoded: authenticator.coseKey)
      )
    }
  }

  private func register(
    _ authenticator: SoftAuthenticator,
    _ change: (inout Answer) -> Void = { _ in }
  ) -> PasskeyFault? {
    var answer = answer("webauthn.create", authenticator)
    change(&answer)
    return fault {
      _ = try Self.party.verify(
        RegistrationResponse(json: authenticator.json(answer)),
        challenge: Self.challenge
      )
    }
  }

  @Test("What both kinds of ceremony check, they both check")
  func both_rulesBroken_areRefused() {
    let authenticator = SoftAuthenticator()
    for ceremony in [use, register] {
      #expect(ceremony(authenticator, { _ in }) == nil)
      #expect(ceremony(authenticator) { $0.type = "payment.get" } != nil)
      #expect(ceremony(authenticator) { $0.challenge[31] ^= 1 } == .challenge)
      #expect(ceremony(authenticator) { $0.challenge = [] } == .challenge)
      for origin in [
        "https://example.org.evil.example", "http://example.org", "https://example.org:444",
        "https://sub.example.org", "https://EXAMPLE.org", "https://example.org/", "null", "",
      ] {
        #expect(ceremony(authenticator) { $0.origin = origin } == .origin, "\(origin)")
      }
      #expect(ceremony(authenticator) { $0.crossOrigin = nil } == nil)
      #expect(ceremony(authenticator) { $0.crossOrigin = true } == .crossOrigin)
      #expect(ceremony(authenticator) { $0.crossOrigin = "false" } == .clientData)
      #expect(ceremony(authenticator) { $0.topOrigin = "https://example.org" } == .crossOrigin)
      #expect(ceremony(authenticator) { $0.relyingParty = "example.com" } == .relyingParty)
      #expect(ceremony(authenticator) { $0.flags = [.userVerified] } == .userPresence)
      #expect(ceremony(authenticator) { $0.flags = [.userPresent] } == .userVerification)
      #expect(ceremony(authenticator) { $0.flags.insert(.backedUp) } == .backupState)
      #expect(ceremony(authenticator) { $0.flags.formUnion([.backedUp, .backupEligible]) } == nil)
      // Bits that mean nothing yet.
      #expect(ceremony(authenticator) { $0.flags.formUnion(.init(rawValue: 0x22)) } == nil)
      #expect(ceremony(authenticator) { $0.trailing = [0] } == .authenticatorData)
      #expect(ceremony(authenticator) { $0.flags.insert(.hasExtensions) } != nil)
      #expect(
        ceremony(authenticator) {
          $0.flags.insert(.hasExtensions)
          $0.trailing = [0xA1, 0x61, 0x78, 0xF5]
        } == nil
      )
      #expect(
        ceremony(authenticator) {
          $0.flags.insert(.hasExtensions)
          $0.trailing = [0xF5]
        } == .authenticatorData
      )
      // Browsers add names that nobody knows; none may be there twice.
      #expect(ceremony(authenticator) { $0.extraClientText = #","other_keys":{"a":[1]}"# } == nil)
      #expect(
        ceremony(authenticator) { $0.extraClientText = #","origin":"https://example.org""# }
          == .clientData
      )
      #expect(ceremony(authenticator) { $0.extraClientText = "," } == .clientData)
      #expect(ceremony(authenticator) { $0.credentialID = [] } == .response)
    }
  }

  @Test("A use is signed by its key, carries no other one, and is no registration")
  func use_rulesBroken_areRefused() {
    let authenticator = SoftAuthenticator()
    #expect(use(authenticator) { $0.signer = .generate() } == .signature)
    #expect(use(authenticator) { $0.flags.insert(.hasKey) } == .authenticatorData)
    #expect(use(authenticator) { $0.type = "webauthn.get " } == .type)
    let key = authenticator.coseKey
    #expect(
      use(authenticator) {
        $0.flags.insert(.hasKey)
        $0.trailing = [UInt8](repeating: 0, count: 16) + [0, 1, 9] + key
      } == .authenticatorData
    )
  }

  @Test("A registration brings a key under the name that the response gives it")
  func register_rulesBroken_areRefused() {
    let authenticator = SoftAuthenticator()
    #expect(register(authenticator) { $0.credentialID = [1, 2, 3] } == .credentialID)
    #expect(register(authenticator) { $0.statement = [0xA1, 0x61, 0x61, 1] } == .attestation)
    for format in ["None", "NONE", "packed ", "fido-u2f", "tpm", "android-key", "apple", ""] {
      #expect(register(authenticator) { $0.format = format } == .attestationFormat, "\(format)")
    }
    #expect(register(SoftAuthenticator(credentialID: .init(repeating: 1, count: 1023))) == nil)
    let tooLong = SoftAuthenticator(credentialID: .init(repeating: 1, count: 1024))
    #expect(register(tooLong) { $0.credentialID = [1] } == .credentialID)
    #expect(
      register(SoftAuthenticator(credentialID: [])) { $0.credentialID = [1] } == .credentialID
    )
  }

  @Test("A key that signs for itself does so over what it says, with its own algorithm")
  func register_selfAttestation_mustHold() throws {
    let authenticator = SoftAuthenticator()
    func register(alg: [UInt8], _ change: (inout [UInt8]) -> Void = { _ in }) -> PasskeyFault? {
      self.register(authenticator) { answer in
        answer.format = "packed"
        var message =
          authenticator.authenticatorData(answer, withKey: true)
          + Digests.sha256(authenticator.clientData(answer))
        change(&message)
        answer.statement =
          [0xA2] + SoftAuthenticator.text("alg") + alg + SoftAuthenticator.text("sig")
          + SoftAuthenticator.bytes(authenticator.sign(message, by: authenticator.key))
      }
    }
    #expect(register(alg: [0x26]) == nil)
    #expect(register(alg: [0x26]) { $0[40] ^= 1 } == .signature)
    #expect(register(alg: [0x27]) == .attestation)
    #expect(register(alg: [0x38, 0x22]) == .attestation)
    #expect(self.register(authenticator) { $0.format = "packed" } == .attestation)
  }

  @Test("A byte order mark before client data is no part of the text, and is signed")
  func clientData_byteOrderMark_isLeftOut() throws {
    let authenticator = SoftAuthenticator()
    let answer = answer("webauthn.get", authenticator)
    let client = [0xEF, 0xBB, 0xBF] + authenticator.clientData(answer)
    let data = authenticator.authenticatorData(answer, withKey: false)
    let signature = authenticator.sign(data + Digests.sha256(client), by: authenticator.key)
    let response = try UseResponse(
      json: PasskeyJSONText.use(authenticator.credentialID, client, data, signature)
    )
    _ = try Self.party.verify(
      response,
      challenge: Self.challenge,
      key: PasskeyKey(encoded: authenticator.coseKey)
    )
    #expect(
      fault { _ = try ClientData([0xEF, 0xBB, 0xBF] + client) } == .clientData,
      "one mark is left out"
    )
  }

  @Test("Client data is text, and no longer than pages need")
  func clientData_other_isRefused() throws {
    let authenticator = SoftAuthenticator()
    for text in ["", "{", "[]", "null", "{}", #"{"type":"webauthn.get"}"#] {
      #expect(fault { _ = try ClientData(Array(text.utf8)) } == .clientData, "\(text)")
    }
    var answer = answer("webauthn.get", authenticator)
    answer.extraClientText = #","x":""# + String(repeating: "x", count: 9000) + "\""
    #expect(fault { _ = try ClientData(authenticator.clientData(answer)) } == .clientData)
    answer.extraClientText = ""
    let bytes = authenticator.clientData(answer)
    #expect(fault { _ = try ClientData(bytes + [0xFF]) } == .clientData)
    for count in stride(from: 0, to: bytes.count, by: 5) {
      #expect(fault { _ = try ClientData(Array(bytes.prefix(count))) } == .clientData)
    }
  }

  @Test("The published key signs what was changed, and is refused for the change alone")
  func vector_changedAndSignedAgain_isRefusedForTheChange() throws {
    let vector = try WebAuthnVector.named("none-es256")
    let data = try AuthenticatorData(try Attestation(vector.attestationObject).authenticatorBytes)
    let newKey = try #require(data.newKey)
    let key = try SigningKey(privateBytes: vector.privateKey)
    let authenticator = SoftAuthenticator(credentialID: vector.credentialID, key: key)
    #expect(authenticator.coseKey == newKey.encoded)
    #expect(use(authenticator) == nil)
    #expect(use(authenticator) { $0.flags = [.userPresent] } == .userVerification)
    #expect(use(authenticator) { $0.origin = "https://example.com" } == .origin)
    #expect(use(authenticator) { $0.challenge[0] ^= 1 } == .challenge)
  }

  @Test("A counter that rises is stored, one that does not is remembered, and the higher one stays")
  func counter_fallen_isTold() {
    func take(
      _ stored: UInt32,
      _ shown: UInt32,
      usedSince isUsed: Bool = false
    ) -> (change: PasskeyRecord.CounterChange, kept: UInt32) {
      var passkey = PasskeyRecord(
        id: "pky_1",
        credentialID: [1],
        userID: "usr_1",
        publicKey: [],
        signCount: stored,
        isBackupEligible: false,
        isBackedUp: false,
        transports: [],
        model: [],
        attestation: .none,
        relyingParty: "",
        name: "",
        isAddressProven: true,
        created: 0
      )
      passkey.lastUsed = isUsed ? 5 : 4
      let change = passkey.take(
        ProvenUse(flags: [.backupEligible], signCount: shown),
        begun: 5,
        now: 9
      )
      #expect(passkey.isBackupEligible && passkey.lastUsed == 9)
      #expect(passkey.counterFell == (change == .fell ? 9 : nil))
      return (change, passkey.signCount)
    }
    #expect(take(0, 0) == (.rose, 0))
    #expect(take(0, 1) == (.rose, 1))
    #expect(take(5, 6) == (.rose, 6))
    #expect(take(5, 5) == (.fell, 5))
    #expect(take(5, 4) == (.fell, 5))
    #expect(take(5, 0) == (.fell, 5))
    #expect(take(.max, 0) == (.fell, .max))
    // A later use was taken first; two of the key would count alike.
    #expect(take(7, 6, usedSince: true) == (.overtaken, 7))
    #expect(take(7, 7, usedSince: true) == (.fell, 7))
  }
}
