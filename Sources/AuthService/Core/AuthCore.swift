internal import Contracts
internal import RPCKit
internal import ServiceKit

/// What the handlers share.
struct AuthCore: Sendable {
  let settings: AuthSettings
  let secrets: AuthSecrets
  let store: ServiceStore
  let clock: any WallClock
  let random: any RandomSource
  let identifiers: IdentifierFactory
  let policy = PasswordPolicy()
  let hasher: PasswordHasher
  /// What a wrong password takes.
  let passwordWork: KnownPasswordWork
  let pool: HashPool
  let ring: SigningKeyRing
  let contexts: UserContextSource
  /// What the other services tell when an account is exported.
  let exports: ExportSources
  let devices: DeviceTokens
  /// Keeps recovery codes and the tokens of sign-ins that wait for one.
  let factorKey: SecondFactorKey
  /// Passkeys that addresses without any are said to have.
  let decoys: DecoyCredentials
  /// Wrong passwords of sources.
  let guesses: SourceLimiter
  /// Accounts that sources ask for.
  let signUps: SourceLimiter
  /// Right passwords of sources.
  let sourceSignIns: SourceLimiter
  /// Right passwords of accounts, by their digests.
  let accountSignIns: SourceLimiter
  let successes: RecentSuccesses
  /// Challenges for passkeys that wait for answers.
  let ceremonies: CeremonyPlaces
  /// How often mails may be asked for.
  let mailLimits: MailLimits
  /// Mails that wait to be sent.
  let outbox: Outbox
  /// Who else may say that somebody is a user.
  let providers: IdentityProviders
  /// Who erases a user besides this service.
  let erasure: ErasurePeers
  /// Tells TenancyService of accounts that are disabled or about to be deleted.
  let reports: AccountReports
  /// Has deletions looked at, at once.
  let deletionSignal: WakeSignal
  /// What TenancyService says of operators.
  let permissions: Permissions
  /// What operators may have recorded without changing anything.
  let auditBudget: AuditBudget
  let revocations: RevocationSet
  let signal: WakeSignal
  let logger: Logger
  let metrics: AuthMetrics

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  /// Writes once per idempotency key of `caller`: without one, of the calling user, or of everyone who
  /// has no account yet.
  ///
  /// What is remembered of the request is keyed, so that nobody finds addresses by guessing them. It
  /// must not depend on a secret that the caller has yet to prove: that a key was used with another one
  /// would be an answer to a guess. `onReplay` runs before an answer is repeated, and can throw instead.
  func writeOnce<Response: Message>(
    _ key: String,
    _ request: some Message,
    _ call: CallContext,
    caller: String? = nil,
    onReplay: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    try await store.write(
      call,
      once: key,
      // Without a key nobody will ask which request it was.
      key.isEmpty ? [] : secrets.lookup.code(of: request.protobufBytes),
      of: caller,
      onReplay: onReplay,
      body
    )
  }

  /// Makes revocations that were committed count here and elsewhere, at once.
  func announce(_ revoked: [Revocation]) {
    guard !revoked.isEmpty else { return }
    revocations.insert(revoked, now: clock.now)
    signal.announce()
    metrics.revoked.add(revoked.count)
  }

  /// A session that begins at `now`.
  func newSession(
    of userID: String,
    from device: DeviceDescription,
    network: String,
    proof: SignInProof,
    now: Int64
  ) -> SessionRecord {
    SessionRecord(
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
      network: network,
      proof: proof
    )
  }

  /// Begins a session: at most so many live at a time, and those idle longest make room.
  ///
  /// Gives those that were ended, to be announced after the commit.
  func begin(
    _ session: SessionRecord,
    in tx: borrowing WriteTransaction
  ) throws -> [Revocation] {
    let (userID, now) = (session.userID, session.created)
    let alive = try SessionTable.lastSeen(of: userID, now: now, in: tx)
    let excess = settings.sessions.evicted(alive)
    let evicted = try SessionTable.revoke(excess, of: userID, now: now, in: tx)
    try SessionTable.insert(session, in: tx)
    try tx.audit(
      "session.begin",
      object: session.id,
      detail: evicted.isEmpty ? "" : "evicted \(evicted.count)",
      by: .user(userID)
    )
    return evicted
  }

