/// A request to sign in with a provider, whichever method it came by.
struct ProviderSignIn: Sendable {
  let provider: String
  let token: String
  let rawNonce: String
  /// The authorization code that came along; empty without one.
  var code = ""
  let profile: NewUserProfile
  let device: DeviceDescription
  let deviceToken: String
  let allowsPartialContext: Bool
  let idempotencyKey: String
}

/// The names of a user who has no account yet, as the application gives them; the token has those that are empty.
struct NewUserProfile: Sendable {
  var displayName = ""
  var firstName = ""
  var lastName = ""
  var language = ""
}
