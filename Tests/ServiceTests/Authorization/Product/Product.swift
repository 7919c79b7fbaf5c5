import AuthService
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyService

@testable import EntitlementService
@testable import ServiceTesting

/// The three services in one process, hosted and configured as their programs are: real stores, real
/// sockets, signed tokens, caches that are filled and pushed to over calls.
///
/// Only the date is the tests'.
struct Product: Sendable {
  let clock: ManualClock
  let loops: EventLoopGroup
  let purse = HeldTokens()
  /// What each service counts.
  let registries: [String: MetricRegistry]
  private let folder: ProductFolder
  private let setup: ProductSetup
  private let channels: [String: Channel]

  /// Runs `body` with three services that serve, and ends them; the policy is the smart home's unless
  /// one is given, `settings` are those of all three beside their own, and `auth` of AuthService alone.
  static func run(
    policy: [UInt8]? = nil,
    settings: JSONObject = [:],
    auth: JSONObject = [:],
    _ body: (Product) async throws -> Void
  ) async throws {
    let loops = try EventLoopGroup.epoll(count: 2)
    defer { loops.stop() }
    let product = try Product(on: loops, policy: policy, settings: settings, auth: auth)
    let (auth, tenancy, entitlement) = (Ending(), Ending(), Ending())
    try await withThrowingTaskGroup(of: Void.self) { group in
      // In this order nobody looks in vain for another one's keys.
      group.addTask { try await product.host(AuthProgram.self, until: auth) }
      let end = { for ending in [auth, tenancy, entitlement] { ending.continuation.finish() } }
      do {
        try await product.serves("auth")
        group.addTask { try await product.host(TenancyProgram.self, until: tenancy) }
        group.addTask { try await product.host(EntitlementProgram.self, until: entitlement) }
        try await product.serves("tenancy")
        try await product.serves("entitlement")
        try await body(product)
      } catch {
        end()
        throw error
      }
      end()
      try await group.waitForAll()
    }
    for channel in product.channels.values { await channel.close() }
  }

  private struct Ending: Sendable {
    let signals: AsyncStream<ProcessSignal>
    let continuation: AsyncStream<ProcessSignal>.Continuation

    init() { (signals, continuation) = AsyncStream.makeStream() }
  }

  private init(
    on loops: EventLoopGroup,
    policy: [UInt8]?,
    settings: JSONObject,
    auth: JSONObject
  ) throws {
    self.loops = loops
    clock = ManualClock(TestTime.now)
    folder = try ProductFolder()
    setup = try ProductSetup(folder, policy: policy, common: settings, auth: auth)
    registries = Dictionary(
      uniqueKeysWithValues: ProductSetup.services.map { ($0, MetricRegistry()) }
    )
    var channels: [String: Channel] = [:]
    for name in ProductSetup.services {
      var configuration = ChannelConfiguration(loops: loops)
      // What is tested is the answer, not that of asking five times.
      configuration.retry = .never
      channels[name] = try Channel(setup.target(of: name), configuration)
    }
    self.channels = channels
  }

  private func host<Service: HostedService>(
    _ type: Service.Type,
    until ending: Ending
  ) async throws {
    let (common, own) = try setup.settings(of: type)
    let registry = registries[Service.identity.name] ?? MetricRegistry()
    let environment = ServiceEnvironment(
      name: Service.identity.name,
      settings: common,
      clock: clock,
      logger: Logger(label: Service.identity.name, level: .critical, sink: CollectingSink()),
      metrics: RPCMetrics(registry: registry, version: "test"),
      loops: loops
    )
    let host = try await ServiceHost<Service>(own, in: environment)
    try await host.run(signals: ending.signals) { _ in }
  }

  private func serves(_ name: String) async throws {
    let health = Grpc_Health_V1.HealthClient(channel(to: name))
    let options = CallOptions(timeout: .seconds(5), waitsForReady: true)
    // What fails does not serve yet.
    let isServing = await eventually {
      (try? await health.check(.init(), options: options))?.status == .serving
    }
    guard isServing else { throw RPCError(.unavailable, "\(name) does not get ready") }
  }

  /// Tries again and again until `condition` holds, and says whether it came in time.
  func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    try await loops.loops[0].eventually(condition)
  }

  /// To the service of a name: `tenancy`.
  func channel(to name: String) -> Channel {
    guard let channel = channels[name] else { preconditionFailure("there is no service \(name)") }
    return channel
  }

  /// A client that speaks HTTP/1.1 to the service of a name.
  func http(to name: String) -> HTTPClient {
    HTTPClient(address: .unix(path: setup.path(of: name)), loop: loops.loops[0])
  }

  /// A channel of a service to another one, with the same proof as in its program; the caller closes
  /// it.
  func channel(of service: String, to audience: String) throws -> Channel {
    var configuration = ChannelConfiguration(loops: loops)
    configuration.interceptors = [
      ServiceCredentials(issuer(of: service), audience: audience)
    ]
    return try Channel(setup.target(of: audience), configuration)
  }

  /// The proof of a service in a call of its own.
  func options(of service: String, to audience: String) -> CallOptions {
    Self.options("service-authorization", issuer(of: service).token(for: audience))
  }

  private func issuer(of service: String) -> ServiceTokenIssuer {
    ServiceTokenIssuer(
      name: service,
      key: setup.key(of: service),
      clock: clock,
      random: SystemRandomSource()
    )
  }

  /// A call that shows a token under a name.
  static func options(_ name: String, _ token: String) -> CallOptions {
    CallOptions(timeout: .seconds(20), metadata: [name: "Bearer \(token)"])
  }
}

extension Product {
  var authentication: Auth_V1.AuthenticationClient { .init(channel(to: "auth")) }
  var sessions: Auth_V1.SessionsClient { .init(channel(to: "auth")) }
  var portfolios: Tenancy_V1.PortfoliosClient { .init(channel(to: "tenancy")) }
  var properties: Tenancy_V1.PropertiesClient { .init(channel(to: "tenancy")) }
  var units: Tenancy_V1.UnitsClient { .init(channel(to: "tenancy")) }
  var devices: Tenancy_V1.DevicesClient { .init(channel(to: "tenancy")) }
  var guests: Tenancy_V1.GuestsClient { .init(channel(to: "tenancy")) }
  var invitations: Tenancy_V1.InvitationsClient { .init(channel(to: "tenancy")) }
  var associations: Tenancy_V1.AssociationsClient { .init(channel(to: "tenancy")) }
  var roles: Tenancy_V1.RolesClient { .init(channel(to: "tenancy")) }
  var entities: Tenancy_V1.EntitiesClient { .init(channel(to: "tenancy")) }
  var definitions: Tenancy_V1.RoleDefinitionsClient { .init(channel(to: "tenancy")) }
  var subjects: Tenancy_V1.SubjectsClient { .init(channel(to: "tenancy")) }
  var permissions: Tenancy_V1.PermissionsClient { .init(channel(to: "tenancy")) }
  var people: Tenancy_V1.PeopleClient { .init(channel(to: "tenancy")) }
  var subscriptions: Entitlement_V1.SubscriptionsClient { .init(channel(to: "entitlement")) }
  var purchases: Entitlement_V1.PurchasesClient { .init(channel(to: "entitlement")) }
}
