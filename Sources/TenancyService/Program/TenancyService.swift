internal import TenancyContracts
public import AccessEngine
public import PeerContracts
public import RPCKit
public import ServiceKit

/// The dependencies of TenancyService, besides its settings.
public struct TenancyDependencies: Sendable {
  /// The wall clock.
  public var clock: any WallClock
  /// Where randomness comes from.
  public var random: any RandomSource
  /// Where it logs.
  public var logger: Logger
  /// Where it counts.
  public var metrics: MetricRegistry
  /// The directory of accounts.
  public var users: any UserDirectory
  /// Without it nothing that needs a feature is allowed, and no limit applies.
  public var features: EntitlementFeatures?
  /// Without it nobody ends what deleted entities have in EntitlementService.
  public var holders: (any EntitlementHolders)?
  /// Without it nobody ends what families that ended have in AuthService.
  public var familyAccounts: (any FamilyAccounts)?
  /// Without it families are shown without points.
  public var points: (any PointsDirectory)?
  /// Without it no invitation is mailed.
  public var post: (any InvitationPost)?
  /// Without it nobody gets a notice by mail.
  var noticePost: (any NoticePost)?
  /// Without it no gateway may pass on what needs a user.
  public var tokens: AccessTokenAuthenticator?
  /// Without it nobody hears that a user has another name.
  public var userChanges: Auth_V1.UserChangesClient?

  /// The other services that have news for other systems.
  var eventSources: [any EventSource]
  /// The way to webhooks.
  var webhookTransport: any WebhookTransport

  /// Takes them; what is nil is not there.
  init(
    clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: MetricRegistry,
    users: any UserDirectory,
    features: EntitlementFeatures? = nil,
    holders: (any EntitlementHolders)? = nil,
    familyAccounts: (any FamilyAccounts)? = nil,
    points: (any PointsDirectory)? = nil,
    post: (any InvitationPost)? = nil,
    noticePost: (any NoticePost)? = nil,
    tokens: AccessTokenAuthenticator? = nil,
    userChanges: Auth_V1.UserChangesClient? = nil,
    eventSources: [any EventSource] = [],
    webhookTransport: (any WebhookTransport)? = nil
  ) {
    (self.clock, self.random, self.logger, self.metrics) = (clock, random, logger, metrics)
    (self.users, self.features, self.holders, self.points) = (users, features, holders, points)
    (self.post, self.tokens, self.userChanges) = (post, tokens, userChanges)
    self.familyAccounts = familyAccounts
    self.noticePost = noticePost
    self.eventSources = eventSources
    self.webhookTransport = webhookTransport ?? CurlWebhookTransport(clock: clock)
  }
}

/// The whole service, without a server around it: who may do what to which entity, and the entities.
///
/// ```swift
/// let tenancy = try await TenancyService.open(settings, dependencies)
/// let server = Server(services: tenancy.services, interceptors: [authentication])
/// …
/// await tenancy.close()
/// ```
public final class TenancyService: Sendable {
  let core: TenancyCore
  /// Every RPC of `tenancy.v1` that the policy has a use for, and Envoy's authorization, for a server.
  public let services: [ServiceDefinition]
  let mailer: InvitationMailer?
  let endings: HolderEndings?
  let familyEndings: FamilyEndings?
  let names: NameFiller
  let people: PeopleFollower?
  let acceptor: AddressAcceptor
  let apps: AppWatchers
  let webhooks: Webhooks?
  let notices: NoticeMailer?
  private let refusals: RefusalTally
  private let featureNews: FeatureNews?
  private let policies: PolicyReloader

  /// Opens the store, loads the policy and the forest, and has decisions follow the store.
  ///
  /// Throws `PolicyError` for a policy that does not load or that the handlers cannot work with, and
  /// `StoreError`. Ready when it returns.
  public static func open(
    _ settings: TenancySettings,
    _ dependencies: TenancyDependencies
  ) async throws -> TenancyService {
    let policy = try PolicyReloader.policy(settings.policies)
    var store = DatabaseConfiguration(
      settings.store,
      applicationID: TenancySchema.applicationID
    )
    store.schemaDigest = TenancySchema.digest
    store.logger = dependencies.logger
    store.auditLifetime = settings.auditLifetime
    store.eventRules = settings.keepsEvents ? TenancyEvents.rules : nil
    if let byteCount = settings.logBudgetByteCount { store.logBudgetByteCount = byteCount }
    let database = try await Database.open(
      store,
      migrations: TenancySchema.migrations,
      clock: dependencies.clock
    )
    do {
      return try await TenancyService(policy, database, settings, dependencies)
    } catch {
      await database.close()
      throw error
    }
  }

