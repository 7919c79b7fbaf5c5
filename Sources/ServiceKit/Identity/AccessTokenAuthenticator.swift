public import RPCKit

/// From the text of an access token to what it says: cache, keys, clock and revocations together.
public final class AccessTokenAuthenticator: TokenBeliever, Sendable {
  private let verifier: AccessTokenVerifier
  private let keys: any KeySource
  private let revocations: any RevocationSource
  private let cache: VerifiedTokenCache
  private let clock: any WallClock

  /// A token that is believed, and whether its session is known to live.
  public struct Outcome: Sendable {
    /// The token.
    public var token: VerifiedToken
    /// False while nobody can tell: reads may go on, what asks for a step-up may not.
    public var isSessionKnown: Bool

    /// What the token says.
    public var claims: AccessClaims { token.claims }
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
  public func authenticate(_ token: BearerToken) async throws(TokenFault) -> Outcome {
    if let outcome = try recognize(token) { return outcome }
    let name = token.withBytes { cache.name(of: $0) }
    let verified = try await verified(token.text, name)
    switch await revocations.state(of: verified.claims) {
    case .active: return Outcome(token: verified, isSessionKnown: true)
    case .unknown: return Outcome(token: verified, isSessionKnown: false)
    case .revoked: throw .revoked
    }
  }

  /// Believes a token or throws why not; see the other `authenticate`.
  public func authenticate(_ text: String) async throws(TokenFault) -> Outcome {
    try await authenticate(BearerToken(text))
  }

  /// Believes a token that is known, when nobody has to be asked; nil when `authenticate` has to find
  /// out.
  ///
  /// Never waits: an `await` costs as much as all of this.
  func recognize(_ token: BearerToken) throws(TokenFault) -> Outcome? {
    let known = try token.withBytes { bytes throws(TokenFault) in
      guard bytes.count <= JSONWebToken.byteCountMax else { throw .tooLong }
      return cache.token(cache.name(of: bytes))
    }
    guard let known, isGood(known) else { return nil }
    switch revocations.knownState(of: known) {
    case .active: return Outcome(token: known, isSessionKnown: true)
    case .revoked: throw .revoked
    case .unknown, nil: return nil
    }
  }

  /// Whether a token that was verified once would be believed now, as far as that is known here.
  func isStillGood(_ token: VerifiedToken) -> Bool {
    isGood(token) && revocations.knownState(of: token) != .revoked
  }

  /// Has `body` called after each revocation; from any thread, so it must be quick.
  func onRevocation(_ body: @escaping @Sendable () -> Void) { revocations.onChange(body) }

  /// Whether a token that was verified once has neither ended nor lost its key.
  private func isGood(_ token: VerifiedToken) -> Bool {
    guard verifier.isCurrent(token.claims, now: clock.now) else { return false }
    // A key that was withdrawn takes what it signed with it.
    let current = keys.keys
    return token.keys.isIdentical(to: current) || current[token.claims.keyID] != nil
  }

  package func isStillBelieved(_ token: VerifiedToken) -> Bool {
    isGood(token) && revocations.knownState(of: token) != .revoked
  }

  private func verified(
    _ text: String,
    _ name: KeyedFingerprint.Value
  ) async throws(TokenFault) -> VerifiedToken {
    if let known = cache.token(name) {
      if isGood(known) { return known }
      cache.remove(name)
    }
    var current = keys.keys
    let claims: AccessClaims
    do throws(TokenFault) {
      claims = try verifier.verify(text, keys: current, now: clock.now)
    } catch {
      guard error == .unknownKey else { throw error }
      await keys.refresh()
      current = keys.keys
      claims = try verifier.verify(text, keys: current, now: clock.now)
    }
    let verified = VerifiedToken(claims, keys: current)
    cache.insert(verified, for: name)
    return verified
  }
}
