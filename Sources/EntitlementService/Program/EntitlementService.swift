internal import EntitlementContracts
internal import PeerContracts
internal import RPCKit
internal import ServiceKit

/// The entitlements of subjects: tiers, subscriptions and purchases.
///
/// Open it, serve `services` behind an `AuthenticationInterceptor`, which says who calls, and close
/// it after the last call.
final class EntitlementService: Sendable {
  /// The dependencies of the service.
  struct Dependencies: Sendable {
    /// The date.
    var clock: any WallClock = SystemWallClock()
    /// Where chance comes from.
    var random: any RandomSource = SystemRandomSource()
    /// Where metrics are registered.
    var metrics: MetricRegistry
    /// Where the store says what its operator should know.
    var logger: Logger?
    /// The authorizer for entities of TenancyService.
    var authorizer: SubjectAuthorizer
    /// The directory of accounts.
    var accounts: any AccountDirectory
  }

  let core: EntitlementCore
  let reader: HoldingsReader
  private let settings: EntitlementSettings
  private let catalogue: CurrentCatalog
  private let verifier: AppleVerifier
  /// Asks for rights of buyers that could not be asked for.
  let unprovenBuyers: UnprovenBuyers
  /// The services to register with the server.
  let services: [ServiceDefinition]

  /// Opens the store and makes everything ready.
  ///
  /// Throws `StoreError`, also when sums of the points ledger are wrong, or `TrustAnchorError`.
  static func open(
    _ settings: EntitlementSettings,
    _ dependencies: Dependencies
  ) async throws -> EntitlementService {
    let metrics = PurchaseMetrics(dependencies.metrics)
    let verifier = try AppleVerifier(
      settings.purchases,
      clock: dependencies.clock,
      random: dependencies.random,
      registry: dependencies.metrics,
      metrics: metrics
    )
    do {
      let database = try await Database.open(
        databaseConfiguration(settings, dependencies.logger),
        migrations: EntitlementSchema.migrations,
        clock: dependencies.clock
      )
      do {
        try await database.require(EntitlementProgram.store.checks)
        return try await EntitlementService(settings, dependencies, database, verifier, metrics)
      } catch {
        await database.close()
        throw error
      }
    } catch {
      verifier.stop()
      throw error
    }
  }

