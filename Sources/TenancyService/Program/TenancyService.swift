public import AccessEngine
internal import Contracts
public import RPCKit
public import ServiceKit

/// Settings of TenancyService.
public struct TenancyConfiguration: Sendable {
  /// The store's file; its folder must exist.
  public var storePath: String
  /// The policies, as JSON texts.
  public var policies: [PolicySource]
  /// How long audit records are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?
  /// Bytes of log that one user may leave at once; nil for the store's own default.
  public var logBudgetByteCount: Int64?
  /// Signs compliance reports, asked for each; nil until there is a key, and then there are no reports.
  public var reportKey: @Sendable () -> SigningKey? = { nil }
  /// What requests need that a gateway asks about.
  public var gatewayRoutes = GatewayRoutes()

  /// Makes settings.
  public init(storePath: String, policies: [PolicySource]) {
    self.storePath = storePath
    self.policies = policies
  }

  /// Makes settings with one policy.
  public init(storePath: String, policy: [UInt8]) {
    self.init(storePath: storePath, policies: [PolicySource(name: "", text: policy)])
  }
}

/// The whole service, without a server around it: who may do what to which entity, and the entities.
///
/// ```swift
/// let tenancy = try await TenancyService.open(configuration, users: AuthUserDirectory(users))
/// let server = Server(services: tenancy.services, interceptors: [authentication])
/// …
/// await tenancy.close()
/// ```
public final class TenancyService: Sendable {
  /// The domain of its error reasons.
  public static let domain = "gatehouse.tenancy"

  let core: TenancyCore
  private let tombstones: Tombstones
  private let policies: PolicyReloader
  private let reportKey: @Sendable () -> SigningKey?
  private let tokens: AccessTokenAuthenticator?
  private let gatewayRoutes: GatewayRoutes

  /// Opens the store, loads the policy and the forest, and has decisions follow the store.
  ///
  /// Throws `PolicyError` for a policy that does not load or that the handlers cannot work with, and
  /// `StoreError`. Ready when it returns. Without `features` nothing that needs one is allowed, without
  /// `holders` nobody is told of deleted entities, without `post` no invitation is mailed, and without `tokens`
  /// no gateway may pass on what needs a user.
  public static func open(
    _ configuration: TenancyConfiguration,
    users: any UserDirectory,
    features: EntitlementFeatures? = nil,
    holders: (any EntitlementHolders)? = nil,
    post: (any InvitationPost)? = nil,
    tokens: AccessTokenAuthenticator? = nil,
    clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: MetricRegistry
  ) async throws -> TenancyService {
    let policy = try PolicyReloader.policy(configuration.policies)
    var store = DatabaseConfiguration(
      path: configuration.storePath,
      applicationID: TenancySchema.applicationID
    )
    store.auditLifetime = configuration.auditLifetime
    if let byteCount = configuration.logBudgetByteCount { store.logBudgetByteCount = byteCount }
    let database = try await Database.open(
      store,
      migrations: TenancySchema.migrations,
      clock: clock
    )
    do {
      let identifiers = IdentifierFactory(clock: clock, random: random)
      var opened = ServiceStore(
        database,
        of: TenancyProgram.identity.name,
        identifiers: identifiers,
        metrics: metrics
      )
      let tombstones = Tombstones(
        secret: HMACKey(try await opened.secret("erasures", random: random))
      )
      opened.tombstones = tombstones
      let store = opened
      let zones = TimeZoneCache()
      let forest = try await database.read { tx in try ForestLoader.load(policy, zones, tx) }
      let engine = PermissionEngine(forest)
      let instruments = TenancyInstruments(metrics)
      let refusals = RefusalTally(engine: engine, clock: clock, instruments: instruments)
      let mailer = try await makeMailer(post, store, clock, random, logger, instruments)
      let core = TenancyCore(
        store: store,
        engine: engine,
        clock: clock,
        identifiers: identifiers,
        users: users,
        features: features ?? NoFeatures(),
        tokens: try await TokenSealer.stored(in: store, random: random),
        zones: zones,
        random: random,
        codeDigests: CodeDigests(key: try await store.secret("codes", random: random)),
        logger: logger,
        instruments: instruments,
        denials: DenialLog(
          service: TenancyProgram.identity.name,
          identifiers: identifiers,
          logger: logger,
          clock: clock,
          metrics: metrics,
          onDenial: { refusals.note($0, $1) }
        ),
        auditBudget: AuditBudget(domain: TenancyError.domain, clock: clock, metrics: metrics),
        refusals: refusals,
        mailer: mailer,
        endings: holders.map {
          HolderEndings(
            $0,
            clock: clock,
            random: random,
            logger: logger,
            instruments: instruments
          )
        }
      )
      try await database.attach(
        TenancyFollower(
          engine: core.engine,
          watchers: [core.watchers] + core.productWatchers.values
        ),
        after: core.engine.revision
      )
      core.instruments.inForce(policy)
      core.warn(ofZonesMissingIn: forest)
      try await core.keepPolicy(policy, configuration.policies)
      return TenancyService(
        core,
        tombstones,
        PolicyReloader(core, loaded: configuration.policies),
        reportKey: configuration.reportKey,
        tokens,
        configuration.gatewayRoutes
      )
    } catch {
      await database.close()
      throw error
    }
  }

