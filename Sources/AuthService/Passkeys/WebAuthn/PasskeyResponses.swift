internal import ServiceKit

/// The result of `navigator.credentials.create`, as `toJSON` of a browser writes it (WebAuthn Level 3,
/// `RegistrationResponseJSON`).
struct RegistrationResponse: Sendable {
  let credentialID: [UInt8]
  let clientData: [UInt8]
  let attestationObject: [UInt8]
  /// Ways to the authenticator that the browser knows of, to be shown to it again.
  let transports: [String]

  private static let transportCountMax = 8

  /// Reads a response; what is not looked at may be missing.
  init(json text: String) throws(PasskeyFault) {
    let (id, response) = try PasskeyJSON.read(text)
    credentialID = id
    clientData = try PasskeyJSON.bytes(response["clientDataJSON"])
    attestationObject = try PasskeyJSON.bytes(response["attestationObject"])
    let named = (response["transports"]?.array ?? []).compactMap(\.string)
    transports = Array(named.filter(Self.isTransport).prefix(Self.transportCountMax))
  }

  /// Names that are not known yet are kept, as long as they are names.
  private static func isTransport(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
  }
}

/// The result of `navigator.credentials.get`, as `toJSON` of a browser writes it
/// (`AuthenticationResponseJSON`).
struct UseResponse: Sendable {
  let credentialID: [UInt8]
  let clientData: [UInt8]
  let authenticatorData: [UInt8]
  let signature: [UInt8]
  /// The user of the key, as the authenticator remembers; nil when it does not say.
  let userHandle: [UInt8]?

  /// Reads a response.
  init(json text: String) throws(PasskeyFault) {
    let (id, response) = try PasskeyJSON.read(text)
    credentialID = id
    clientData = try PasskeyJSON.bytes(response["clientDataJSON"])
    authenticatorData = try PasskeyJSON.bytes(response["authenticatorData"])
    signature = try PasskeyJSON.bytes(response["signature"])
    switch response["userHandle"] {
    case nil, .null?: userHandle = nil
    case let value?:
      // Some browsers write the handle that they do not know as an empty one.
      let handle = try PasskeyJSON.bytes(value)
      userHandle = handle.isEmpty ? nil : handle
    }
  }
}

/// The parts that both responses share.
private enum PasskeyJSON {
  private static let limits = JSONLimits(
    byteCountMax: 32 * 1024,
    depthMax: 8,
    valueCountMax: 500
  )

  /// The identifier of the credential and the members of its `response`.
  static func read(_ text: String) throws(PasskeyFault) -> (id: [UInt8], response: JSONObject) {
    let value: JSONValue
    do {
      value = try JSONReader.read(Array(text.utf8), limits: limits)
    } catch {
      throw .response
    }
    guard let object = value.object, object["type"]?.string == "public-key",
      let response = object["response"]?.object
    else { throw .response }
    let id = try bytes(object["id"])
    guard (1...1023).contains(id.count), try id == bytes(object["rawId"] ?? object["id"]) else {
      throw .response
    }
    return (id, response)
  }

  /// Base 64 for URLs, with the padding that some libraries add.
  static func bytes(_ value: JSONValue?) throws(PasskeyFault) -> [UInt8] {
    guard let bytes = value?.string.flatMap(Base64URL.decodeAllowingPadding) else {
      throw .response
    }
    return bytes
  }
}
