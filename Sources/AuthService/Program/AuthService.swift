internal import PeerContracts
internal import AuthContracts
public import RPCKit
public import ServiceKit

/// AuthService in one value: who is calling.
///
/// ```swift
/// let auth = try await AuthService.open(settings, secrets: secrets, environment…)
/// let server = Server(configuration, services: auth.services, interceptors: auth.interceptors, …)
/// // while it serves: try await auth.run()
/// await auth.close()
/// ```
public final class AuthService: Sendable {
  /// The dependencies of the service: everything that it would otherwise reach out for.
  public struct Dependencies: Sendable {
    /// The store's file and how it is used.
    public var database: DatabaseConfiguration
    /// To TenancyService, with the proof of being AuthService on it.
    public var tenancy: Channel
    /// To EntitlementService, with the proof of being AuthService on it.
    public var entitlement: Channel
    /// Believes the proofs of other services; nil when only certificates count.
    public var services: ServiceTokenVerifier?
    /// Which callers of methods for gateways are one, without a certificate.
    public var gateways = GatewayProof()
    /// The date.
    public var clock: any WallClock
    /// Where chance comes from.
    public var random: any RandomSource
    /// A loop for timers; also the monotonic clock.
    public var loop: any EventLoop
    /// How long the system has been up: what a clock that is set does not change.
    public var uptime: @Sendable () -> MonotonicInstant
    /// Where log lines go.
    public var logger: Logger
    /// Where metrics are registered.
    public var metrics: MetricRegistry
    /// Where tests have the keys of identity providers; nil for where the settings say.
    var keySetOrigin: (@Sendable (IdentityProvider) -> any KeySetOrigin)?
    /// Where tests play Apple's endpoints; nil for the network.
    var appleTokens: AppleTokens.Send?

    /// Makes dependencies with the system's clock and chance; the loop says how long the system is up.
    public init(
      store: StorePlace,
      tenancy: Channel,
      entitlement: Channel,
      services: ServiceTokenVerifier?,
      clock: any WallClock = SystemWallClock(),
      random: any RandomSource = SystemRandomSource(),
      loop: any EventLoop,
      uptime: (@Sendable () -> MonotonicInstant)? = nil,
      logger: Logger,
      metrics: MetricRegistry = MetricRegistry()
    ) {
      database = DatabaseConfiguration(store, applicationID: AuthSchema.applicationID)
      database.schemaDigest = AuthSchema.digest
      database.logger = logger
      self.tenancy = tenancy
      self.entitlement = entitlement
      self.services = services
      self.clock = clock
      self.random = random
      self.loop = loop
      self.uptime = uptime ?? { loop.preciseNow }
      self.logger = logger
      self.metrics = metrics
    }
  }

  let core: AuthCore
  let settings: AuthSettings
  /// Takes deletions of accounts through their steps.
  let deletions: DeletionSaga
  /// Exchanges and revokes what users allow at Apple.
  let appleGrants: AppleGrants
  private let accountChanges: AccountChanges
  private let passkeys: PasskeysHandler
  private let exports: ExportSources
  private let loop: any EventLoop
  private let retention: RetentionClock
  private let tokens: AccessTokenAuthenticator
  private let authentication: AuthenticationInterceptor

  /// How often keys and old rows are looked after.
  private static let maintenanceInterval = Duration.seconds(60)

