import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

/// AuthService with Apple, Google and a provider that is not trusted with addresses, played by the test.
struct IdentityStage {
  let stage: AuthStage
  let apple: TestProvider
  let google: TestProvider
  let work: TestProvider

  static func run(
    on ground: AuthStage.Ground? = nil,
    authorization: AppleAuthorization? = nil,
    _ body: (IdentityStage) async throws -> Void
  ) async throws {
    var ground = try ground ?? AuthStage.Ground()
    let clock = ground.clock
    let (apple, google) = (TestProvider.apple(clock), TestProvider.google(clock))
    let work = TestProvider("work", issuer: "https://work.example", clock: clock)
    ground.settings.providers = try [
      .test("apple", #"{"client_ids": ["client"]}"#),
      .test("google", #"{"client_ids": ["client"], "trust_email_verified": true}"#),
      .test(
        "work",
        #"{"issuers": ["https://work.example"], "client_ids": ["client"], "keys": {"file": "none"}}"#
      ),
    ]
    ground.settings.providers[0].authorization = authorization
    ground.settings.passkeys.relyingParty = WebAuthnVector.party
    ground.keySetOrigin = { provider in
      switch provider.name {
      case "apple": apple
      case "google": google
      default: work
      }
    }
    try await AuthStage.run(on: ground) { stage in
      try await body(IdentityStage(stage: stage, apple: apple, google: google, work: work))
    }
  }

  /// A nonce for signing in, and the token that a provider makes for it.
  func token(
    _ provider: TestProvider,
    _ subject: String,
    email: String? = "ada@example.org",
    _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> (token: String, rawNonce: String) {
    let challenge = try await stage.identities.startSignIn(.init(provider: provider.name))
    var claims = provider.claims(subject, nonce: challenge.nonce, email: email)
    change(&claims)
    return (TestProvider.token(claims), challenge.rawNonce)
  }

  func signIn(
    _ provider: TestProvider,
    _ subject: String,
    email: String? = "ada@example.org",
    deviceToken: String = "",
    _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> Auth_V1.SignInResponse {
    let (token, nonce) = try await token(provider, subject, email: email, change)
    return try await stage.identities.signIn(
      .init(
        provider: provider.name,
        identityToken: token,
        rawNonce: nonce,
        device: .init(name: "Ada's phone"),
        deviceToken: deviceToken
      )
    )
  }

  func link(
    _ provider: TestProvider,
    _ subject: String,
    email: String? = "ada@example.org",
    by user: Auth_V1.SignInResponse
  ) async throws -> Auth_V1.LinkedIdentity {
    let options = stage.with(user)
    let challenge = try await stage.identities.startLink(
      .init(provider: provider.name),
      options: options
    )
    let claims = provider.claims(subject, nonce: challenge.nonce, email: email)
    return try await stage.identities.link(
      .init(
        provider: provider.name,
        identityToken: TestProvider.token(claims),
        rawNonce: challenge.rawNonce
      ),
      options: options
    )
  }

  func unlink(_ id: String, by user: Auth_V1.SignInResponse) async throws {
    _ = try await stage.identities.unlink(.init(identityId: id), options: stage.with(user))
  }

  func list(_ user: Auth_V1.SignInResponse) async throws -> Auth_V1.ListIdentitiesResponse {
    try await stage.identities.list(.init(), options: stage.with(user))
  }

  /// Whether a session lives.
  func isAlive(_ user: Auth_V1.SignInResponse) async -> Bool {
    await outcome { _ = try await stage.users.getMe(.init(), options: stage.with(user)) } == "OK"
  }

  /// What the access token of an answer says.
  func claims(_ answer: Auth_V1.SignInResponse) throws -> AccessClaims {
    let core = stage.service.core
    return try AccessTokenVerifier(issuer: core.settings.issuer, audience: core.settings.audience)
      .verify(answer.tokens?.accessToken ?? "", keys: core.ring.keys, now: stage.clock.now)
  }

  func count(_ table: String) async throws -> Int64 {
    try await stage.service.core.database.read { tx in
      try tx.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
    }
  }
}
