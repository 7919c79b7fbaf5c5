public import RPCKit
internal import StrictJSON

/// Makes the short-lived tokens with which a service proves itself to another where TLS is off.
///
/// One token serves all calls to a service for half its life: signing one for each call would cost
/// the callee a verification, a hundred microseconds, per call.
public final class ServiceTokenIssuer: Sendable {
  /// The type in the header.
  static let type = "svc+jwt"
  /// How long a token lives, in milliseconds.
  static let lifetime: Int64 = 60_000

  private struct State {
    var key: SigningKey
    var current: [String: (text: String, renewal: Int64)] = [:]
  }

  private let name: String
  private let clock: any WallClock
  private let random: any RandomSource
  private let state: Lock<State>

  /// Makes an issuer for the service `name`, whose public key the others know.
  public init(name: String, key: SigningKey, clock: any WallClock, random: any RandomSource) {
    precondition(ServiceName.isName(name), "a service's name is lower-case letters, digits and -")
    self.name = name
    self.clock = clock
    self.random = random
    state = Lock(State(key: key))
  }

  /// Signs with another key from now on.
  public func replaceKey(_ key: SigningKey) {
    state.withLock { $0 = State(key: key) }
  }

  /// A token for calls to the service `audience`.
  public func token(for audience: String) -> String {
    let now = clock.now
    return state.withLock { state in
      if let token = state.current[audience], now < token.renewal,
        token.renewal - now <= Self.lifetime
      {
        return token.text
      }
      let claims: JSONObject = [
        "iss": .string(name), "sub": .string(name), "aud": .string(audience),
        "iat": .number(JSONNumber(now / 1000)),
        "exp": .number(JSONNumber((now + Self.lifetime) / 1000)),
        "jti": .string(Base64URL.encode(random.bytes(16))),
      ]
      let text = JSONWebToken.signed(type: Self.type, claims: claims, by: state.key)
      state.current[audience] = (text, now + Self.lifetime / 2)
      return text
    }
  }
}

/// Believes the tokens of other services.
///
/// A token belongs to the host that shows it first. Shown by another one it was stolen on the way,
/// and is refused; that is what can be obtained of single use without a signature for each call.
public final class ServiceTokenVerifier: Sendable {
  private struct Seen {
    let service: String
    let host: String
    let expires: Int64
  }

  private struct State {
    var keys: [String: KeySet]
    /// How often the keys were replaced.
    var generation = 0
    /// Tokens that were verified, by their fingerprints.
    var tokens: [KeyedFingerprint.Value: Seen] = [:]
    /// Hosts of token names: the same name in another token is a replay as well.
    var hosts: [String: Seen] = [:]
    var pruneCount = 256
  }

  private let audience: String
  private let clock: any WallClock
  private let state: Lock<State>
  private let fingerprint = KeyedFingerprint(byteCountMax: JSONWebToken.byteCountMax)

  /// Makes a verifier for the service `audience`; `keys` holds what each other service signs with.
  public init(audience: String, keys: [String: KeySet], clock: any WallClock) {
    self.audience = audience
    self.clock = clock
    state = Lock(State(keys: keys))
  }

  /// Believes other keys from now on; what was shown before must be shown by one of them.
  public func replaceKeys(_ keys: [String: KeySet]) {
    state.withLock { state in
      state.keys = keys
      state.generation += 1
      state.tokens = [:]
    }
  }

  /// The service that made `text`, shown by a peer at `address`.
  public func verify(_ text: String, from address: String) throws(TokenFault) -> String {
    try verify(BearerToken(text), from: address)
  }

  /// The facts about a token that need no verified signature.
  enum Recognition {
    /// It was made by this service.
    case believed(String)
    /// Its signature has to be verified; see `verify`.
    case unsettled(UnsettledToken)
  }

  /// A token that was not seen before.
  struct UnsettledToken: Sendable {
    fileprivate let token: BearerToken
    fileprivate let name: KeyedFingerprint.Value
    fileprivate let address: String
    /// How often the keys had been replaced when it was looked for.
    fileprivate let generation: Int
  }

  /// The service that made `token`, shown by a peer at `address`; for a grace after its end, in milliseconds.
  func verify(
    _ token: BearerToken,
    from address: String,
    grace: Int64 = TokenClaims.graceMilliseconds
  ) throws(TokenFault) -> String {
    switch try recognize(token, from: address, grace: grace) {
    case .believed(let service): service
    case .unsettled(let token): try verify(token, grace: grace)
    }
  }

