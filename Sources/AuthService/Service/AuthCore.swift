internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What the handlers share.
struct AuthCore: Sendable {
  let settings: AuthSettings
  let secrets: AuthSecrets
  let database: Database
  let clock: any WallClock
  let identifiers: IdentifierFactory
  let policy = PasswordPolicy()
  let hasher: PasswordHasher
  let pool: HashPool
  let ring: SigningKeyRing
  let contexts: UserContextSource
  let devices: DeviceTokens
  let signInLimiter: SourceLimiter
  let signUpLimiter: SourceLimiter
  let successes: RecentSuccesses
  let revocations: RevocationSet
  let signal: RevocationSignal
  let logger: Logger
  let metrics: AuthMetrics

  /// Writes, with what the store throws made fit for a caller.
  func write<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Result
  ) async throws -> Result {
    metrics.transactions.series("write").increment()
    do {
      return try await database.write(body)
    } catch {
      throw AuthError.mapped(error)
    }
  }

  /// Writes once per idempotency key of the calling user, or of everyone who has no account yet.
  ///
  /// What is remembered of the request is keyed: a digest of a password could be guessed from.
  func writeOnce<Response: Message>(
    _ key: String,
    _ request: some Message,
    _ call: CallContext,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    let key = IdempotencyKey(
      caller: call.caller.user?.userID ?? "",
      key: key,
      method: call.method.fullName,
      request: Digests.hmacSHA256(key: secrets.lookup, request.protobufBytes)
    )
    metrics.transactions.series("write").increment()
    do {
      return try await database.writeOnce(key, domain: AuthError.domain, body)
    } catch {
      throw AuthError.mapped(error)
    }
  }

  /// Reads, with what the store throws made fit for a caller.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> Result
  ) async throws -> Result {
    metrics.transactions.series("read").increment()
    do {
      return try await database.read(body)
    } catch {
      throw AuthError.mapped(error)
    }
  }

  /// Makes revocations that were committed count here and elsewhere, at once.
  func announce(revoked sessions: [String]) {
    guard !sessions.isEmpty else { return }
    let now = clock.now
    let expires = now + RevocationTable.lifetime
    revocations.insert(sessions.map { Revocation(.session($0), expires: expires) }, now: now)
    signal.announce()
    metrics.revoked.add(sessions.count)
  }

  /// Begins a session: at most so many live at a time, and those idle longest make room.
  ///
  /// Gives the session and those that were ended, to be announced after the commit.
  func beginSession(
    of userID: String,
    from device: DeviceDescription,
    network: String,
    now: Int64,
    requestID: String,
    in tx: borrowing WriteTransaction
  ) throws -> (session: SessionRecord, evicted: [String]) {
    let alive = try SessionTable.alive(of: userID, now: now, in: tx)
    let evicted = settings.sessions.evicted(alive.map { ($0.id, $0.refresh.rotated) })
    _ = try SessionTable.revoke(evicted, of: userID, now: now, in: tx)
    let session = SessionRecord(
      id: identifiers.make(.session),
      userID: userID,
      refresh: RefreshState(
        generation: 1,
        rotated: now,
        idleEnd: now + min(settings.sessions.idle, settings.sessions.absolute),
        absoluteEnd: now + settings.sessions.absolute,
        isRevoked: false
      ),
      created: now,
      authenticated: now,
      device: device,
      network: network
    )
    try SessionTable.insert(session, in: tx)
    try tx.audit(
      AuditRecord(
        actor: userID,
        requestID: requestID,
        action: "session.begin",
        object: session.id,
        detail: evicted.isEmpty ? "" : "evicted \(evicted.count)"
      )
    )
    return (session, evicted)
  }

  /// The tokens of a session's newest generation.
  ///
  /// Made of the session alone, so that asking again within the grace gets the same answer.
  func tokens(of session: SessionRecord) throws(RPCError) -> Auth_V1.Tokens {
    guard let signer = ring.signer else { throw AuthError.noSigningKey }
    let generation = session.refresh.generation
    let tokenID = "\(session.id).\(generation)"
    let issued = session.refresh.rotated / 1000 * 1000
    let lifetime = settings.accessTokenLifetime.shortened(by: Digests.sha256(tokenID))
    let claims = AccessClaims(
      userID: session.userID,
      sessionID: session.id,
      tokenID: tokenID,
      issued: issued,
      expires: issued + lifetime,
      acr: "pwd",
      methods: ["pwd"],
      authenticated: session.authenticated
    )
    return Auth_V1.Tokens(
      accessToken: JSONWebToken.signed(
        type: AccessTokenVerifier.type,
        claims: claims.object(issuer: settings.issuer, audience: settings.audience),
        by: signer
      ),
      accessTokenExpiresAt: .init(milliseconds: claims.expires),
      refreshToken: secrets.refreshKeys.token(session: session.id, generation: generation),
      refreshTokenExpiresAt: .init(milliseconds: session.end),
      sessionId: session.id
    )
  }
}

/// What AuthService counts.
struct AuthMetrics: Sendable {
  let signIns: MetricFamily<Counter>
  let refreshes: MetricFamily<Counter>
  let revoked: Counter
  let transactions: MetricFamily<Counter>
  let sourceRefusals: MetricFamily<Counter>
  let guessingSources: Counter

  init(_ registry: MetricRegistry) {
    signIns = registry.counters(
      "auth_sign_ins_total",
      help: "Attempts to sign in, by how they ended.",
      labels: ["outcome"]
    )
    refreshes = registry.counters(
      "auth_refreshes_total",
      help: "Refresh tokens that were shown, by what became of them.",
      labels: ["outcome"]
    )
    transactions = registry.counters(
      "auth_store_transactions_total",
      help: "Transactions on the store, by kind.",
      labels: ["kind"]
    )
    sourceRefusals = registry.counters(
      "auth_source_refusals_total",
      help: "Calls that were refused because their source had too many attempts, by method.",
      labels: ["method"]
    )
    guessingSources = registry.counter(
      "auth_guessing_sources_total",
      help: "Times that one source failed to sign in to many accounts."
    )
    revoked = registry.counter("auth_sessions_revoked_total", help: "Sessions that were revoked.")
  }
}

extension CallContext {
  /// What tells this request from others in logs and audit records.
  var requestID: String { metadata["traceparent"] ?? "" }
}
