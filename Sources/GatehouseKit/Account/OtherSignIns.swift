/// The credential that Apple gives an app after a person has signed in there.
public struct AppleCredential: Sendable {
  /// The identity token, as text.
  public var identityToken: String
  /// The authorization code, as text.
  public var authorizationCode: String?
  /// The name, which Apple gives the first time only.
  public var displayName: String?

  /// Makes a credential.
  public init(identityToken: String, authorizationCode: String? = nil, displayName: String? = nil) {
    self.identityToken = identityToken
    self.authorizationCode = authorizationCode
    self.displayName = displayName
  }
}

/// Sign in with Apple, by AuthenticationServices in an app.
public protocol AppleSignInProvider: Sendable {
  /// Has the person sign in, with `nonce` as the request's nonce.
  func credential(nonce: String) async throws -> AppleCredential
}

/// Passkeys, by AuthenticationServices in an app.
public protocol PasskeyProvider: Sendable {
  /// Has the person choose a passkey; options and response are the JSON of WebAuthn.
  func assertion(options: JSONValue) async throws -> JSONValue
}

extension Account {
  private struct AppleStart: Decodable, Sendable {
    var rawNonce: String
    var nonce: String
  }

  private struct PasskeyStart: Decodable, Sendable {
    var ceremonyId: String
    var options: JSONValue
  }

  /// Signs in with Apple.
  @discardableResult
  public func signIn(apple provider: any AppleSignInProvider) async throws -> SignInResult {
    let start = try await publicCall(
      Call(.post, "auth/apple/start", body: NoBody()),
      as: AppleStart.self
    )
    let credential = try await provider.credential(nonce: start.nonce)
    let body = SignInWire.Apple(
      identityToken: credential.identityToken,
      rawNonce: start.rawNonce,
      authorizationCode: credential.authorizationCode,
      profile: credential.displayName.map(SignInWire.Apple.Profile.init),
      device: device
    )
    return try await signIn(Call(.post, "auth/apple/login", body: body).once())
  }

  /// Signs in with a passkey.
  @discardableResult
  public func signIn(passkey provider: any PasskeyProvider) async throws -> SignInResult {
    let start = try await publicCall(
      Call(.post, "auth/passkeys/start", body: NoBody()),
      as: PasskeyStart.self
    )
    let response = try await provider.assertion(options: start.options)
    let body = SignInWire.Passkey(ceremonyId: start.ceremonyId, response: response, device: device)
    return try await signIn(Call(.post, "auth/passkeys/login", body: body))
  }
}
