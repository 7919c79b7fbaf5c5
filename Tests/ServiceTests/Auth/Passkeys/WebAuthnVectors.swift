import RPCKit
import ServiceKit
import Testing

@testable import AuthService

/// An example of the W3C: a passkey that was made and then used (see the README beside the data).
struct WebAuthnVector: Sendable {
  let name: String
  let privateKey: [UInt8]
  let credentialID: [UInt8]
  let model: [UInt8]
  let registrationChallenge: [UInt8]
  let registrationClientData: [UInt8]
  let attestationObject: [UInt8]
  let useChallenge: [UInt8]
  let useClientData: [UInt8]
  let authenticatorData: [UInt8]
  let signature: [UInt8]

  static let party = RelyingParty(
    id: "example.org",
    name: "Example",
    origins: ["https://example.org"]
  )

  static func all() throws -> [WebAuthnVector] {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    let text = try FileBytes.read("/\(folder)/Vectors/webauthn.json", byteCountMax: 1 << 20)
    let value = try JSONReader.read(text, limits: JSONLimits(byteCountMax: 1 << 20))
    let vectors = try JSONField(value).elements().map { try WebAuthnVector($0) }
    try #require(vectors.count == 9)
    return vectors
  }

  static func named(_ name: String) throws -> WebAuthnVector {
    try #require(try all().first { $0.name == name })
  }

  private init(_ field: JSONField) throws {
    var members = try field.members()
    name = try members.required("name").string()
    privateKey = try Self.bytes(members.required("private_key"))
    var made = try members.required("registration").members()
    credentialID = try Self.bytes(made.required("credential_id"))
    model = try Self.bytes(made.required("aaguid"))
    registrationChallenge = try Self.bytes(made.required("challenge"))
    registrationClientData = try Self.bytes(made.required("clientDataJSON"))
    attestationObject = try Self.bytes(made.required("attestationObject"))
    var used = try members.required("authentication").members()
    useChallenge = try Self.bytes(used.required("challenge"))
    useClientData = try Self.bytes(used.required("clientDataJSON"))
    authenticatorData = try Self.bytes(used.required("authenticatorData"))
    signature = try Self.bytes(used.required("signature"))
  }

  private static func bytes(_ field: JSONField) throws -> [UInt8] {
    try #require(hexadecimal(try field.string()))
  }

  /// Whether the authenticator verified its user, which the examples do at random.
  static func isVerified(_ data: [UInt8]) -> Bool { data[32] & 4 != 0 }

  var registration: RegistrationResponse {
    get throws {
      try RegistrationResponse(
        json: PasskeyJSONText.registration(credentialID, registrationClientData, attestationObject)
      )
    }
  }

  var use: UseResponse {
    get throws {
      try UseResponse(
        json: PasskeyJSONText.use(credentialID, useClientData, authenticatorData, signature)
      )
    }
  }
}

/// The bytes of hexadecimal digits; nil for other text.
func hexadecimal(_ text: String) -> [UInt8]? {
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0 else { return nil }
  var bytes: [UInt8] = []
  for start in stride(from: 0, to: digits.count, by: 2) {
    let pair = String(decoding: digits[start..<(start + 2)], as: UTF8.self)
    guard let byte = UInt8(pair, radix: 16) else { return nil }
    bytes.append(byte)
  }
  return bytes
}

/// Responses as `toJSON` of a browser writes them.
enum PasskeyJSONText {
  static func registration(
    _ id: [UInt8],
    _ clientData: [UInt8],
    _ attestationObject: [UInt8],
    transports: [String] = ["internal"]
  ) -> String {
    text(
      id,
      [
        "clientDataJSON": base64(clientData), "attestationObject": base64(attestationObject),
        "transports": .array(transports.map { .string($0) }), "publicKeyAlgorithm": -7,
      ]
    )
  }

  static func use(
    _ id: [UInt8],
    _ clientData: [UInt8],
    _ authenticatorData: [UInt8],
    _ signature: [UInt8],
    handle: [UInt8]? = nil
  ) -> String {
    var response: JSONObject = [
      "clientDataJSON": base64(clientData), "authenticatorData": base64(authenticatorData),
      "signature": base64(signature),
    ]
    response["userHandle"] = handle.map { base64($0) }
    return text(id, response)
  }

  private static func text(_ id: [UInt8], _ response: JSONObject) -> String {
    let value: JSONValue = [
      "id": base64(id), "rawId": base64(id), "type": "public-key",
      "authenticatorAttachment": "platform", "clientExtensionResults": [:],
      "response": .object(response),
    ]
    return value.text
  }

  private static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}

/// What a verifier threw; nil when it did not.
func fault(_ body: () throws -> Void) -> PasskeyFault? {
  do {
    try body()
    return nil
  } catch let fault as PasskeyFault {
    return fault
  } catch {
    Issue.record("\(error)")
    return nil
  }
}