  /// Throws unless the caller's session lives in the state that a write is about to change.
  ///
  /// That it lived when the call came in is not enough: whatever ends a session is to come before
  /// every write that is not yet done.
  func requireActiveSession(
    of user: UserIdentity,
    now: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws {
    guard let session = try SessionTable.find(user.sessionID, in: tx),
      session.userID == user.userID, session.isAlive(at: now)
    else { throw AuthError.sessionEnded }
  }

  /// The key that signs what is issued now, for calls to get before they write: a new generation of a
  /// refresh token that is stored and not answered would make its owner look like a thief.
  ///
  /// Throws UNAVAILABLE when there is none and none can be made.
  func signer() async throws(RPCError) -> SigningKey {
    do {
      return try await ring.readySigner()
    } catch {
      throw AuthError.noSigningKey(cause: error)
    }
  }

  /// The tokens of a session's newest generation.
  ///
  /// Made of the session alone, so that asking again within the grace gets the same answer.
  func tokens(of session: SessionRecord, by signer: SigningKey) -> Auth_V1.Tokens {
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
      acr: session.proof.acr,
      methods: session.proof.methods,
      authenticated: session.authenticated
    )
    return Auth_V1.Tokens(
      accessToken: signed(claims, by: signer),
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
  let sourceRefusals: MetricFamily<Counter>
  let accountRefusals: Counter
  let guessingSources: Counter
  let mailRefusals: MetricFamily<Counter>
  let wrappedHashes: Counter
  let stepUps: MetricFamily<Counter>
  let importedRows: MetricFamily<Counter>
  let passkeys: MetricFamily<Counter>
  let passkeyCounters: Counter

  init(_ registry: MetricRegistry) {
    signIns = registry.counters(
      "gatehouse_auth_sign_ins_total",
      help: "Attempts to sign in, by outcome.",
      labels: ["outcome"]
    )
    refreshes = registry.counters(
      "gatehouse_auth_refreshes_total",
      help: "Refresh tokens presented, by outcome.",
      labels: ["outcome"]
    )
    sourceRefusals = registry.counters(
      "gatehouse_auth_source_refusals_total",
      help: "Calls refused because their source made too many attempts, by method.",
      labels: ["method"]
    )
    accountRefusals = registry.counter(
      "gatehouse_auth_account_refusals_total",
      help: "Correct passwords refused because the account signed in too often."
    )
    guessingSources = registry.counter(
      "gatehouse_auth_guessing_sources_total",
      help: "Times one source failed to sign in to many accounts."
    )
    mailRefusals = registry.counters(
      "gatehouse_auth_mail_requests_refused_total",
      help: "Requests for a mail refused because there were too many, by what had too many.",
      labels: ["limit"]
    )
    importedRows = registry.counters(
      "gatehouse_auth_imported_rows_total",
      help: "Rows of imports, by what has become of them: created, unchanged, refused.",
      labels: ["outcome"]
    )
    wrappedHashes = registry.counter(
      "gatehouse_auth_imported_hashes_wrapped_total",
      help: "Fast digests of other systems wrapped in hashes of our own."
    )
    stepUps = registry.counters(
      "gatehouse_auth_step_ups_total",
      help: "Attempts to prove more than a password, by method and outcome.",
      labels: ["method", "outcome"]
    )

    passkeys = registry.counters(
      "gatehouse_auth_passkey_responses_total",
      help: "Responses of passkeys, by what they were for and the outcome.",
      labels: ["ceremony", "outcome"]
    )
    passkeyCounters = registry.counter(
      "gatehouse_auth_passkey_counters_fallen_total",
      help: "Uses of a passkey whose counter did not rise: it may have been copied."
    )
    revoked = registry.counter(
      "gatehouse_auth_sessions_revoked_total",
      help: "Sessions revoked."
    )
  }
}
