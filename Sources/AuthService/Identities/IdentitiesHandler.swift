internal import AuthContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// Signing in with identities at other providers.
struct IdentitiesHandler: Auth_V1.IdentitiesService {
  let core: AuthCore
  let ways: WaysIn
  let deletions: DeletionSaga

  func startAppleSignIn(
    _ request: Auth_V1.StartAppleSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ProviderChallenge {
    try challenge(.signIn(provider: IdentityProvider.apple), of: IdentityProvider.apple)
  }

  func listProviders(
    _ request: Auth_V1.ListProvidersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListProvidersResponse {
    let providers = core.providers.all.compactMap { provider in
      provider.browser.map { browser in
        Auth_V1.BrowserProvider(
          name: provider.name,
          authorizationUrl: browser.authorizationURL,
          clientId: browser.clientID,
          scope: browser.scope
        )
      }
    }
    return .init(providers: providers)
  }

  func startSignIn(
    _ request: Auth_V1.StartProviderSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ProviderChallenge {
    try challenge(.signIn(provider: request.provider), of: request.provider)
  }

  func startLink(
    _ request: Auth_V1.StartProviderSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ProviderChallenge {
    let identity = try call.requireUser()
    return try challenge(
      .link(provider: request.provider, session: identity.sessionID),
      of: request.provider
    )
  }

  private func challenge(
    _ purpose: SignInNonces.Purpose,
    of name: String
  ) throws -> Auth_V1.ProviderChallenge {
    let provider = try core.providers.find(name).provider
    let now = core.clock.now
    let raw = core.providers.nonces.make(for: purpose, now: now, core.random)
    return .init(
      rawNonce: raw,
      nonce: SignInNonces.expected(of: raw, provider.nonceForm),
      expiresAt: .init(milliseconds: now.addingSaturated(SignInNonces.lifetime)),
      issuer: provider.issuer,
      clientIds: provider.clientIDs.sorted()
    )
  }

  func signInWithApple(
    _ request: Auth_V1.SignInWithAppleRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    try await signIn(ProviderSignIn(request), request, call)
  }

  func signIn(
    _ request: Auth_V1.ProviderSignInRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.SignInResponse {
    try await signIn(ProviderSignIn(request), request, call)
  }

  func list(
    _ request: Auth_V1.ListIdentitiesRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ListIdentitiesResponse {
    let identity = try call.requireUser()
    return try await core.store.read { tx in
      .init(
        identities: try IdentityTable.list(of: identity.userID, in: tx).map { .init($0) },
        hasPassword: try UserTable.hasPassword(identity.userID, in: tx)
      )
    }
  }
}
