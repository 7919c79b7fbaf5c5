import AuthContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AuthService
@testable import EntitlementService
@testable import ServiceTesting
@testable import TenancyService

/// The three services on stores that the test can look into, and a client of AuthService.
struct ExportStage {
  let auth: AuthService
  let tenancy: TenancyService
  let entitlement: EntitlementService
  let channel: Channel

  /// A service's name, what it tells, and its store.
  var stores: [(name: String, plan: ExportPlan, store: ServiceStore)] {
    [
      ("auth", AuthExport.plan, auth.core.store),
      ("tenancy", TenancyExport.plan, tenancy.core.store),
      ("entitlement", EntitlementExport.plan, entitlement.core.store),
    ]
  }

  /// Serves while `body` runs.
  static func run(_ body: (ExportStage) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let loops = try EventLoopGroup.epoll(count: 2)
    defer { loops.stop() }
    let clock = ManualClock(TestTime.now)
    let tenancy = try await openTenancy(folder, clock)
    let entitlement = try await openEntitlement(folder, clock)
    let peers = Server(
      local,
      services: tenancy.services + entitlement.services,
      interceptors: [AuthServiceCalls()],
      on: loops
    )
    try await peers.serving { peers in
      try await withChannel(target(peers), .init(loops: loops)) { peerChannel in
        let auth = try await openAuth(folder, clock, peerChannel, loops)
        let server = Server(
          local,
          services: auth.services,
          interceptors: auth.interceptors,
          on: loops
        )
        try await server.serving { server in
          try await withChannel(target(server), .init(loops: loops)) { channel in
            try await body(
              ExportStage(
                auth: auth,
                tenancy: tenancy,
                entitlement: entitlement,
                channel: channel
              )
            )
          }
        }
        await auth.close()
      }
    }
    await tenancy.close()
    await entitlement.close()
  }

  private static let local = ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))])

  private static func target(_ server: Server) throws -> String {
    "tcp://\(try #require(server.addresses.first))"
  }

  private static func openTenancy(
    _ folder: URL,
    _ clock: ManualClock
  ) async throws -> TenancyService {
    try await TenancyService.open(
      TenancySettings(
        store: .file(folder.appending(path: "tenancy.db").path),
        policy: Array(try SchemaFile.text("policies/smart-home.json").utf8)
      ),
      TenancyDependencies(
        clock: clock,
        logger: logger,
        metrics: MetricRegistry(),
        users: NoUsers()
      )
    )
  }

  private static func openEntitlement(
    _ folder: URL,
    _ clock: ManualClock
  ) async throws -> EntitlementService {
    try await EntitlementService.open(
      EntitlementSettings(
        store: .file(folder.appending(path: "entitlement.db").path),
        catalog: try Catalog(json: Array(try SchemaFile.text("tiers/default.json").utf8)),
        purchases: PurchaseSettings(
          apple: AppleSettings(
            application: AppleApplication(bundleID: "com.example", appleID: 1)
          )
        )
      ),
      EntitlementService.Dependencies(
        clock: clock,
        metrics: MetricRegistry(),
        authorizer: SubjectAuthorizer(
          confirm: { _, _, _, _ in throw RPCError(.unavailable, "nobody is asked") },
          check: { _, _, _, _ in false },
          holds: { _, _ in false }
        ),
        accounts: EveryAccount()
      )
    )
  }

  private static func openAuth(
    _ folder: URL,
    _ clock: ManualClock,
    _ peers: Channel,
    _ loops: EventLoopGroup
  ) async throws -> AuthService {
    var settings = AuthSettings()
    settings.passwordCost = PasswordCost(memory: 8, passes: 1)
    settings.hashThreadCount = 1
    settings.mail.spool = folder.appending(path: "mail").path
    let secrets = AuthSecrets.generate(SystemRandomSource())
    return try await AuthService.open(
      settings,
      secrets: AuthSecrets(json: Array(secrets.utf8)),
      AuthService.Dependencies(
        store: .file(folder.appending(path: "auth.db").path),
        tenancy: peers,
        entitlement: peers,
        services: nil,
        clock: clock,
        loop: loops.next(),
        uptime: { clock.uptime },
        logger: logger,
        metrics: MetricRegistry()
      )
    )
  }

  private static let logger = Logger(label: "test", level: .critical, sink: CollectingSink())

  /// Every call comes from AuthService.
  private struct AuthServiceCalls: ServerInterceptor {
    func begin(_ call: CallContext) -> Interception {
      call.caller = .service("auth")
      return .proceed
    }
  }

  private struct NoUsers: UserDirectory {
    func displayNames(of userIDs: [String]) async throws -> [String: PersonName] { [:] }
    func userIDs(of emails: [String], for user: UserIdentity) async throws -> [String: String] {
      [:]
    }
    func address(of userID: String) async throws -> UserAddress? { nil }
  }

  // MARK: - Calls

  /// Signs somebody up, with a verified address; the user and the options of a call by it.
  func signUp(_ name: String) async throws -> (id: String, options: CallOptions) {
    let answer = try await Auth_V1.AuthenticationClient(channel).signUp(
      .init(
        email: "\(name)@example.org",
        password: "correct horse battery staple",
        displayName: name,
        device: .init(name: "\(name)'s phone")
      )
    )
    let id = try #require(answer.user?.id)
    try await auth.core.store.writeOwn { tx in
      try tx.execute("UPDATE account SET email_verified = 1 WHERE id = ?", .text(id))
    }
    let token = try #require(answer.tokens?.accessToken)
    return (id, CallOptions(metadata: ["authorization": "Bearer \(token)"]))
  }

  /// The whole document of whoever calls.
  func export(_ options: CallOptions) async throws -> String {
    var text = ""
    let pieces = Auth_V1.ExportsClient(channel).exportAccount(.init(), options: options)
    for try await piece in pieces { text += piece.json }
    return text
  }
}

/// The part of AuthService that knows who has an account: everybody who is asked for.
private struct EveryAccount: AccountDirectory {
  func names(of userIDs: [String]) async throws -> [String: String] {
    Dictionary(userIDs.map { ($0, "somebody") }) { first, _ in first }
  }

  func profile(of user: UserIdentity) async -> Auth_V1.User? { nil }
}
