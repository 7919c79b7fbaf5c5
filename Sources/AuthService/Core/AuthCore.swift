internal import RPCKit
internal import ServiceKit

/// The core that every handler needs: the store, the secrets, and what counts attempts.
///
/// A class, because handlers that hold it are copied with every call.
final class AuthCore: Sendable {
  let settings: CoreSettings
  let secrets: AuthSecrets
  let store: ServiceStore
  let clock: any WallClock
  let random: any RandomSource
  let identifiers: IdentifierFactory
  let policy = PasswordPolicy()
  let hasher: PasswordHasher
  /// The work of a wrong password.
  let passwordWork: KnownPasswordWork
  let pool: HashPool
  let ring: SigningKeyRing
  let contexts: UserContextSource
  let providers: IdentityProviders
  let devices: DeviceTokens
  /// Wrong passwords of sources.
  let guesses: SourceLimiter
  /// Accounts that sources ask for.
  let signUps: SourceLimiter
  /// Right passwords of sources.
  let sourceSignIns: SourceLimiter
  /// Right passwords of accounts, by their digests.
  let accountSignIns: SourceLimiter
  let successes: RecentSuccesses
  /// How often mails may be asked for.
  let mailLimits: MailLimits
  /// Mails that wait to be sent.
  let outbox: Outbox
  /// TenancyService's answers about operators.
  let permissions: Permissions
  /// The budget of operators for audit records without changes.
  let auditBudget: AuditBudget
  let revocations: RevocationSet
  /// Announces revocations.
  let signal = WakeSignal()
  /// Follows commits for the ring of signing keys.
  let keyNews = KeyNews()
  /// Follows commits for those who watch changes of users.
  let userNews = UserNews()
  let logger: Logger
  let metrics: AuthMetrics

  init(
    settings: CoreSettings,
    secrets: AuthSecrets,
    store: ServiceStore,
    identifiers: IdentifierFactory,
    hasher: PasswordHasher,
    passwordWork: KnownPasswordWork,
    pool: HashPool,
    ring: SigningKeyRing,
    contexts: UserContextSource,
    providers: IdentityProviders,
    outbox: Outbox,
    permissions: Permissions,
    clock: any WallClock,
    random: any RandomSource,
    uptime: @escaping @Sendable () -> MonotonicInstant,
    logger: Logger,
    metrics: MetricRegistry
  ) {
    self.settings = settings
    self.secrets = secrets
    self.store = store
    self.clock = clock
    self.random = random
    self.identifiers = identifiers
    self.hasher = hasher
    self.passwordWork = passwordWork
    self.pool = pool
    self.ring = ring
    self.contexts = contexts
    self.providers = providers
    self.outbox = outbox
    self.permissions = permissions
    self.logger = logger
    devices = DeviceTokens(secret: secrets.lookup)
    let limits = settings.sourceLimits
    func limiter(_ limit: Int) -> SourceLimiter {
      SourceLimiter(
        limit: limit,
        window: limits.window,
        sourceCount: limits.sourceCount,
        key: random.bytes(32)
      )
    }
    guesses = limiter(limits.failures)
    signUps = limiter(limits.signUps)
    sourceSignIns = limiter(limits.signIns)
    accountSignIns = limiter(limits.accountSignIns)
    successes = RecentSuccesses(key: random.bytes(32))
    mailLimits = MailLimits(limits, random: random)
    auditBudget = AuditBudget(domain: ErrorCatalog.auth.domain, clock: clock, metrics: metrics)
    revocations = RevocationSet(uptime: uptime)
    self.metrics = AuthMetrics(metrics)
  }

  /// The store itself, for what is not reading or writing.
  var database: Database { store.database }

  // MARK: - Writes

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
    heads: WriteHeads = .unknown,
    onReplay: @escaping @Sendable (borrowing WriteTransaction) throws -> Void = { _ in },
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Response
  ) async throws -> Response {
    try await store.write(
      call,
      once: key,
      // Without a key nobody will ask which request it was.
      key.isEmpty ? [] : secrets.lookup.code(of: request.protobufBytes),
      of: caller,
      heads: heads,
      onReplay: onReplay,
      body
    )
  }

  // MARK: - Sessions and keys

  /// Counts revocations that were committed; `RevocationNews` has had them count.
  func countRevoked(_ revoked: [Revocation]) { metrics.revoked.add(revoked.count) }

  /// All memory that follows commits.
  var follower: AuthFollower {
    AuthFollower(
      revocations: RevocationNews(revocations: revocations, signal: signal, clock: clock),
      keys: keyNews,
      users: userNews
    )
  }

  /// The key that signs what is issued now, for calls to get before they write: a new generation of a
  /// refresh token that is stored and not answered would make its owner look like a thief.
  ///
  /// Throws UNAVAILABLE when there is none and none can be made.
  func signer() async throws(RPCError) -> SigningKey {
    do {
      return try await ring.readySigner()
    } catch {
      throw KeyError.none(cause: error)
    }
  }
}
