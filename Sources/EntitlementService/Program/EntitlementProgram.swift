internal import PeerContracts
internal import RPCKit
public import ServiceKit

/// EntitlementService as a program hosts it.
public enum EntitlementProgram: HostedService {
  /// Settings besides the common ones.
  public struct Settings: Sendable {
    /// The file of the catalogue.
    var catalogPath: String
    /// Which purchases count, and how they are taken.
    var purchases: PurchaseSettings
    /// Which tokens are accepted.
    var identity: RemoteIdentity.Settings

    /// Reads the catalogue.
    ///
    /// Throws `ConfigurationError` with the file and the place.
    func readCatalog() throws(ConfigurationError) -> Catalog {
      do {
        return try Catalog(json: try FileBytes.read(catalogPath, byteCountMax: 4 << 20))
      } catch {
        throw ConfigurationError("\(catalogPath): \(error)")
      }
    }

    /// Reads everything that the settings name.
    ///
    /// Throws `ConfigurationError`.
    func read(store: StorePlace) throws(ConfigurationError) -> EntitlementSettings {
      var read = EntitlementSettings(
        store: store,
        catalog: try readCatalog(),
        purchases: purchases
      )
      try read.purchases.apple.readRoots()
      return read
    }
  }

  /// See `HostedService.identity`.
  public static let identity = ServiceIdentity(
    name: "entitlement",
    summary: "EntitlementService of Gatehouse: what callers have paid for.",
    port: 7403,
    adminPort: 7413
  )

  /// See `HostedService.store`.
  public static let store = StoreDefinition(
    applicationID: EntitlementSchema.applicationID,
    migrations: EntitlementSchema.migrations,
    checks: [PointsLedgerCheck.check]
  )

  /// See `HostedService.reloadedSettings`.
  public static let reloadedSettings = ["catalog"]

  /// See `HostedService.settings`.
  public static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Settings(
      catalogPath: try members.optional("catalog")?.string() ?? "tiers/default.json",
      purchases: try PurchaseSettings(&members),
      identity: try RemoteIdentity.Settings(&members)
    )
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.file("catalog", settings.catalogPath) { _ in _ = try settings.readCatalog() }
    settings.purchases.apple.check(&check)
    check.peers(["auth", "tenancy"], common)
    check.callers(["auth"], common)
    check.trustedProxies(settings.purchases.notificationLimits.rules, common)
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings> {
    var own = try settings.read(store: environment.settings.store)
    own.auditLifetime = environment.settings.auditLifetime
    own.keepsEvents = environment.settings.keepsEvents
    own.logBudgetByteCount = environment.settings.logBudgetByteCount
    let remote = try RemoteIdentity(settings.identity, in: environment)
    let tenancy = try environment.authenticatedChannel(to: "tenancy")
    let permissions = Permissions(
      tenancy,
      clock: environment.clock,
      loop: environment.loops.loops[0],
      random: environment.random,
      logger: environment.logger,
      metrics: PermissionMetrics(environment.metrics.registry)
    )
    remote.onRevocation { permissions.forget(subject: $0) }
    let service = try await EntitlementService.open(
      own,
      EntitlementService.Dependencies(
        clock: environment.clock,
        random: environment.random,
        metrics: environment.metrics.registry,
        logger: environment.logger,
        authorizer: SubjectAuthorizer(
          confirm: { user, action, entity, call in
            try await permissions.confirm(user, action, entity, for: call.caller.user)
          },
          check: { user, action, entity, call in
            try await permissions.check(user, action, entity, for: call).isAllowed
          },
          holds: { permission, user in
            try await permissions.confirm(user, permission.action, permission.entity)
              .decision.isAllowed
          },
          hasFeatures: { user, entity in try await permissions.hasFeatures(user, of: entity) }
        ),
        accounts: AuthAccountDirectory(Auth_V1.UsersClient(remote.authChannel))
      )
    )
    let interceptor = remote.interceptor { right, user, call in
      try await permissions.check(user.userID, right.action, right.entity, for: call).isAllowed
    }
    let (loop, clock) = (environment.loops.loops[0], environment.clock)
    return OpenService(
      services: service.services,
      interceptors: [interceptor],
      work: [
        remote.run,
        permissions.run,
        { await service.maintain(on: loop, clock: clock, logger: environment.logger) },
      ],
      readiness: { Readiness(service.readiness().checks + remote.checks) },
      // The catalogue is read again, and who may do what is asked for again.
      reload: { settings in
        permissions.forgetAll()
        try await service.reload(try settings.readCatalog())
      },
      peers: [tenancy, remote.authChannel],
      closeStore: service.close
    )
  }
}
