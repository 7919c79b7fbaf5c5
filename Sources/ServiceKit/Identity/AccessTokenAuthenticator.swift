public import RPCKit

/// From the text of an access token to what it says: cache, keys, clock and revocations together.
public final class AccessTokenAuthenticator: Sendable {
  private let verifier: AccessTokenVerifier
  private let keys: any KeySource
  private let revocations: any RevocationSource
  private let cache: VerifiedTokenCache
  private let clock: any WallClock

  /// A token that is believed, and whether its session is known to live.
  public struct Outcome: Sendable {
    /// What the token says.
    public var claims: AccessClaims
    /// False while nobody can tell: reads may go on, what asks for a step-up may not.
    public var isSessionKnown: Bool
  }

  /// Makes an authenticator; services share neither it nor its cache.
  public init(
    verifier: AccessTokenVerifier,
    keys: any KeySource,
    revocations: any RevocationSource,
    cache: VerifiedTokenCache = VerifiedTokenCache(),
    clock: any WallClock
  ) {
    self.verifier = verifier
    self.keys = keys
    self.revocations = revocations
    self.cache = cache
    self.clock = clock
  }

  /// Believes a token or throws why not.
  ///
  /// Waits only for keys when the token names an unknown one, and for AuthService when revocations
  /// are not being heard of.
  public func authenticate(_ text: String) async throws(TokenFault) -> Outcome {
    guard text.utf8.count <= JSONWebToken.byteCountMax else { throw .tooLong }
    let digest = Digests.sha256(text)
    let claims = try await verified(text, digest)
    switch await revocations.state(of: claims) {
    case .active: return Outcome(claims: claims, isSessionKnown: true)
    case .unknown: return Outcome(claims: claims, isSessionKnown: false)
    case .revoked: throw .revoked
    }
  }

  private func verified(_ text: String, _ digest: [UInt8]) async throws(TokenFault) -> AccessClaims
  {
    if let claims = cache.claims(of: digest) {
      // A key that was withdrawn takes what it signed with it.
      if verifier.isCurrent(claims, now: clock.now), keys.keys[claims.keyID] != nil {
        return claims
      }
      cache.remove(digest)
    }
    let claims: AccessClaims
    do throws(TokenFault) {
      claims = try verifier.verify(text, keys: keys.keys, now: clock.now)
    } catch {
      guard error == .unknownKey else { throw error }
      await keys.refresh()
      claims = try verifier.verify(text, keys: keys.keys, now: clock.now)
    }
    cache.insert(claims, for: digest)
    return claims
  }
}
