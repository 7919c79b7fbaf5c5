internal import AccessEngine
internal import PeerContracts
internal import RPCKit
public import ServiceKit

/// TenancyService as a program hosts it.
public enum TenancyProgram: HostedService {
  /// Settings besides the common ones.
  public struct Settings: Sendable {
    /// The policies' files, and folders of them.
    var policies: [String]
    /// Which tokens are accepted.
    var identity: RemoteIdentity.Settings
    /// Whether invitations by address are mailed.
    var mailsInvitations: Bool
    /// Bytes that trees in memory may take, about.
    var treeByteCountMax: Int
    /// How webhooks are sent; nil sends none.
    var webhooks: WebhookSettings?
    /// The notices that people get by mail.
    var notices: NoticeSettings
    /// Whether operators may look at policies before they are loaded.
    var offersWorkbench: Bool
    /// The demands on requests that a gateway asks about.
    var gatewayRoutes: GatewayRoutes
    /// Where others find AuthZEN's interfaces; nil says it to nobody.
    var authZen: AuthZenMetadata?
  }

  /// See `HostedService.identity`.
  public static let identity = ServiceIdentity(
    name: "tenancy",
    summary: "TenancyService of Gatehouse: what callers may do.",
    port: 7402,
    adminPort: 7412
  )

  /// See `HostedService.store`.
  public static let store = StoreDefinition(
    applicationID: TenancySchema.applicationID,
    migrations: TenancySchema.migrations
  )

  /// See `HostedService.reloadedSettings`.
  public static let reloadedSettings = ["policy"]

  /// See `HostedService.settings`.
  public static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Settings(
      policies: try PolicyFiles.paths(members.optional("policy")),
      identity: try RemoteIdentity.Settings(&members),
      mailsInvitations: try members.optional("invitation_mails")?.boolean() ?? true,
      treeByteCountMax: Int(
        try members.optional("memory_limit_mib")?.integer(in: 1...1_048_576) ?? 1024
      ) << 20,
      webhooks: try WebhookSettings.read(members.optional("webhooks")),
      notices: try NoticeSettings.read(members.optional("notices")),
      offersWorkbench: try members.optional("workbench")?.boolean() ?? false,
      gatewayRoutes: try GatewayRoutes(members.optional("gateway_routes")),
      authZen: try AuthZenMetadata(members.optional("policy_decision_point"))
    )
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.attempt("policy") {
      _ = try PolicyReloader.policy(try PolicyFiles.readAll(settings.policies))
    }
    if settings.webhooks != nil, !common.keepsEvents {
      check.attempt("webhooks") {
        throw ConfigurationError("needs \"events\": true here, and in the other services")
      }
    }
    if settings.notices.access, !common.keepsEvents {
      check.attempt("notices.access") { throw ConfigurationError("needs \"events\": true") }
    }
    check.peers(["auth"], common)
    check.callers(["auth", "entitlement"], common)
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings> {
    let policies = try PolicyFiles.readAll(settings.policies)
    let remote = try RemoteIdentity(settings.identity, in: environment)
    let entitlement = try entitlementChannel(in: environment)
    let features = entitlement.map {
      EntitlementFeatures(
        $0,
        clock: environment.clock,
        loop: environment.loops.loops[0],
        random: environment.random,
        logger: environment.logger,
        metrics: environment.metrics.registry
      )
    }
    var own = TenancySettings(store: environment.settings.store, policies: policies)
    own.auditLifetime = environment.settings.auditLifetime
    own.keepsEvents = environment.settings.keepsEvents
    own.logBudgetByteCount = environment.settings.logBudgetByteCount
    own.treeByteCountMax = settings.treeByteCountMax
    own.webhooks = settings.webhooks
    own.notices = settings.notices
    own.offersWorkbench = settings.offersWorkbench
    own.gatewayRoutes = settings.gatewayRoutes
    let reportKey = Lock(try environment.signingKey())
    own.reportKey = { reportKey.withLock { $0 } }
    let service = try await TenancyService.open(
      own,
      TenancyDependencies(
        clock: environment.clock,
        random: environment.random,
        logger: environment.logger,
        metrics: environment.metrics.registry,
        users: AuthUserDirectory(Auth_V1.UsersClient(remote.authChannel)),
        features: features,
        holders: entitlement.map { RemoteEntitlementHolders(Entitlement_V1.HoldersClient($0)) },
        familyAccounts: RemoteFamilyAccounts(Auth_V1.FamilyEndsClient(remote.authChannel)),
        points: entitlement.map {
          RemotePointsDirectory(Entitlement_V1.PointsSummariesClient($0))
        },
        post: settings.mailsInvitations
          ? AuthInvitationPost(Auth_V1.AccountsClient(remote.authChannel)) : nil,
        noticePost: AuthNoticePost(accounts: Auth_V1.AccountsClient(remote.authChannel)),
        tokens: remote.tokens,
        userChanges: Auth_V1.UserChangesClient(remote.authChannel),
        eventSources: [RemoteEvents(name: "auth", client: .init(remote.authChannel))]
          + (entitlement.map { [RemoteEvents(name: "entitlement", client: .init($0))] } ?? [])
      )
    )
    return OpenService(
      services: service.services,
      documents: [settings.authZen?.document].compactMap(\.self) + EventSchemas.documents,
      interceptors: [
        remote.interceptor { right, user, _ in service.holds(right, user.userID) },
        service.operatorLooks,
      ],
      work: [remote.run, { await features?.run() }] + service.work(on: environment.loops.loops[0]),
      readiness: { Readiness([service.database.readinessCheck] + remote.checks) },
      reload: { settings in
        let key = try environment.signingKey()
        reportKey.withLock { $0 = key }
        try await reload(service, settings.policies)
      },
      onDenial: { service.note($0, of: $1) },
      peers: [entitlement, remote.authChannel].compactMap(\.self),
      closeStore: service.close
    )
  }

  /// Where features are asked for; nil when the settings do not say, and then nobody has any.
  private static func entitlementChannel(
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) -> Channel? {
    guard environment.settings.peers["entitlement"] != nil else { return nil }
    return try environment.authenticatedChannel(to: "entitlement")
  }

  /// Reads the policies again.
  private static func reload(_ service: TenancyService, _ paths: [String]) async throws {
    do {
      try await service.reloadPolicies { try PolicyFiles.readAll(paths) }
    } catch let error as PolicyError {
      let files = paths.joined(separator: ", ")
      throw ConfigurationError("the policy \(files) does not load: \(error)")
    }
  }
}