  private init(
    _ core: AuthCore,
    _ settings: AuthSettings,
    _ appleTokens: AppleTokens?,
    _ dependencies: Dependencies
  ) {
    (self.core, self.settings) = (core, settings)
    let (tenancy, entitlement) = (dependencies.tenancy, dependencies.entitlement)
    appleGrants = AppleGrants(core, appleTokens, metrics: dependencies.metrics)
    deletions = DeletionSaga(
      core,
      settings.deletion,
      ErasurePeers(tenancy: tenancy, entitlement: entitlement),
      dependencies.metrics
    )
    accountChanges = AccountChanges(deletions: deletions)
    passkeys = PasskeysHandler(
      core,
      WaysIn(providers: core.providers, relyingParty: settings.passkeys.relyingParty)
    )
    exports = ExportSources(tenancy: tenancy, entitlement: entitlement)
    loop = dependencies.loop
    retention = RetentionClock(
      core.database,
      clock: dependencies.clock,
      uptime: dependencies.uptime
    )
    tokens = AccessTokenAuthenticator(
      verifier: AccessTokenVerifier(
        issuer: settings.issuer,
        audience: settings.audience
      ),
      keys: core.ring,
      revocations: core.revocations,
      clock: dependencies.clock
    )
    authentication = AuthenticationInterceptor(
      tokens: tokens,
      services: dependencies.services,
      isOperator: { [permissions = core.permissions] right, user, call in
        try await permissions.check(user.userID, right.action, right.entity, for: call).isAllowed
      },
      operatorStepUp: settings.operatorStepUp,
      gateways: dependencies.gateways,
      clock: dependencies.clock,
      metrics: AuthenticationMetrics(dependencies.metrics)
    )
  }

  /// Opens the store, starts the hashing threads and has a key ready to sign with.
  ///
  /// Throws what a person can act on: `StoreError`, a signing key that does not open. Close it when
  /// it is no longer needed.
  public static func open(
    _ settings: AuthSettings,
    secrets: AuthSecrets,
    _ dependencies: Dependencies
  ) async throws -> AuthService {
    let database = try await Database.open(
      dependencies.database,
      migrations: AuthSchema.migrations,
      clock: dependencies.clock
    )
    do {
      let identifiers = IdentifierFactory(
        clock: dependencies.clock,
        random: dependencies.random
      )
      let store = ServiceStore(
        database,
        of: AuthProgram.identity.name,
        identifiers: identifiers,
        metrics: dependencies.metrics
      )
      let ring = SigningKeyRing(
        store: store,
        sealing: secrets.sealing,
        rotation: settings.rotation,
        clock: dependencies.clock,
        random: dependencies.random,
        logger: dependencies.logger
      )
      let outbox = try makeOutbox(settings.mail, secrets, identifiers, dependencies)
      let appleTokens = try makeAppleTokens(settings.providers, dependencies)
      let core = AuthCore(
        settings: settings.core,
        secrets: secrets,
        store: store,
        identifiers: identifiers,
        hasher: PasswordHasher(
          cost: settings.passwordCost,
          peppers: secrets.peppers,
          random: dependencies.random
        ),
        passwordWork: try await .open(
          store,
          today: settings.passwordCost,
          sealing: secrets.sealing,
          logger: dependencies.logger
        ),
        pool: try HashPool(
          threadCount: settings.hashThreadCount,
          metrics: dependencies.metrics
        ),
        ring: ring,
        contexts: UserContextSource(
          tenancy: dependencies.tenancy,
          entitlement: dependencies.entitlement,
          clock: dependencies.clock
        ),
        providers: IdentityProviders(
          settings.providers,
          secret: secrets.lookup,
          uptime: dependencies.uptime,
          logger: dependencies.logger,
          metrics: dependencies.metrics,
          origin: dependencies.keySetOrigin ?? { $0.keySetOrigin }
        ),
        outbox: outbox,
        permissions: Permissions(
          dependencies.tenancy,
          clock: dependencies.clock,
          loop: dependencies.loop,
          random: dependencies.random,
          logger: dependencies.logger,
          metrics: PermissionMetrics(dependencies.metrics)
        ),
        clock: dependencies.clock,
        random: dependencies.random,
        uptime: dependencies.uptime,
        logger: dependencies.logger,
        metrics: dependencies.metrics
      )
      let service = AuthService(core, settings, appleTokens, dependencies)
      do {
        try await database.attach(core.follower, after: database.revision)
        try await core.unifyMailboxes()
        try await service.loadRevocations()
        try await service.maintain()
      } catch {
        core.pool.stop()
        throw error
      }
      return service
    } catch {
      await database.close()
      throw error
    }
  }

