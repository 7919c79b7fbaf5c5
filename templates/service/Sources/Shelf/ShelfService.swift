internal import RPCKit
public import ServiceKit
internal import ShelfContracts

/// The service as its program hosts it.
public struct ShelfService: HostedService {
  /// Settings besides those that every service has.
  public struct Settings: Sendable {
    /// Which tokens are accepted.
    var identity: RemoteIdentity.Settings
  }

  /// See `HostedService.identity`.
  public static let identity = ServiceIdentity(
    name: "shelf",
    summary: "ShelfService: the items of users.",
    port: 7500,
    adminPort: 7510
  )

  /// See `HostedService.store`.
  public static let store = StoreDefinition(
    applicationID: ShelfSchema.applicationID,
    migrations: ShelfSchema.migrations
  )

  /// See `HostedService.settings`.
  public static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Settings(identity: try RemoteIdentity.Settings(&members))
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.peers(["auth"], common)
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> OpenService<Settings> {
    let remote = try RemoteIdentity(settings.identity, in: environment)
    var configuration = DatabaseConfiguration(
      environment.settings.store,
      applicationID: ShelfSchema.applicationID
    )
    configuration.auditLifetime = environment.settings.auditLifetime
    let database = try await Database.open(
      configuration,
      migrations: ShelfSchema.migrations,
      clock: environment.clock
    )
    let store = ServiceStore(
      database,
      of: identity.name,
      identifiers: environment.identifiers,
      metrics: environment.metrics.registry
    )
    let items = ItemsHandler(
      store: store,
      identifiers: environment.identifiers,
      clock: environment.clock
    )
    return OpenService(
      services: [items.definition],
      // Nobody is an operator here: no method asks for one.
      interceptors: [remote.interceptor { _, _, _ in false }],
      work: [
        remote.run,
        {
          await database.maintain(
            on: environment.loops.loops[0],
            clock: environment.clock,
            logger: environment.logger
          )
        },
      ],
      readiness: { Readiness([database.readinessCheck] + remote.checks) },
      // There is nothing that can change while calls are served.
      reload: { _ in },
      peers: [remote.authChannel],
      closeStore: database.close
    )
  }
}
