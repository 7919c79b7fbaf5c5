internal import Contracts
public import RPCKit
public import ServiceKit

/// TenancyService as a program hosts it.
public struct TenancyProgram: HostedService {
  /// Settings besides the common ones.
  public struct Settings: Sendable {
    /// The policy's file.
    var policy: String
    /// Which tokens are accepted.
    var identity: RemoteIdentity.Settings
  }

  private let service: TenancyService
  private let remote: RemoteIdentity
  private let loop: any EventLoop
  private let clock: any WallClock
  private let logger: Logger

  /// See `HostedService.identity`.
  public static let identity = ServiceIdentity(
    name: "tenancy",
    summary: "TenancyService of Gatehouse: what callers may touch.",
    port: 7402,
    adminPort: 7412
  )

  /// See `HostedService.settings`.
  public static func settings(_ members: inout JSONMembers) throws(JSONDecodingError) -> Settings {
    Settings(
      policy: try members.optional("policy")?.string() ?? "policies/smart-home.json",
      identity: try RemoteIdentity.Settings(&members)
    )
  }

  /// See `HostedService.check`.
  public static func check(
    _ settings: Settings,
    _ common: ServiceSettings,
    _ check: inout ConfigurationCheck
  ) {
    check.file("policy", settings.policy) { path in
      let policy = try Policy.load(try FileBytes.read(path, byteCountMax: 4 << 20))
      let missing = SmartHome.missing(in: policy)
      guard missing.isEmpty else { throw PolicyError(missing) }
    }
    check.peers(["auth"], common)
  }

  /// See `HostedService.open`.
  public static func open(
    _ settings: Settings,
    in environment: ServiceEnvironment
  ) async throws -> TenancyProgram {
    let policy: [UInt8]
    do {
      policy = try FileBytes.read(settings.policy, byteCountMax: 4 << 20)
    } catch {
      throw ConfigurationError("setting policy: \(error)")
    }
    let remote = try RemoteIdentity(settings.identity, in: environment)
    let service = try await TenancyService.start(
      TenancyConfiguration(storePath: environment.settings.database, policy: policy),
      users: AuthUserDirectory(Auth_V1.UsersClient(remote.authChannel)),
      clock: environment.clock,
      random: environment.random,
      logger: environment.logger,
      metrics: environment.metrics.registry
    )
    return TenancyProgram(
      service: service,
      remote: remote,
      loop: environment.loops.loops[0],
      clock: environment.clock,
      logger: environment.logger
    )
  }

  /// See `HostedService.services`.
  public var services: [ServiceDefinition] { service.services }

  /// See `HostedService.interceptors`.
  public var interceptors: [any ServerInterceptor] {
    [
      StoreErrorInterceptor(domain: TenancyService.domain),
      remote.interceptor { [service] user, _ in service.isAdministrator(user.userID) },
    ]
  }

  /// See `HostedService.run`.
  public func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await remote.run() }
      group.addTask { await service.database.maintain(on: loop, clock: clock, logger: logger) }
      await group.waitForAll()
    }
  }

  /// See `HostedService.readiness`.
  public func readiness() -> Readiness {
    Readiness([service.database.readinessCheck] + remote.checks)
  }

  /// Only certificates can change while it serves; another policy needs a restart.
  public func reload() async throws {}

  /// See `HostedService.close`.
  public func close() async {
    await remote.close()
    await service.stop()
  }
}
