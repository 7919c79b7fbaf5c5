extension MatrixTable {
  /// Methods of AuthService for passkeys.
  static let passkeys: [MatrixRow] = [
    .init("Passkeys/StartRegistration", .none, .everyone),
    // Nobody answers a challenge: what passkeys prove is for PasskeyTests.
    .init(
      "Passkeys/FinishRegistration",
      .none,
      [],
      #"{"ceremonyId": "none", "response": "{}"}"#,
      yes: "passkey"
    ),
    .init("Passkeys/StartSignIn", .none, .everyone),
    // A passkey that is refused would look like a caller who is.
    .init("Passkeys/FinishSignIn", .none, [], yes: "tokens"),
    .init("Passkeys/StartStepUp", .none, [], yes: "ceremonyId"),
    .init(
      "Passkeys/FinishStepUp",
      .none,
      [],
      #"{"ceremonyId": "none", "response": "{}"}"#,
      yes: "token"
    ),
    .init("Passkeys/List", .none, .everyone),
    .init("Passkeys/Rename", .none, [], #"{"passkeyId": "none", "name": "x"}"#, yes: "renamed"),
    .init("Passkeys/Remove", .none, .everyone, #"{"passkeyId": "none"}"#),
  ]
}