  private init(
    _ policy: Policy,
    _ database: Database,
    _ settings: TenancySettings,
    _ with: TenancyDependencies
  ) async throws {
    let (clock, random, metrics) = (with.clock, with.random, with.metrics)
    let name = TenancyProgram.identity.name
    let identifiers = IdentifierFactory(clock: clock, random: random)
    var store = ServiceStore(database, of: name, identifiers: identifiers, metrics: metrics)
    let tombstones = Tombstones(secret: HMACKey(try await store.secret("erasures", random: random)))
    store.tombstones = tombstones
    let zones = TimeZoneCache()
    let forest = try await database.read { tx in try ForestLoader.loadSystem(policy, zones, tx) }
    let engine = PermissionEngine(forest, byteCountMax: settings.treeByteCountMax)
    TreeMetrics.register(engine, metrics)
    let refusals = RefusalTally(engine: engine, clock: clock, metrics: metrics)
    mailer = try await Self.mailer(store, with)
    featureNews = with.features?.news
    let appMeter = AppWatchMeter(metrics)
    apps = AppWatchers(engine, RelayedNews(random: random), appMeter)
    with.features?.listen { [apps] in apps.relay($0) }
    endings = with.holders.map {
      HolderEndings($0, clock: clock, random: random, logger: with.logger, metrics: metrics)
    }
    familyEndings = with.familyAccounts.map {
      FamilyEndings($0, clock: clock, random: random, logger: with.logger, metrics: metrics)
    }
    core = TenancyCore(
      store: store,
      engine: engine,
      loader: TreeLoader(
        store,
        engine,
        zones,
        smallCountMax: settings.smallTreeCountMax,
        metrics: metrics
      ),
      clock: clock,
      identifiers: identifiers,
      users: with.users,
      features: with.features ?? NoFeatures(),
      tokens: try await TokenSealer.stored(in: store, random: random),
      zones: zones,
      random: random,
      codeDigests: CodeDigests(key: try await store.secret("codes", random: random)),
      logger: with.logger,
      metrics: metrics,
      denials: DenialLog(
        service: name,
        identifiers: identifiers,
        logger: with.logger,
        clock: clock,
        metrics: metrics,
        onDenial: { refusals.note($0, $1) }
      ),
      auditBudget: AuditBudget(
        domain: ErrorCatalog.tenancy.domain,
        clock: clock,
        metrics: metrics
      ),
      products: Products.all,
      watched: [DocumentsHandler.watched(metrics)] + Products.all.flatMap { $0.watched(metrics) },
      followers: [apps],
      mailer: mailer,
      endings: endings,
      familyEndings: familyEndings,
      points: with.points
    )
    self.refusals = refusals
    let webhookSecret = try await store.secret("webhooks", random: random)
    webhooks = settings.webhooks.map { [core] in
      Webhooks(
        core,
        $0,
        secret: webhookSecret,
        sources: [StoredEvents(database: database)] + with.eventSources,
        transport: with.webhookTransport
      )
    }
    notices = Self.notices(settings, with, core)
    names = NameFiller(core)
    acceptor = AddressAcceptor(core)
    people = with.userChanges.map { [core, apps, acceptor] in
      PeopleFollower(core, $0, random: random, onProof: acceptor.accept) { apps.relay($0) }
    }
    try await acceptor.begin()
    if with.features == nil, !policy.limits.isEmpty {
      with.logger.notice("the limits of the policy do not apply: peers.entitlement is not set")
    }
    try await database.attach(core.follower, after: engine.revision)
    let past = PastPolicies(zones: zones)
    policies = PolicyReloader(core, past, loaded: settings.policies)
    try await policies.begin()
    let permissions = PermissionsHandler(core: core, pastPolicies: past)
    services =
      [
        EntitiesHandler(core: core).definition,
        RolesHandler(core: core).definition,
        RoleDefinitionsHandler(core: core).definition,
        AssociationsHandler(core: core).definition,
        SubjectsHandler(core: core).definition,
        AuditHandler(core: core).definition,
        permissions.definition,
        SchemasHandler(core: core).definition,
        AuthZenHandler(core: core, permissions: permissions).definition,
        InvitationsHandler(core: core).definition,
        PeopleHandler(core: core).definition,
        DocumentsHandler(core: core).definition,
        LegacyDocumentsHandler(core: core).definition,
        AppWatchHandler(core: core, watchers: apps, meter: appMeter) { [features = with.features] in
          features?.want()
        }.definition,
        ReportsHandler(core: core, refusals: refusals, key: settings.reportKey).definition,
        ExportsHandler(core: core, refusals: refusals).definition,
        ErasureHandler(core: core, tombstones: tombstones, refusals: refusals).definition,
        WebhooksHandler(core: core, webhooks: webhooks).definition,
        PoliciesHandler(core: core, isOffered: settings.offersWorkbench).definition,
        AuthorizationHandler(
          core: core,
          tokens: with.tokens,
          routes: settings.gatewayRoutes
        ).definition,
      ] + core.products.parts(of: policy).flatMap { [core] in $0.services(core) }
  }

