internal import ServiceKit

/// The relying party of passkeys: a domain, and the pages and applications that may use it.
public struct RelyingParty: Hashable, Sendable {
  /// The domain that passkeys are bound to.
  public let id: String
  /// The name by the user's device.
  public let name: String
  /// Where responses may come from, compared as they are: `https://example.com`,
  /// `android:apk-key-hash:…`.
  public let origins: Set<String>
  /// SHA-256 of `id`, as authenticators write it.
  let hash: [UInt8]

  /// Makes a relying party; see `PasskeySettings` for what is checked.
  public init(id: String, name: String, origins: Set<String>) {
    self.id = id
    self.name = name
    self.origins = origins
    hash = Digests.sha256(id)
  }
}

/// A passkey that a response proved to exist.
struct ProvenRegistration: Sendable {
  let newKey: AuthenticatorData.NewKey
  let flags: AuthenticatorData.Flags
  let signCount: UInt32
  let attestation: Attestation.Outcome
}

/// The proven use of a passkey.
struct ProvenUse: Sendable {
  let flags: AuthenticatorData.Flags
  let signCount: UInt32

  /// The proof of a session that begins with it or is raised by it; a key that cannot leave its
  /// device counts as hardware (RFC 8176; OpenID EAP ACR Values).
  var proof: SignInProof {
    flags.contains(.backupEligible)
      ? SignInProof(acr: "phr", methods: ["swk", "user", "mfa"])
      : SignInProof(acr: "phrh", methods: ["hwk", "user", "mfa"])
  }
}

/// The checks of a relying party by WebAuthn (sections 7.1 and 7.2), as far as they take no memory of
/// users.
///
/// Both return what was proven or throw: a verdict that could be ignored has been.
extension RelyingParty {
  /// Checks the making of a passkey.
  func verify(
    _ response: RegistrationResponse,
    challenge: [UInt8]
  ) throws(PasskeyFault) -> ProvenRegistration {
    let client = try ClientData(response.clientData)
    try client.check(.create, challenge: challenge, origins: origins)
    let attestation = try Attestation(response.attestationObject)
    let data = try AuthenticatorData(attestation.authenticatorBytes)
    try check(data)
    guard let newKey = data.newKey else { throw .authenticatorData }
    guard newKey.id == response.credentialID else { throw .credentialID }
    return ProvenRegistration(
      newKey: newKey,
      flags: data.flags,
      signCount: data.signCount,
      attestation: try attestation.verify(newKey, clientDataHash: client.hash)
    )
  }

  /// Checks the use of a passkey whose key is `key`.
  func verify(
    _ response: UseResponse,
    challenge: [UInt8],
    key: PasskeyKey
  ) throws(PasskeyFault) -> ProvenUse {
    let client = try ClientData(response.clientData)
    try client.check(.get, challenge: challenge, origins: origins)
    let data = try AuthenticatorData(response.authenticatorData)
    try check(data)
    guard data.newKey == nil else { throw .authenticatorData }
    try key.verify(response.signature, of: response.authenticatorData + client.hash)
    return ProvenUse(flags: data.flags, signCount: data.signCount)
  }

  /// The bits count: what a page asks the authenticator to do is a wish.
  private func check(_ data: AuthenticatorData) throws(PasskeyFault) {
    guard Digests.areEqual(data.relyingPartyHash, hash) else { throw .relyingParty }
    guard data.flags.contains(.userPresent) else { throw .userPresence }
    guard data.flags.contains(.userVerified) else { throw .userVerification }
  }
}