  private static func makeMailer(
    _ post: (any InvitationPost)?,
    _ store: ServiceStore,
    _ clock: any WallClock,
    _ random: any RandomSource,
    _ logger: Logger,
    _ instruments: TenancyInstruments
  ) async throws -> InvitationMailer? {
    guard let post else { return nil }
    let bytes = try await store.secret("invitation_mail", random: random)
    guard let sealing = SealingKey(bytes) else {
      preconditionFailure("a secret of the store has the 32 bytes of a key")
    }
    return InvitationMailer(
      post,
      sealing: sealing,
      clock: clock,
      random: random,
      logger: logger,
      instruments: instruments
    )
  }

  private init(
    _ core: TenancyCore,
    _ tombstones: Tombstones,
    _ policies: PolicyReloader,
    reportKey: @escaping @Sendable () -> SigningKey?,
    _ tokens: AccessTokenAuthenticator?,
    _ gatewayRoutes: GatewayRoutes
  ) {
    self.core = core
    self.tombstones = tombstones
    self.policies = policies
    self.reportKey = reportKey
    self.tokens = tokens
    self.gatewayRoutes = gatewayRoutes
  }

  /// Every RPC of `tenancy.v1` that the loaded policy has a use for, and Envoy's authorization, for a server.
  public var services: [ServiceDefinition] {
    [
      EntitiesHandler(core: core).definition,
      RolesHandler(core: core).definition,
      RoleDefinitionsHandler(core: core).definition,
      AssociationsHandler(core: core).definition,
      SubjectsHandler(core: core).definition,
      AuditHandler(core: core).definition,
      PermissionsHandler(core: core).definition,
      AuthZenHandler(core: core).definition,
      InvitationsHandler(core: core).definition,
      DocumentsHandler(core: core).definition,
      LegacyDocumentsHandler(core: core).definition,
      ReportsHandler(core: core, key: reportKey).definition,
      ExportsHandler(core: core).definition,
      ErasureHandler(core: core, tombstones: tombstones).definition,
      AuthorizationHandler(core: core, tokens: tokens, routes: gatewayRoutes).definition,
    ] + Products.services(of: core)
  }

  /// Whether a user administers everything: for the `AuthenticationInterceptor`.
  public func isAdministrator(_ userID: String) -> Bool {
    let now = core.clock.now
    return core.engine.read { forest in
      guard let action = forest.policy.action(named: BuiltIn.administer) else { return false }
      return forest.decide(
        subject: userID,
        action: action,
        entity: Forest.systemIdentifier,
        context: .plain,
        now: now
      ).isAllowed
    }
  }

  /// Puts the policies that `sources` gives into force, while calls are answered.
  ///
  /// Throws what is wrong when it cannot be read, does not load, or does not fit what the store has;
  /// then the old one stays.
  public func reloadPolicies(_ sources: () throws -> [PolicySource]) async throws {
    do {
      let isOther = try await policies.load(try sources())
      core.instruments.reloaded(isOther ? .loaded : .unchanged)
    } catch {
      core.instruments.reloaded(.failed)
      throw error
    }
  }

  /// Puts the one policy that `text` gives into force.
  public func reload(policy text: () throws -> [UInt8]) async throws {
    try await reloadPolicies { [PolicySource(name: "", text: try text())] }
  }

  /// The engine, for tests.
  var engine: PermissionEngine { core.engine }

  /// The store, for its readiness and maintenance.
  public var database: Database { core.database }

  /// Forgets what is left of entities that were deleted long ago, the past before that, old invitations, and
  /// what products no longer need; see `Database.maintain`.
  public func purge(now: Int64) async throws {
    while try await database.purgeTombstones(before: now - Tombstone.lifetime) > 0 {}
    while try await database.purgePast(before: now - Tombstone.lifetime) > 0 {}
    while try await database.purgeEntityDeletions(before: now - Tombstone.lifetime) > 0 {}
    while try await database.purgeInvitations(before: now - InvitationLimits.retention) > 0 {}
    try await Products.purge(core, now: now)
    if let lifetime = database.configuration.auditLifetime {
      // Questions about the past need roles for as long as everything else that they rest on.
      let kept = max(lifetime, Tombstone.lifetime)
      while try await database.purgeEndedRoles(before: now - kept) > 0 {}
      while try await database.purgeRefusals(before: now - lifetime) > 0 {}
    }
  }

  /// Counts a call that was denied something, for compliance reports; see `OpenService`.
  public func note(_ denial: Denial, of call: CallContext) { core.refusals.note(denial, call) }

  /// Stores what was counted, every few seconds, until the task is cancelled.
  public func storeRefusals(on loop: any EventLoop) async {
    await core.refusals.run(core.store, on: loop)
  }

  /// Has invitations mailed, until the task is cancelled.
  public func mailInvitations(on loop: any EventLoop) async {
    await core.mailer?.run(core.store, on: loop)
  }

  /// Turns roles that were given to unproven addresses before into invitations, until that is done or the task
  /// is cancelled.
  public func reviewRoles(on loop: any EventLoop) async { await RoleReview(core).run(on: loop) }

  /// Tells EntitlementService of deleted entities, until the task is cancelled.
  public func endHolders(on loop: any EventLoop) async {
    await core.endings?.run(core.store, on: loop)
  }

  /// Finishes writes that wait and closes the store.
  ///
  /// After the server: calls that still run are answered UNAVAILABLE.
  public func close() async {
    core.engine.end()
    if !core.refusals.isEmpty { await core.refusals.flush(core.store) }
    await core.database.close()
  }
}
