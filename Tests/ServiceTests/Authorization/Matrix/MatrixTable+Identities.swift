/// Signing in with other providers' identities.
extension MatrixTable {
  static let identities: [MatrixRow] = [
    // No provider is set up here: what their tokens allow is for ProviderSignInTests.
    .init("Identities/ListProviders", .none, .everyone),
    .init("Identities/StartAppleSignIn", .none, [], yes: "rawNonce"),
    .init(
      "Identities/SignInWithApple",
      .none,
      [],
      #"{"identityToken": "a.b.c", "rawNonce": "none"}"#,
      yes: "tokens"
    ),
    .init("Identities/StartSignIn", .none, [], #"{"provider": "none"}"#, yes: "rawNonce"),
    .init(
      "Identities/SignIn",
      .none,
      [],
      #"{"provider": "none", "identityToken": "a.b.c", "rawNonce": "none"}"#,
      yes: "tokens"
    ),
    .init("Identities/StartLink", .none, [], #"{"provider": "none"}"#, yes: "rawNonce"),
    .init(
      "Identities/Link",
      .none,
      [],
      #"{"provider": "none", "identityToken": "a.b.c", "rawNonce": "none"}"#,
      yes: "linkedAt"
    ),
    .init("Identities/Unlink", .none, .everyone, #"{"identityId": "idt_0"}"#),
    .init("Identities/List", .none, .everyone),
    .init("Identities/NotifyApple", .none, [], #"{"payload": "a.b.c"}"#, yes: "applied"),
  ]
}