  private static func mailer(
    _ store: ServiceStore,
    _ with: TenancyDependencies
  ) async throws -> InvitationMailer? {
    // There before the first letter, and without any.
    let metrics = InvitationMetrics(with.metrics)
    _ = HolderMetrics(with.metrics)
    _ = FamilyEndMetrics(with.metrics)
    guard let post = with.post else { return nil }
    let bytes = try await store.secret("invitation_mail", random: with.random)
    guard let sealing = SealingKey(bytes) else {
      preconditionFailure("a secret of the store has the 32 bytes of a key")
    }
    return InvitationMailer(
      post,
      sealing: sealing,
      clock: with.clock,
      random: with.random,
      logger: with.logger,
      metrics: metrics,
      namesParent: { type in Products.all.contains { $0.isDevice(type) } }
    )
  }

  private static func notices(
    _ settings: TenancySettings,
    _ with: TenancyDependencies,
    _ core: TenancyCore
  ) -> NoticeMailer? {
    let isNeeded = settings.notices.access || settings.notices.webhooks && settings.webhooks != nil
    guard isNeeded, settings.keepsEvents, let post = with.noticePost else { return nil }
    return NoticeMailer(
      core: core,
      settings: settings.notices,
      post: post,
      namesParent: { type in Products.all.contains { $0.isDevice(type) } }
    )
  }

  /// Writes down what operators look at; behind the interceptor that says who calls.
  public var operatorLooks: any ServerInterceptor {
    // Of what users may call, the methods that may be repeated without a key are those that read.
    let reads = services.flatMap { $0.methods.map(\.descriptor) }.filter(\.isIdempotent)
    return OperatorLookInterceptor(core: core, reads: Set(reads.map(\.fullName))) { [core] userID in
      core.engine.peek { $0.isOnSystem(userID) }
    }
  }

  /// Whether a user has a right of operators or of support people: for the `AuthenticationInterceptor`.
  public func holds(_ right: Permission, _ userID: String) -> Bool {
    let now = core.clock.now
    return core.engine.peek { forest in
      // Asked for each call of a user, nearly all of whom have no role there.
      guard forest.isOnSystem(userID),
        let action = forest.policy.action(named: right.action)
      else { return false }
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
    try await policies.reload(Result { try sources() })
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
    while try await database.purgeTombstones(before: now - TombstoneTable.lifetime) > 0 {}
    let past = now - TombstoneTable.lifetime
    try await database.purgePast(before: past)
    try await database.purge("entity_deletion", "finished_at", before: past)
    try await acceptor.purge(now: now)
    try await database.purge("invitation", "expires_at", before: now - InvitationLimits.retention)
    for product in core.products { try await product.purge(core, now: now) }
    try await webhooks?.purge(now: now)
    if let lifetime = database.configuration.auditLifetime {
      // Questions about the past need roles for as long as everything else that they rest on.
      let kept = max(lifetime, TombstoneTable.lifetime)
      while try await database.purgeEndedRoles(before: now - kept) > 0 {}
      let oldest = now - lifetime
      try await database.purge("refusal", "hour", before: oldest, by: RefusalTable.key)
    }
  }

  /// Counts a call that was denied something, for compliance reports; see `OpenService`.
  public func note(_ denial: Denial, of call: CallContext) { refusals.note(denial, call) }

  /// The work besides answering calls, each until its task is cancelled: it keeps the store small, stores
  /// counted refusals, has invitations mailed, makes roles that came of invitations by themselves ones like others when
  /// they are used, reviews roles after an upgrade, keeps the names of people, has what deleted entities and families had
  /// in the other services ended there, and notifies watchers of permissions of changed features.
  public func work(on loop: any EventLoop) -> [@Sendable () async -> Void] {
    let (core, refusals, people) = (core, refusals, people)
    let (news, acceptor) = (featureNews, acceptor)
    return [
      { [self] in await database.whileLeading { [self] in await lead(on: loop) } },
      { await refusals.run(core.store, on: loop) },
      { await acceptor.run(on: loop) },
      { await people?.run(on: loop) },
      { await news?.run(core, on: loop) },
    ]
  }

  /// The work that one program does of those that serve the store.
  private func lead(on loop: any EventLoop) async {
    await withDiscardingTaskGroup { [self] group in
      group.addTask { [self] in
        await database.maintain(on: loop, clock: core.clock, logger: core.logger) { [self] in
          try await purge(now: $0)
        }
      }
      group.addTask { [self] in await mailer?.run(core.store, on: loop) }
      group.addTask { [self] in await notices?.run(on: loop) }
      group.addTask { [self] in await RoleReview(core).run(on: loop) }
      group.addTask { [self] in await names.run(on: loop) }
      group.addTask { [self] in await webhooks?.run(on: loop) }
      group.addTask { [self] in await endings?.run(core.store, on: loop) }
      group.addTask { [self] in await familyEndings?.run(core.store, on: loop) }
    }
  }

  /// Finishes writes that wait and closes the store.
  ///
  /// After the server: calls that still run are answered UNAVAILABLE.
  public func close() async {
    core.engine.end()
    if !refusals.isEmpty { await refusals.flush(core.store) }
    await core.database.close()
  }
}
