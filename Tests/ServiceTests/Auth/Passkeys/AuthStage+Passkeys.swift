import AuthContracts
import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService

extension AuthStage {
  static let passkeyRefused = "UNAUTHENTICATED PASSKEY_REFUSED"
  static let registrationRefused = "INVALID_ARGUMENT PASSKEY_REGISTRATION_REFUSED"

  var passkeys: Auth_V1.PasskeysClient { .init(channel) }

  /// Serves with passkeys for example.org while `body` runs.
  static func runWithPasskeys<Result: Sendable>(
    on ground: Ground? = nil,
    _ body: (AuthStage) async throws -> Result
  ) async throws -> Result {
    var ground = try ground ?? Ground()
    ground.settings.passkeys.relyingParty = WebAuthnVector.party
    return try await run(on: ground, body)
  }

  /// Registers a key of the authenticator for whoever is signed in; `change` makes the response say
  /// something else.
  @discardableResult
  func register(
    _ authenticator: SoftAuthenticator,
    for user: Auth_V1.SignInResponse,
    name: String = "Phone",
    _ change: (SoftAuthenticator.Answer) -> SoftAuthenticator.Answer = { $0 }
  ) async throws -> Auth_V1.Passkey {
    let started = try await passkeys.startRegistration(.init(), options: with(user))
    let answer = change(try authenticator.answer(started.options))
    let finished = try await passkeys.finishRegistration(
      .init(ceremonyId: started.ceremonyId, response: authenticator.json(answer), name: name),
      options: with(user)
    )
    return try #require(finished.passkey)
  }

  /// Signs in with the authenticator, which remembers its user as `handle`.
  func signIn(
    _ authenticator: SoftAuthenticator,
    handle: [UInt8]?,
    email: String = "",
    _ change: (SoftAuthenticator.Answer) -> SoftAuthenticator.Answer = { $0 }
  ) async throws -> Auth_V1.SignInResponse {
    let started = try await passkeys.startSignIn(.init(email: email))
    var answer = try authenticator.answer(started.options)
    answer.handle = handle
    answer = change(answer)
    return try await passkeys.finishSignIn(
      .init(ceremonyId: started.ceremonyId, response: authenticator.json(answer))
    )
  }

  /// Steps up with the authenticator.
  func stepUp(
    _ authenticator: SoftAuthenticator,
    _ user: Auth_V1.SignInResponse,
    _ change: (SoftAuthenticator.Answer) -> SoftAuthenticator.Answer = { $0 }
  ) async throws -> Auth_V1.AccessToken {
    let started = try await passkeys.startStepUp(.init(), options: with(user))
    let answer = change(try authenticator.answer(started.options))
    return try await passkeys.finishStepUp(
      .init(ceremonyId: started.ceremonyId, response: authenticator.json(answer)),
      options: with(user)
    )
  }

  /// What the user is called by authenticators.
  func handle(of user: Auth_V1.SignInResponse) async throws -> [UInt8]? {
    let id = try #require(user.user?.id)
    return try await service.core.store.read { tx in try PasskeyTable.handle(of: id, in: tx) }
  }

  /// What options say.
  func options(_ text: String) throws -> JSONObject {
    let limits = JSONLimits(byteCountMax: 1 << 16)
    return try #require(try JSONReader.read(Array(text.utf8), limits: limits).object)
  }

  /// What the newest log line about a refused passkey says of the fault.
  var lastFault: String? {
    let line = sink.lines.last { $0.contains("a passkey was refused") }
    return line?.firstMatch(of: #/"fault":"([a-z_]+)"/#).map { String($0.1) }
  }

  /// Claims of an access token.
  func claims(_ token: String) throws -> JSONObject {
    let parts = token.split(separator: ".")
    let text = try #require(Base64URL.decode(String(parts[1])))
    return try #require(
      try JSONReader.read(text, limits: JSONLimits(byteCountMax: 1 << 16)).object
    )
  }
}
