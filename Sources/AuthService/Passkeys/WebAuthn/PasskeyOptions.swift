internal import ServiceKit

/// A key that a browser is to use, or to see that it is there.
struct CredentialDescriptor: Hashable, Sendable {
  let id: [UInt8]
  let transports: [String]

  init(id: [UInt8], transports: [String]) {
    self.id = id
    self.transports = transports
  }

  init(_ passkey: PasskeyRecord) {
    self.init(id: passkey.credentialID, transports: passkey.transports)
  }

  fileprivate var json: JSONValue {
    [
      "type": "public-key", "id": .string(Base64URL.encode(id)),
      "transports": .array(transports.map { .string($0) }),
    ]
  }
}

/// The options for browsers, as `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take
/// it (WebAuthn Level 3, sections 5.1.9 and 5.1.10).
extension RelyingParty {
  /// How a passkey is to be made.
  ///
  /// The keys that the account has are named, because an authenticator that has one of them would
  /// overwrite it.
  func creationOptions(
    _ ceremony: PasskeyCeremony,
    for user: UserRecord,
    handle: [UInt8],
    excluding known: [CredentialDescriptor]
  ) -> String {
    let algorithms = PasskeyKey.Algorithm.allCases.map { algorithm -> JSONValue in
      ["type": "public-key", "alg": .number(JSONNumber(algorithm.rawValue))]
    }
    let options: JSONValue = [
      "rp": ["id": .string(id), "name": .string(name)],
      "user": [
        "id": .string(Base64URL.encode(handle)),
        "name": .string(user.email.isEmpty ? user.id : user.email),
        "displayName": .string(user.displayName),
      ],
      "challenge": .string(Base64URL.encode(ceremony.challenge)),
      "pubKeyCredParams": .array(algorithms),
      "timeout": .number(JSONNumber(PasskeyCeremony.lifetime)),
      "excludeCredentials": .array(known.map(\.json)),
      "authenticatorSelection": [
        "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
      ],
      "attestation": "none",
    ]
    return options.text
  }

  /// How a passkey is to be used; without `allowed`, any that the authenticator has for this
  /// relying party.
  func requestOptions(
    _ ceremony: PasskeyCeremony,
    allowing allowed: [CredentialDescriptor]
  ) -> String {
    let options: JSONValue = [
      "challenge": .string(Base64URL.encode(ceremony.challenge)),
      "timeout": .number(JSONNumber(PasskeyCeremony.lifetime)),
      "rpId": .string(id),
      "allowCredentials": .array(allowed.map(\.json)),
      "userVerification": "required",
    ]
    return options.text
  }

  /// The signal by which a browser forgets the passkeys that an account no longer has, as
  /// `PublicKeyCredential.signalAllAcceptedCredentials` takes it (section 5.1.11.2).
  func signal(handle: [UInt8], accepting known: [CredentialDescriptor]) -> String {
    let signal: JSONValue = [
      "rpId": .string(id), "userId": .string(Base64URL.encode(handle)),
      "allAcceptedCredentialIds": .array(known.map { .string(Base64URL.encode($0.id)) }),
    ]
    return signal.text
  }
}