  private static func makeOutbox(
    _ settings: MailSettings,
    _ secrets: AuthSecrets,
    _ identifiers: IdentifierFactory,
    _ dependencies: Dependencies
  ) throws -> Outbox {
    let transport: any MailTransport =
      switch settings.transport {
      case .spool:
        SpoolFolder(
          path: settings.spool ?? dependencies.database.defaultSpool,
          fileCountMax: settings.spoolCountMax
        )
      case .command:
        MailCommand(
          command: settings.command,
          sender: settings.fromAddress,
          timeout: .seconds(settings.commandSeconds)
        )
      case .smtp: try makeSMTP(settings)
      }
    let templates: MailTemplates
    do {
      templates = try settings.readTemplates()
    } catch {
      throw ConfigurationError("setting mail.templates: \(error)")
    }
    return Outbox(
      settings,
      templates: templates,
      transport: transport,
      sealing: secrets.sealing,
      lookup: secrets.lookup,
      clock: dependencies.clock,
      random: dependencies.random,
      identifiers: identifiers,
      logger: dependencies.logger,
      metrics: OutboxMetrics(dependencies.metrics)
    )
  }

  private static func makeAppleTokens(
    _ providers: [IdentityProvider],
    _ dependencies: Dependencies
  ) throws -> AppleTokens? {
    let authorization = providers.compactMap(\.authorization).first
    guard let authorization else { return nil }
    do {
      return AppleTokens(
        authorization,
        key: try authorization.readKey(),
        clock: dependencies.clock,
        send: dependencies.appleTokens ?? { try await $0.run() }
      )
    } catch {
      throw ConfigurationError(
        "setting identity_providers.apple.authorization.key_file: \(authorization.keyFile): \(error)"
      )
    }
  }

  private static func makeSMTP(_ settings: MailSettings) throws -> SMTPTransport {
    do {
      _ = try settings.smtp.readCredentials()
    } catch {
      throw ConfigurationError("setting mail.smtp_password_file: \(error)")
    }
    return SMTPTransport(settings: settings.smtp, sender: settings.fromAddress)
  }

  /// The services that are served.
  public var services: [ServiceDefinition] {
    [
      AuthenticationHandler(core: core).definition,
      ConsoleSessionsHandler(
        console: settings.console,
        authentication: AuthenticationHandler(core: core)
      ).definition,
      SessionsHandler(core: core).definition,
      UsersHandler(core: core).definition,
      AccountsHandler(core: core, passkeys: passkeys).definition,
      StepUpHandler(core: core, policy: settings.pin).definition,
      SecondFactorsHandler(core: core, issuer: settings.totpIssuer).definition,
      passkeys.definition,
      // As large as what Apple sends about purchases.
      IdentitiesHandler(core: core, ways: passkeys.ways, deletions: deletions).definition
        .allowing(260 << 10, forRequestsOf: Auth_V1.IdentitiesMethods.notifyApple.method),
      KeysHandler(
        ring: core.ring,
        issuer: settings.issuer,
        watch: RevocationWatch(
          store: core.store,
          revocations: core.revocations,
          clock: core.clock,
          signal: core.signal
        ),
        heartbeatInterval: settings.heartbeatInterval
      ).definition,
      UserChangesHandler(core: core, heartbeatInterval: settings.heartbeatInterval).definition,
      TokenIntrospectionHandler(core: core, tokens: tokens).definition,
      OperatorsHandler(deletions: deletions).definition,
      ImportsHandler(core: core, loop: loop).definition,
      ExportsHandler(core: core, sources: exports).definition,
      core.store.eventsService,
      ChildrenHandler(
        deletions: deletions,
        exports: ExportsHandler(core: core, sources: exports)
      ).definition,
      DeletionsHandler(deletions: deletions).definition,
      FamilyEndsHandler(deletions: deletions).definition,
    ]
  }

  /// Run around every handler, in this order.
  public var interceptors: [any ServerInterceptor] { [authentication] }

