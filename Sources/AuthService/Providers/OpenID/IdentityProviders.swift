internal import RPCKit
internal import ServiceKit

/// The providers that users may sign in with, each with its keys.
struct IdentityProviders: Sendable {
  /// A provider and the keys that it signs with.
  struct Entry: Sendable {
    let provider: IdentityProvider
    let keys: ProviderKeys
  }

  /// The nonces that tie tokens to those who asked for them.
  let nonces: SignInNonces
  private let entries: [String: Entry]
  private let tokens: MetricFamily<Counter>

  /// Makes the providers of some settings; fetches nothing yet.
  ///
  /// `origin` says where the keys of a provider are read from.
  init(
    _ providers: [IdentityProvider],
    secret: HMACKey,
    uptime: @escaping @Sendable () -> MonotonicInstant,
    logger: Logger,
    metrics: MetricRegistry,
    origin: (IdentityProvider) -> any KeySetOrigin = { $0.keySetOrigin }
  ) {
    nonces = SignInNonces(secret: secret)
    tokens = metrics.counters(
      "gatehouse_auth_identity_tokens_total",
      help: "Tokens of identity providers, by what became of them.",
      labels: ["provider", "outcome"],
      seriesCountMax: IdentityProvider.countMax * (IdentityTokenFault.all.count + 2)
    )
    let fetches = metrics.counters(
      "gatehouse_auth_provider_key_fetches_total",
      help: "Key sets of identity providers that were read, by outcome.",
      labels: ["provider", "outcome"]
    )
    var entries: [String: Entry] = [:]
    for provider in providers {
      for outcome in ["accepted", "unavailable"] { _ = tokens.series(provider.name, outcome) }
      entries[provider.name] = Entry(
        provider: provider,
        keys: ProviderKeys(
          of: provider.name,
          origin(provider),
          uptime: uptime,
          logger: logger,
          fetches: fetches
        )
      )
    }
    self.entries = entries
  }

  /// The providers that are set up, by name.
  var all: [IdentityProvider] {
    entries.values.map(\.provider).sorted { $0.name < $1.name }
  }

  /// Whether a provider is set up.
  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// The provider of a name; throws NOT_FOUND without one.
  func find(_ name: String) throws(RPCError) -> Entry {
    guard let entry = entries[name] else { throw ProviderError.notFound }
    return entry
  }

  /// The claims of a token, and the nonce that is to be used up with it.
  ///
  /// `code` is the authorization code that came along, if one did. Throws UNAUTHENTICATED for every token that is not accepted, whatever is wrong with it, and UNAVAILABLE
  /// when that cannot be found out. `now` is in milliseconds since 1970.
  func verify(
    _ text: String,
    rawNonce: String,
    code: String = "",
    for purpose: SignInNonces.Purpose,
    of entry: Entry,
    now: Int64
  ) async throws -> (claims: IdentityClaims, nonce: SignInNonces.Authentic) {
    try await counted(entry, ProviderError.tokenInvalid) {
      try await check(text, rawNonce: rawNonce, code: code, for: purpose, of: entry, now: now)
    }
  }

  /// As `verify`, but throws what is wrong with the token.
  func check(
    _ text: String,
    rawNonce: String,
    code: String = "",
    for purpose: SignInNonces.Purpose,
    of entry: Entry,
    now: Int64
  ) async throws(IdentityTokenFault) -> (claims: IdentityClaims, nonce: SignInNonces.Authentic) {
    let provider = entry.provider
    guard let nonce = nonces.read(rawNonce, for: purpose, now: now) else { throw .nonceUnknown }
    let token = try Self.parse(text, of: provider)
    let claims = try IdentityClaims(
      unverified: token.claims,
      of: provider,
      nonce: SignInNonces.expected(of: rawNonce, provider.nonceForm),
      now: now
    )
    try claims.check(code: code)
    try await Self.checkSignature(of: token, entry)
    return (claims, nonce)
  }

  /// The event in a notification of Apple.
  ///
  /// Throws INVALID_ARGUMENT for one that is not genuine, and UNAVAILABLE when that cannot be found out.
  func event(in payload: String, of entry: Entry, now: Int64) async throws -> AppleEvent {
    let provider = entry.provider
    return try await counted(entry, ProviderError.notificationInvalid) {
      let token = try Self.parse(payload, of: provider)
      let event = try AppleEvent(unverified: token.claims, of: provider, now: now)
      try await Self.checkSignature(of: token, entry)
      return event
    }
  }

  /// Counts what becomes of a token, and says the same of all that are not accepted.
  private func counted<Value>(
    _ entry: Entry,
    _ refusal: RPCError,
    _ body: () async throws -> Value
  ) async throws -> Value {
    let name = entry.provider.name
    do {
      let value = try await body()
      tokens.series(name, "accepted").increment()
      return value
    } catch let fault as IdentityTokenFault {
      tokens.series(name, fault.label).increment()
      if fault == .token(.keysUnavailable) { throw ProviderError.keysUnavailable }
      throw refusal
    }
  }

  private static func parse(
    _ text: String,
    of provider: IdentityProvider
  ) throws(IdentityTokenFault) -> JSONWebToken {
    let token: JSONWebToken
    do throws(TokenFault) {
      token = try JSONWebToken(parsing: text, .foreign(algorithms: provider.algorithms))
    } catch {
      throw .token(error)
    }
    // Other kinds of tokens that a provider signs say what they are: at+jwt, logout+jwt.
    guard ["", "jwt"].contains(token.type) else { throw .token(.type) }
    return token
  }

  /// Throws unless the provider signed the token, with a key that it publishes.
  private static func checkSignature(
    of token: JSONWebToken,
    _ entry: Entry
  ) async throws(IdentityTokenFault) {
    switch await entry.keys.key(TokenKeyName(id: token.keyID, algorithm: token.algorithm)) {
    case .key(let key):
      guard key.signed(token) else { throw .token(.signature) }
    case .unknown: throw .token(.unknownKey)
    case .unavailable: throw .token(.keysUnavailable)
    }
  }
}

extension IdentityProvider {
  /// Where its keys are read from.
  var keySetOrigin: any KeySetOrigin {
    switch keys {
    case .file(let path): KeySetFile(path: path)
    case .url(let address): KeySetDocument(address: address)
    }
  }
}
