/// The fault of a passkey or of a response that was made with one.
///
/// For the log: callers learn that it was refused, and nothing more.
enum PasskeyFault: String, Error, CaseIterable {
  /// The response is not the JSON of a browser's credential.
  case response
  /// CBOR that is not well-formed, not canonical, too deep or too long.
  case cbor
  /// The key is none, or of an algorithm that was not offered.
  case key
  /// Authenticator data that is too short or too long, or has parts that do not belong.
  case authenticatorData = "authenticator_data"
  /// Client data that is not JSON, or lacks something.
  case clientData = "client_data"
  /// Client data of another kind of ceremony.
  case type
  /// Another challenge than the one that was issued.
  case challenge
  /// An origin that is not among the settings.
  case origin
  /// The page was a frame in a page of somebody else.
  case crossOrigin = "cross_origin"
  /// Of another relying party.
  case relyingParty = "relying_party"
  /// The authenticator was not touched.
  case userPresence = "user_presence"
  /// The authenticator did not verify who touched it.
  case userVerification = "user_verification"
  /// Backed up, although it says that it cannot be.
  case backupState = "backup_state"
  /// An identifier that is too long, or not the one that the response names.
  case credentialID = "credential_id"
  /// A format of attestation that is not taken.
  case attestationFormat = "attestation_format"
  /// An attestation that does not hold.
  case attestation
  /// A signature of another key, or of something else.
  case signature
  /// A ceremony that no longer exists, or never did.
  case ceremony
  /// A ceremony that took too long.
  case expired
  /// A ceremony of another kind.
  case kind
  /// A ceremony of another user or session.
  case owner
  /// A passkey that nobody has, or not the user who is asked for.
  case credential
  /// A user handle that is missing, or another user's.
  case userHandle = "user_handle"
  /// A passkey that somebody has already.
  case registered
  /// A counter that did not rise: the key may have been copied.
  case counter
}
