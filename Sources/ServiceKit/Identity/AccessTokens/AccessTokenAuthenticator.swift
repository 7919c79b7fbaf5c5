public import RPCKit

/// From the text of an access token to what it says: cache, keys, clock and revocations together.
public final class AccessTokenAuthenticator: TokenValidator, Sendable {
  private let verifier: AccessTokenVerifier
  private let keys: any KeySource
  private let revocations: any RevocationSource
  private let cache: VerifiedTokenCache
  private let clock: any WallClock

  /// A token that is accepted, and whether its session is known to live.
  public struct Outcome: Sendable {
    /// The token.
    public var token: VerifiedToken
    /// False while nobody can tell: reads may continue, what asks for a step-up may not.
    public var isSessionKnown: Bool

    /// The claims of the token.
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

  /// The facts about a token that need neither work nor asking anybody.
  enum Recognition {
    /// It is accepted.
    case believed(Outcome)
    /// It has to be verified, or its session asked for; see `settle`.
    case unsettled(UnsettledToken)
  }

  /// A token of which more has to be found out.
  struct UnsettledToken: Sendable {
    let token: BearerToken
    /// The cache's name of it.
    fileprivate let name: KeyedFingerprint.Value
    /// The token, when only its session has to be asked for.
    fileprivate let verified: VerifiedToken?
  }

  /// Believes a token or throws why not.
  ///
  /// Waits only for keys when the token names an unknown one, and for AuthService when revocations
  /// are not being heard of.
  public func authenticate(_ token: BearerToken) async throws(TokenFault) -> Outcome {
    switch try recognize(token) {
    case .believed(let outcome): outcome
    case .unsettled(let token): try await settle(token)
    }
  }

  /// Believes a token or throws why not; see the other `authenticate`.
  public func authenticate(_ text: String) async throws(TokenFault) -> Outcome {
    try await authenticate(BearerToken(text))
  }

  /// Believes what a header `authorization` has, which another program has received: the user of a token, for
  /// whom `service` acts, and whether its session is known to live.
  ///
  /// Throws and waits as `authenticate` does.
  package func user(
    showing credential: String,
    to service: String
  ) async throws(TokenFault) -> (user: UserIdentity, isSessionKnown: Bool) {
    guard let token = BearerToken(credential: credential) else { throw .encoding }
    let outcome = try await authenticate(token)
    let user = UserIdentity(outcome.token, token, actingService: service, believer: self)
    return (user, outcome.isSessionKnown)
  }

  /// Believes a token that is known; throws what is known against it.
  ///
  /// Never waits: an `await` costs as much as all of this.
  func recognize(_ token: BearerToken) throws(TokenFault) -> Recognition {
    let name = try token.withBytes { bytes throws(TokenFault) in
      guard bytes.count <= JSONWebToken.byteCountMax else { throw .tooLong }
      return cache.name(of: bytes)
    }
    guard let known = cache.token(name), isGood(known) else {
      return .unsettled(UnsettledToken(token: token, name: name, verified: nil))
    }
    switch revocations.knownState(of: known) {
    case .active: return .believed(Outcome(token: known, isSessionKnown: true))
    case .revoked: throw .revoked
    case .unknown, nil:
      return .unsettled(UnsettledToken(token: token, name: name, verified: known))
    }
  }

  /// Finds out what `recognize` could not say; waits as `authenticate` does.
  func settle(_ token: UnsettledToken) async throws(TokenFault) -> Outcome {
    let verified =
      if let known = token.verified { known } else { try await verify(token.token, token.name) }
    switch await revocations.state(of: verified.claims) {
    case .active: return Outcome(token: verified, isSessionKnown: true)
    case .unknown: return Outcome(token: verified, isSessionKnown: false)
    case .revoked: throw .revoked
    }
  }

  /// Whether a token that was verified once would be accepted now, as far as that is known here.
  package func isStillValid(_ token: VerifiedToken) -> Bool {
    isStillValid(token, grace: TokenClaims.graceMilliseconds)
  }

  /// The same, with another grace after the token's end.
  func isStillValid(_ token: VerifiedToken, grace: Int64) -> Bool {
    isGood(token, grace: grace) && revocations.knownState(of: token) != .revoked
  }

  /// Has `body` called after each revocation; from any thread, so it must be quick.
  func onRevocation(_ body: @escaping @Sendable () -> Void) { revocations.onChange(body) }

  /// Whether a token that was verified once has neither ended nor lost its key.
  private func isGood(
    _ token: VerifiedToken,
    grace: Int64 = TokenClaims.graceMilliseconds
  ) -> Bool {
    guard verifier.isCurrent(token.claims, now: clock.now, grace: grace) else { return false }
    // A key that was withdrawn takes what it signed with it.
    let current = keys.keys
    return token.keys.isIdentical(to: current) || current[token.claims.keyID] != nil
  }

  private func verify(
    _ token: BearerToken,
    _ name: KeyedFingerprint.Value
  ) async throws(TokenFault) -> VerifiedToken {
    do throws(TokenFault) {
      return try remember(token, name)
    } catch {
      guard error == .unknownKey else { throw error }
    }
    let doesNotExist = await keys.refresh(for: try JSONWebToken(parsing: token.text).keyID)
    do throws(TokenFault) {
      return try remember(token, name)
    } catch {
      throw error == .unknownKey && !doesNotExist ? TokenFault.keysUnavailable : error
    }
  }

  /// Verifies a token with the keys that are known now, and remembers it.
  private func remember(
    _ token: BearerToken,
    _ name: KeyedFingerprint.Value
  ) throws(TokenFault) -> VerifiedToken {
    let current = keys.keys
    let claims: AccessClaims
    do throws(TokenFault) {
      claims = try verifier.verify(token.text, keys: current, now: clock.now)
    } catch {
      // It may have been good before.
      cache.remove(name)
      throw error
    }
    let verified = VerifiedToken(claims, keys: current)
    cache.insert(verified, for: name)
    return verified
  }
}