  private static func databaseConfiguration(
    _ settings: EntitlementSettings,
    _ logger: Logger?
  ) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(
      settings.store,
      applicationID: EntitlementSchema.applicationID
    )
    configuration.schemaDigest = EntitlementSchema.digest
    configuration.logger = logger
    configuration.auditLifetime = settings.auditLifetime
    configuration.eventRules = settings.keepsEvents ? EntitlementEvents.rules : nil
    if let byteCount = settings.logBudgetByteCount {
      configuration.logBudgetByteCount = byteCount
    }
    return configuration
  }

  private init(
    _ settings: EntitlementSettings,
    _ dependencies: Dependencies,
    _ database: Database,
    _ verifier: AppleVerifier,
    _ purchaseMetrics: PurchaseMetrics
  ) async throws {
    let (clock, random) = (dependencies.clock, dependencies.random)
    let metrics = dependencies.metrics
    let identifiers = IdentifierFactory(clock: clock, random: random)
    var store = ServiceStore(
      database,
      of: EntitlementProgram.identity.name,
      identifiers: identifiers,
      metrics: metrics
    )
    let tombstones = Tombstones(
      secret: HMACKey(try await store.secret("erasures", random: random))
    )
    store.tombstones = tombstones
    let catalogue = CurrentCatalog(settings.catalog, store: store)
    let reader = HoldingsReader(
      store: store,
      catalogue: catalogue,
      countMax: settings.cachedSubjectCountMax
    )
    let core = EntitlementCore(
      store: store,
      clock: clock,
      tokens: try await TokenSealer.stored(in: store, random: random),
      identifiers: identifiers,
      pointsNews: PointsNews(random: random),
      names: NameDirectory(dependencies.accounts, clock: clock),
      authorizer: dependencies.authorizer,
      auditBudget: AuditBudget(
        domain: ErrorCatalog.entitlement.domain,
        clock: clock,
        metrics: metrics
      ),
      follower: reader
    )
    (self.settings, self.core, self.reader) = (settings, core, reader)
    (self.catalogue, self.verifier) = (catalogue, verifier)
    unprovenBuyers = UnprovenBuyers(
      core: core,
      catalogue: catalogue,
      settings: settings.purchases
    )
    let entitlements = EntitlementsHandler(
      core: core,
      catalogue: catalogue,
      reader: reader,
      scope: settings.purchases.scope,
      metrics: EntitlementMetrics(metrics),
      answerLifetime: settings.answerLifetime,
      heartbeatInterval: settings.heartbeatInterval
    )
    let purchases = PurchasesHandler(
      core: core,
      catalogue: catalogue,
      settings: settings.purchases,
      accounts: CurrentProfiles(
        accounts: dependencies.accounts,
        reader: reader,
        catalogue: catalogue,
        scope: settings.purchases.scope,
        clock: clock
      ),
      stores: PurchaseStores(standard: verifier),
      metrics: purchaseMetrics
    )
    let subscriptions = SubscriptionsHandler(
      core: core,
      catalogue: catalogue,
      random: random,
      metrics: metrics
    ) { try await reader.holdings(of: $0).terms }
    services = [
      entitlements.definition,
      FeatureFlagsHandler(handler: entitlements).definition,
      subscriptions.definition,
      // A notification of 256 KiB, and what is around it.
      purchases.definition
        .allowing(
          260 << 10,
          forRequestsOf: Entitlement_V1.PurchasesMethods.handleNotification.method
        ),
      PointsHandler(core: core, metrics: metrics).definition,
      PointsSummariesHandler(core: core).definition,
      AuditHandler(core: core).definition,
      store.eventsService,
      ExportsHandler(core: core).definition,
      HoldersHandler(core: core, tombstones: tombstones).definition,
    ]
    try await catalogue.record(settings.catalog)
    let follower = EntitlementFollower(
      catalogue: catalogue,
      holdings: reader,
      points: core.pointsNews
    )
    try await database.attach(follower, after: database.revision)
  }

  /// Whether the store works.
  func readiness() -> Readiness {
    Readiness([core.database.readinessCheck])
  }

  /// Deletes old rows of the store until the task is cancelled.
  func maintain(on loop: any EventLoop, clock: any WallClock, logger: Logger) async {
    await core.database.whileLeading { [self] in
      await lead(on: loop, clock: clock, logger: logger)
    }
  }

  /// The work that one program does of those that serve the store.
  private func lead(on loop: any EventLoop, clock: any WallClock, logger: Logger) async {
    await core.database.maintain(on: loop, clock: clock, logger: logger) {
      [core, settings, unprovenBuyers] now in
      try await unprovenBuyers.ask()
      while try await ClockChanges.advance(core) {}
      try await NotificationTable.purge(
        before: now - settings.purchases.notificationLifetime,
        from: core.store
      )
      let expiry = PointsRequestExpiry(identifiers: core.identifiers)
      while try await expiry.run(core) == PointsRequestExpiry.countMax {}
      try await UsageTable.purge(before: now - UsageTable.lifetime, from: core.store)
      if let lifetime = settings.auditLifetime {
        try await EntitlementChangeTable.purge(before: now - lifetime, from: core.store)
      }
    }
  }

  /// Goes on with another catalogue from the commit on that records it, and tells those who watch.
  ///
  /// Throws `StoreError` when it cannot be recorded; then the old one stays in use. One at a time.
  func reload(_ catalog: Catalog) async throws {
    try await catalogue.replace(by: catalog)
  }

  /// Closes the store, after the last call.
  func close() async {
    verifier.stop()
    await core.database.close()
  }
}