  /// Looks after keys and old rows, listens for changes of operators' rights, sends mails, wraps imported
  /// digests, deletes accounts, tells TenancyService of those that are disabled, and exchanges and revokes what users allow at Apple, until the task is cancelled.
  public func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.core.permissions.run() }
      group.addTask { await self.core.passwordWork.recount(on: self.loop) }
      if self.core.database.isShared { group.addTask { await self.lookAfterKeys() } }
      group.addTask { await self.core.outbox.recount(self.core.store, on: self.loop) }
      group.addTask { await self.core.database.whileLeading { await self.lead() } }
      await group.waitForAll()
    }
  }

  /// The work that one program does of those that serve the store.
  private func lead() async {
    retention.restart()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.lookAfterRows() }
      group.addTask { await HashWrapping(core: self.core).run(on: self.loop) }
      group.addTask { await self.core.outbox.run(self.core.store, on: self.loop) }
      group.addTask { await self.deletions.run(on: self.loop) }
      group.addTask { await self.deletions.reports.run(on: self.loop) }
      group.addTask { await self.appleGrants.run(on: self.loop) }
      await group.waitForAll()
    }
  }

  /// Takes over the keys of the store as soon as some program has made or dropped one, and now and then: until when a
  /// key is good depends on the time.
  private func lookAfterKeys() async {
    let news = core.keyNews.signal
    await withDiscardingTaskGroup { [self] group in
      group.addTask { [self] in
        while !Task.isCancelled {
          await loop.sleep(Self.maintenanceInterval)
          news.announce()
        }
      }
      while !Task.isCancelled {
        // Before the store, so that nothing is missed in between.
        let version = news.version
        do {
          try await core.ring.load()
        } catch {
          core.logger.error("could not read signing keys; retrying", ["error": "\(error)"])
        }
        await news.wait(past: version)
      }
    }
  }

  private func lookAfterRows() async {
    while !Task.isCancelled {
      await loop.sleep(Self.maintenanceInterval)
      guard !Task.isCancelled else { return }
      do {
        try await maintain()
      } catch {
        core.logger.error("maintenance failed; retrying", ["error": "\(error)"])
      }
    }
  }

  /// Makes the signing keys that are due, drops those that are over, and deletes old rows.
  ///
  /// Nothing is dropped or deleted on the word of a clock that may have been set wrong: see
  /// `RetentionClock`.
  public func maintain() async throws {
    let confirmed = try await retention.advance()
    try await core.ring.maintain(confirmed: confirmed)
    let forgotten = confirmed - settings.deletion.memory
    try await core.store.writeOwn { tx in
      try DeletionTable.prune(finishedBefore: forgotten, in: tx)
      try Tombstones.prune(before: forgotten, in: tx)
      try RevocationTable.prune(now: confirmed, in: tx)
      try AttemptTable.prune(now: confirmed, in: tx)
      try SessionTable.prune(endedBefore: confirmed - 7 * 86_400_000, in: tx)
      try MailTokenTable.prune(now: confirmed, in: tx)
      try PendingSignInTable.prune(now: confirmed, in: tx)
      try TotpTable.prune(now: confirmed, in: tx)
      try ImportTable.prune(now: confirmed, in: tx)
      try CeremonyTable.prune(now: confirmed, in: tx)
      try UsedNonceTable.prune(now: confirmed, in: tx)
      try IdentityNotificationTable.prune(now: confirmed, in: tx)
      try MailTable.prune(finishedBefore: confirmed - Outbox.keptAfterEnd, in: tx)
      try AccountChangeTable.prune(finishedBefore: confirmed - AccountChange.keptAfterEnd, in: tx)
    }
    let ceremonies = try await core.store.read { tx in try CeremonyTable.holdings(in: tx) }
    passkeys.ceremonies.reset(to: ceremonies)
    try await accountChanges.workOff(now: confirmed)
    try await core.database.purgeOldRows(now: confirmed)
  }

  /// The readiness for calls; does not wait.
  public func readiness() -> Readiness {
    Readiness([
      core.database.readinessCheck, .init("signing keys", isReady: core.ring.signer != nil),
    ])
  }

  /// Ends the threads and closes the store, after the last call ended.
  public func close() async {
    core.outbox.stop()
    await core.database.close()
    core.pool.stop()
  }

  /// Knows again what was revoked before a restart: all of it, whatever the clock says now.
  private func loadRevocations() async throws {
    let now = core.clock.now
    let stored = try await core.database.read { tx in
      try RevocationTable.list(after: 0, limit: .max, in: tx)
    }
    core.revocations.insert(stored.map { Revocation($0, now: now) }, now: now)
  }
}
