import RPCKit
import ServiceKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// An authenticator and its browser in memory: one key on P-256, and everything that can be wrong
/// with it.
struct SoftAuthenticator: Sendable {
  /// What a response says; each may be changed to something that it should not say.
  struct Answer: Sendable {
    var relyingParty = "example.org"
    var origin = "https://example.org"
    var type: String
    var challenge: [UInt8]
    var crossOrigin: JSONValue? = false
    var topOrigin: String?
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    var signCount: UInt32 = 0
    /// Put behind what the authenticator signs.
    var trailing: [UInt8] = []
    /// Put into the client data as it is.
    var extraClientText = ""
    /// Named in the response instead of the key's own.
    var credentialID: [UInt8]?
    var handle: [UInt8]?
    var signer: SigningKey
    /// Of a registration.
    var format = "none"
    var statement: [UInt8] = [0xA0]

    /// The same with another value: closures that change one in place, in closures that are async
    /// and throw, crash the compiler (Swift 6.3.1).
    func with<Value>(_ path: WritableKeyPath<Answer, Value>, _ value: Value) -> Answer {
      var answer = self
      answer[keyPath: path] = value
      return answer
    }
  }

  let credentialID: [UInt8]
  let key: SigningKey
  /// Whether the key can be copied.
  var isSynced = false

  init(credentialID: [UInt8] = SystemRandomSource().bytes(32), key: SigningKey = .generate()) {
    self.credentialID = credentialID
    self.key = key
  }

  var coseKey: [UInt8] {
    let prefix: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20]
    return prefix + key.verificationKey.x + [0x22, 0x58, 0x20] + key.verificationKey.y
  }

  /// What options ask for: a registration or a use.
  func answer(_ options: String) throws -> Answer {
    let limits = JSONLimits(byteCountMax: 1 << 20)
    let object = try #require(try JSONReader.read(Array(options.utf8), limits: limits).object)
    let challenge = try #require(object["challenge"]?.string.flatMap { Base64URL.decode($0) })
    let user = object["user"]?.object?["id"]?.string.flatMap { Base64URL.decode($0) }
    var answer = Answer(
      type: user == nil ? "webauthn.get" : "webauthn.create",
      challenge: challenge,
      handle: user,
      signer: key
    )
    if isSynced { answer.flags.formUnion([.backupEligible, .backedUp]) }
    return answer
  }

  /// The response as a browser writes it.
  func json(_ answer: Answer) -> String {
    let client = clientData(answer)
    let id = answer.credentialID ?? credentialID
    if answer.type == "webauthn.create" {
      let data = authenticatorData(answer, withKey: true)
      return PasskeyJSONText.registration(id, client, attestationObject(answer, data))
    }
    let data = authenticatorData(answer, withKey: false)
    let signature = sign(data + Digests.sha256(client), by: answer.signer)
    return PasskeyJSONText.use(id, client, data, signature, handle: answer.handle)
  }

  func sign(_ message: [UInt8], by key: SigningKey) -> [UInt8] {
    // DER, which authenticators write; nil only for what is no signature.
    ECDSASignature(raw: key.sign(message))?.der ?? []
  }

  func clientData(_ answer: Answer) -> [UInt8] {
    var object: JSONObject = [
      "type": .string(answer.type), "challenge": .string(Base64URL.encode(answer.challenge)),
      "origin": .string(answer.origin),
    ]
    object["crossOrigin"] = answer.crossOrigin
    object["topOrigin"] = answer.topOrigin.map { .string($0) }
    let text = JSONValue.object(object).text
    return Array((text.dropLast() + answer.extraClientText + "}").utf8)
  }

  func authenticatorData(_ answer: Answer, withKey: Bool) -> [UInt8] {
    var flags = answer.flags
    if withKey { flags.insert(.hasKey) }
    var data = Digests.sha256(answer.relyingParty) + [flags.rawValue]
    data += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: answer.signCount >> $0) }
    if withKey {
      data += [UInt8](repeating: 0, count: 16)
      data += [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 255)]
      data += credentialID + coseKey
    }
    return data + answer.trailing
  }

  func attestationObject(_ answer: Answer, _ data: [UInt8]) -> [UInt8] {
    [0xA3] + Self.text("fmt") + Self.text(answer.format) + Self.text("attStmt") + answer.statement
      + Self.text("authData") + Self.bytes(data)
  }

  static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + text.utf8 }

  static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }

  private static func head(_ type: UInt8, _ count: Int) -> [UInt8] {
    switch count {
    case ..<24: [type << 5 | UInt8(count)]
    case ..<256: [type << 5 | 24, UInt8(count)]
    default: [type << 5 | 25, UInt8(count >> 8), UInt8(count & 255)]
    }
  }
}
