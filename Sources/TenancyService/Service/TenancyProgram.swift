internal import AccessEngine
internal import Contracts
public import RPCKit
public import ServiceKit

/// TenancyService as a program hosts it.
public struct TenancyProgram: HostedService {
  /// Settings besides the common ones.
  public struct Settings: Sendable {
    /// The policies' files, and folders of them.
    var policies: [String]
    /// Which tokens are accepted.
    var identity: RemoteIdentity.Settings
  }

  private let service: TenancyService
  private let policyPaths: [String]
  private let remote: RemoteIdentity
  private let entitlement: Channel?
  private let features: EntitlementFeatures?
  private let loop: any EventLoop
  private let clock: any WallClock
  private let logger: Logger

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

  /// See `HostedService.settings`.
  public static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Settings(
      policies: try policies(members.optional("policy")),
      identity: try RemoteIdentity.Settings(&members)
    )
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.attempt("policy") {
      _ = try PolicyReloader.policy(try readPolicies(settings.policies))
    }
    check.peers(["auth"], common)
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> TenancyProgram {
    let policies = try readPolicies(settings.policies)
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
    var configuration = TenancyConfiguration(
      storePath: environment.settings.database,
      policies: policies
    )
    configuration.auditLifetime = environment.settings.auditLifetime
    let service = try await TenancyService.open(
      configuration,
      users: AuthUserDirectory(Auth_V1.UsersClient(remote.authChannel)),
      features: features,
      clock: environment.clock,
      random: environment.random,
      logger: environment.logger,
      metrics: environment.metrics.registry
    )
    return TenancyProgram(
      service: service,
      policyPaths: settings.policies,
      remote: remote,
      entitlement: entitlement,
      features: features,
      loop: environment.loops.loops[0],
      clock: environment.clock,
      logger: environment.logger
    )
  }

  /// Where features are asked for; nil when the settings do not say, and then nobody has any.
  private static func entitlementChannel(
    in environment: ServiceEnvironment
  ) throws(ConfigurationError) -> Channel? {
    guard environment.settings.peers["entitlement"] != nil else { return nil }
    return try environment.authenticatedChannel(to: "entitlement")
  }

  /// See `HostedService.services`.
  public var services: [ServiceDefinition] { service.services }

  /// See `HostedService.interceptors`.
  public var interceptors: [any ServerInterceptor] {
    [remote.interceptor { [service] user, _ in service.isAdministrator(user.userID) }]
  }

  /// See `HostedService.run`.
  public func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await remote.run() }
      group.addTask { await features?.run() }
      group.addTask {
        await service.database.maintain(on: loop, clock: clock, logger: logger) { now in
          try await service.purge(now: now)
        }
      }
      await group.waitForAll()
    }
  }

  /// See `HostedService.readiness`.
  public func readiness() -> Readiness {
    Readiness([service.database.readinessCheck] + remote.checks)
  }

  /// Reads the policies again.
  public func reload() async throws {
    do {
      try await service.reloadPolicies { try Self.readPolicies(policyPaths) }
    } catch let error as PolicyError {
      let files = policyPaths.joined(separator: ", ")
      throw ConfigurationError("the policy \(files) does not load: \(error)")
    }
  }

  /// See `HostedService.close`.
  public func close() async {
    await entitlement?.close()
    await remote.close()
    await service.close()
  }
}
