internal import Contracts
public import RPCKit
public import ServiceKit

/// Settings of TenancyService.
public struct TenancyConfiguration: Sendable {
  /// The store's file; its folder must exist.
  public var storePath: String
  /// The policy, as JSON text.
  public var policy: [UInt8]
  /// How long audit records are kept, in milliseconds; nil keeps them all.
  public var auditLifetime: Int64?

  /// Makes settings.
  public init(storePath: String, policy: [UInt8]) {
    self.storePath = storePath
    self.policy = policy
  }
}

/// The whole service, without a server around it: who may do what to which entity, and the entities.
///
/// ```swift
/// let tenancy = try await TenancyService.start(configuration, users: AuthUserDirectory(users))
/// let server = Server(services: tenancy.services, interceptors: [
///   StoreErrorInterceptor(domain: TenancyService.domain), authentication,
/// ])
/// …
/// await tenancy.stop()
/// ```
public final class TenancyService: Sendable {
  /// The domain of its error reasons.
  public static let domain = "gatehouse.tenancy"

  private let core: TenancyCore
  private let follower: Task<Void, Never>

  /// Opens the store, loads the policy and the forest, and begins to follow changes.
  ///
  /// Throws `PolicyError` for a policy that does not load or that the handlers cannot work with, and
  /// `StoreError`. Ready when it returns.
  public static func start(
    _ configuration: TenancyConfiguration,
    users: any UserDirectory,
    clock: any WallClock = SystemWallClock(),
    random: any RandomSource = SystemRandomSource(),
    logger: Logger,
    metrics: MetricRegistry
  ) async throws -> TenancyService {
    let policy = try Policy.load(configuration.policy)
    let missing = SmartHome.missing(in: policy)
    guard missing.isEmpty else { throw PolicyError(missing) }
    var store = DatabaseConfiguration(
      path: configuration.storePath,
      applicationID: TenancySchema.applicationID
    )
    store.auditLifetime = configuration.auditLifetime
    let database = try await Database.open(
      store,
      migrations: TenancySchema.migrations,
      clock: clock
    )
    do {
      let key = try await pageKey(of: database, random: random)
      let forest = try await database.read { tx in try ForestLoader.load(policy, tx) }
      let core = TenancyCore(
        database: database,
        engine: PermissionEngine(forest),
        clock: clock,
        identifiers: IdentifierFactory(clock: clock, random: random),
        users: users,
        tokens: TokenSealer(key: key),
        logger: logger,
        instruments: TenancyInstruments(metrics)
      )
      return TenancyService(core)
    } catch {
      await database.close()
      throw error
    }
  }

  private init(_ core: TenancyCore) {
    self.core = core
    // Ends with `stop`, or when the store is closed.
    follower = Task { await StoreFollower(core: core).run() }
  }

  /// Every RPC of `tenancy.v1`, for a server.
  public var services: [ServiceDefinition] {
    let devices = DevicesHandler(core: core)
    let units = UnitsHandler(core: core, devices: devices)
    let properties = PropertiesHandler(core: core, units: units)
    return [
      PortfoliosHandler(core: core, properties: properties).definition,
      properties.definition,
      units.definition,
      devices.definition,
      GuestsHandler(core: core).definition,
      AssociationsHandler(core: core).definition,
      PermissionsHandler(core: core).definition,
    ]
  }

  /// Whether a user administers everything: for the `AuthenticationInterceptor`.
  public func isAdministrator(_ userID: String) -> Bool {
    guard let action = core.policy.action(named: "system.administer") else { return false }
    let now = core.clock.now
    return core.engine.read {
      $0.decide(
        subject: userID,
        action: action,
        entity: Forest.systemIdentifier,
        context: .plain,
        now: now
      ).isAllowed
    }
  }

  /// The engine, for tests.
  var engine: PermissionEngine { core.engine }

  /// The store, for its readiness and maintenance.
  public var database: Database { core.database }

  /// Finishes writes that wait, closes the store and ends what follows it.
  ///
  /// After the server: calls that still run are answered UNAVAILABLE.
  public func stop() async {
    follower.cancel()
    await follower.value
    core.engine.end()
    await core.database.close()
  }

  /// The key of page and revision tokens; made at the first start and kept.
  private static func pageKey(
    of database: Database,
    random: any RandomSource
  ) async throws -> [UInt8] {
    let fresh = random.bytes(32)
    return try await database.write { tx in
      let find = "SELECT bytes FROM service_secret WHERE name = ?"
      if let key = try tx.first(find, .text("tokens"), row: { $0.blob(0) }) { return key }
      try tx.execute(
        "INSERT INTO service_secret (name, bytes) VALUES (?, ?)",
        .text("tokens"),
        .blob(fresh)
      )
      return fresh
    }
  }
}