  /// Believes a token that was verified before; throws what is known against it.
  func recognize(
    _ token: BearerToken,
    from address: String,
    grace: Int64 = TokenClaims.graceMilliseconds
  ) throws(TokenFault) -> Recognition {
    let name = try token.withBytes { bytes throws(TokenFault) in
      guard bytes.count <= JSONWebToken.byteCountMax else { throw .tooLong }
      return fingerprint.value(of: bytes)
    }
    let (known, generation) = state.withLock { ($0.tokens[name], $0.generation) }
    guard let seen = known else {
      return .unsettled(
        UnsettledToken(token: token, name: name, address: address, generation: generation)
      )
    }
    guard clock.now < seen.expires.addingSaturated(grace) else { throw .expired }
    guard Self.isHost(seen.host, of: address) else { throw .replayed }
    return .believed(seen.service)
  }

  /// The service that made a token which was not seen before.
  func verify(
    _ token: UnsettledToken,
    grace: Int64 = TokenClaims.graceMilliseconds
  ) throws(TokenFault) -> String {
    let (now, host) = (clock.now, Self.host(of: token.address))
    let (seen, identifier) = try check(token.token.text, host: host, now: now, grace: grace)
    let isOurs = state.withLock { state in
      let known = state.hosts[identifier]
      guard known.map({ $0.host == host }) ?? true else { return false }
      state.hosts[identifier] = seen
      // Not one of a key that was taken away in the meantime.
      if state.generation == token.generation { state.tokens[token.name] = seen }
      Self.prune(&state, now: now)
      return true
    }
    guard isOurs else { throw .replayed }
    return seen.service
  }

  private func check(
    _ text: String,
    host: String,
    now: Int64,
    grace: Int64
  ) throws(TokenFault) -> (Seen, name: String) {
    let token = try JSONWebToken(parsing: text)
    guard token.type == ServiceTokenIssuer.type else { throw .type }
    guard let service = token.claims["iss"]?.string,
      let keys = state.withLock({ $0.keys[service] })
    else { throw .issuer }
    guard let key = keys[token.keyID] else { throw .unknownKey }
    guard token.isSigned(by: key) else { throw .signature }
    let claims = TokenClaims(token.claims)
    try claims.check(issuer: service, audience: audience)
    guard try claims.text("sub") == service else { throw .issuer }
    // A second more: both times are cut to whole seconds.
    let lifetimeMax = ServiceTokenIssuer.lifetime + 1000
    let times = try claims.checkTimes(now: now, lifetimeMax: lifetimeMax, grace: grace)
    let name = "\(service) \(try claims.text("jti"))"
    return (Seen(service: service, host: host, expires: times.expires), name)
  }

  private static func prune(_ state: inout State, now: Int64) {
    guard state.tokens.count + state.hosts.count >= state.pruneCount else { return }
    let limit = now - TokenClaims.skewMilliseconds
    state.tokens = state.tokens.filter { $0.value.expires > limit }
    state.hosts = state.hosts.filter { $0.value.expires > limit }
    state.pruneCount = max(256, 2 * (state.tokens.count + state.hosts.count))
  }

  /// The address without the port, which differs from connection to connection.
  private static func host(of address: String) -> String {
    guard let colon = address.utf8.lastIndex(of: UInt8(ascii: ":")) else { return address }
    return String(address[..<colon])
  }

  /// Whether `host(of:)` of an address is `host`; makes no copy, because every call asks.
  private static func isHost(_ host: String, of address: String) -> Bool {
    let (bytes, host) = (address.utf8.span, host.utf8.span)
    let colon = bytes.indices.last { bytes[$0] == UInt8(ascii: ":") }
    guard colon ?? bytes.count == host.count else { return false }
    return host.indices.allSatisfy { bytes[$0] == host[$0] }
  }
}

/// Adds a service's own proof to every call of a channel to another service.
public struct ServiceCredentials: ClientInterceptor {
  private let issuer: ServiceTokenIssuer
  private let audience: String

  /// Makes credentials for calls to the service `audience`.
  public init(_ issuer: ServiceTokenIssuer, audience: String) {
    self.issuer = issuer
    self.audience = audience
  }

  /// Runs the call with a token added.
  public func intercept(
    _ method: MethodDescriptor,
    _ options: CallOptions,
    next: (CallOptions) async throws -> Void
  ) async throws {
    var options = options
    options.metadata[CredentialMetadata.service] = CredentialMetadata.bearer(
      issuer.token(for: audience)
    )
    try await next(options)
  }
}
