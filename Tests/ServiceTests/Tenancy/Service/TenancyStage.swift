import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// A folder that lasts as long as the object; its path is short, because a socket's has to be.
final class TestFolder: Sendable {
  let root = "/tmp/tenancy-\(UInt64.random(in: 0...(.max)))"

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
  }

  deinit {
    // The system empties the place anyway.
    try? FileManager.default.removeItem(atPath: root)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }
}

/// Log lines that nobody reads.
struct SilentSink: LogSink {
  func write(_ line: consuming [UInt8]) {}
  func flush() {}
}

/// Tells the handlers who calls, from metadata: what proves it is tested elsewhere.
struct NamedCallers: ServerInterceptor {
  func begin(_ call: CallContext) -> Interception {
    if let user = call.metadata["test-user"] {
      call.caller = Caller.user(
        UserIdentity(
          userID: user,
          sessionID: call.metadata["test-session"] ?? "ses_test",
          token: BearerToken(""),
          acr: call.metadata["test-acr"] ?? "pwd",
          authenticated: call.metadata["test-recent"] == nil ? 0 : .max,
          tokenExpires: .max,
          purpose: call.metadata["test-purpose"],
          object: call.metadata["test-object"]
        )
      )
    } else if let service = call.metadata["test-service"] {
      call.caller = Caller.service(service)
    }
    return .proceed
  }
}

/// A small AuthService: who has an account is everyone whose identifier does not say otherwise, and
/// whoever has an address by `accounts`.
final class SmallUsersService: Auth_V1.UsersService {
  /// Users by address.
  let accounts = Lock<[String: String]>([:])
  /// Addresses that were verified.
  let verified = Lock<Set<String>>([])
  /// Every user whose address was asked for.
  let asked = Lock<[String]>([])
  /// How often addresses are told before AuthService is down; nil for ever.
  let answersLeft = Lock<Int?>(nil)
  /// Names of users who have changed theirs; the others are called after their identifiers.
  let names = Lock<[String: PersonName]>([:])
  /// Questions for names.
  let nameQuestions = Lock<[[String]]>([])
  /// Runs while a question for names is being answered.
  let onNames = Lock<(@Sendable () async throws -> Void)?>(nil)
  /// What becomes of everybody who asks.
  let failure = Lock<RPCError?>(nil)

  func getAddress(
    _ request: Auth_V1.GetUserAddressRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserAddress {
    asked.withLock { $0.append(request.userId) }
    let isDown = answersLeft.withLock { left in
      defer { left = left.map { max(0, $0 - 1) } }
      return left == 0
    }
    guard !isDown else { throw RPCError(.unavailable, "down") }
    if let failure = failure.withLock({ $0 }) { throw failure }
    let address = accounts.withLock { $0.first { $0.value == request.userId }?.key }
    guard let address else { throw RPCError(.notFound, "no such user") }
    return .init(email: address, emailVerified: verified.withLock { $0.contains(address) })
  }

  func batchGet(
    _ request: Auth_V1.BatchGetUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.BatchGetUsersResponse {
    nameQuestions.withLock { $0.append(request.userIds) }
    let names = names.withLock { $0 }
    try await onNames.withLock { $0 }?()
    return Auth_V1.BatchGetUsersResponse(
      users: request.userIds.filter { $0.hasPrefix("usr_") && !$0.contains("missing") }
        .map { id in
          let name = names[id] ?? PersonName("Name of \(id)", version: 1)
          return Tenancy_V1.UserSummary(
            id: id,
            displayName: name.text,
            version: UInt64(name.version)
          )
        }
    )
  }

  func lookup(
    _ request: Auth_V1.LookupUsersRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.LookupUsersResponse { throw RPCError(.unimplemented, "") }

  func get(
    _ request: Auth_V1.LookupUserRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UserSummary { throw RPCError(.unimplemented, "") }

  func getMe(_ request: Auth_V1.GetMeRequest, _ call: CallContext) async throws -> Auth_V1.User {
    throw RPCError(.unimplemented, "")
  }

  func listAccess(
    _ request: Auth_V1.ListAccessRequest,
    _ call: CallContext
  ) async throws -> Audit_V1.ListAccessResponse { throw RPCError(.unimplemented, "") }

  func updateProfile(
    _ request: Auth_V1.UpdateProfileRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.User { throw RPCError(.unimplemented, "") }

  func updateSettings(
    _ request: Auth_V1.UpdateSettingsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.UserSettings { throw RPCError(.unimplemented, "") }

  func recordActivity(
    _ request: Auth_V1.RecordActivityRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.Activity { throw RPCError(.unimplemented, "") }

  func setDefaults(
    _ request: Auth_V1.SetDefaultsRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.User { throw RPCError(.unimplemented, "") }

  func findByEmail(
    _ request: Auth_V1.FindUserByEmailRequest,
    _ call: CallContext
  ) async throws -> Tenancy_V1.UserSummary { throw RPCError(.unimplemented, "") }

  func changePassword(
    _ request: Auth_V1.ChangePasswordRequest,
    _ call: CallContext
  ) async throws -> Auth_V1.ChangePasswordResponse { throw RPCError(.unimplemented, "") }
}

/// TenancyService behind a real socket, with a real, small AuthService beside it.
struct TenancyStage: Sendable {
  static let start: Int64 = 1_767_614_400_000

  let service: TenancyService
  let channel: Channel
  let clock: ManualClock
  let metrics: MetricRegistry
  let testLoop: any EventLoop
  private let connect: @Sendable () throws -> Channel

  var portfolios: Tenancy_V1.PortfoliosClient { .init(channel) }
  var properties: Tenancy_V1.PropertiesClient { .init(channel) }
  var units: Tenancy_V1.UnitsClient { .init(channel) }
  var devices: Tenancy_V1.DevicesClient { .init(channel) }
  var schemas: Tenancy_V1.SchemasClient { .init(channel) }
  var guests: Tenancy_V1.GuestsClient { .init(channel) }
  var associations: Tenancy_V1.AssociationsClient { .init(channel) }
  var subjects: Tenancy_V1.SubjectsClient { .init(channel) }
  var permissions: Tenancy_V1.PermissionsClient { .init(channel) }
  var invitations: Tenancy_V1.InvitationsClient { .init(channel) }
  var families: Tenancy_V1.FamiliesClient { .init(channel) }
  var childDevices: Tenancy_V1.ChildDevicesClient { .init(channel) }
  var documents: Tenancy_V1.DocumentsClient { .init(channel) }
  var legacy: Tenancy_V1.LegacyDocumentsClient { .init(channel) }
  var reports: Tenancy_V1.ReportsClient { .init(channel) }
  var webhooks: Tenancy_V1.WebhooksClient { .init(channel) }
  var people: Tenancy_V1.PeopleClient { .init(channel) }

  /// Whether operators may look at policies before they are loaded.
  @TaskLocal static var offersWorkbench = true
  /// Room for trees; with that for one or two (`TREE_BYTES=4096`) they come and go in all tests.
  static let treeByteCountMax =
    ProcessInfo.processInfo.environment["TREE_BYTES"].flatMap { Int($0) } ?? .max
  /// Entities of trees that questions wait for; with none (`SMALL_TREES=0`) each first question about a tree is answered
  /// by a part of it in all tests.
  static let smallTreeCountMax =
    ProcessInfo.processInfo.environment["SMALL_TREES"].flatMap { Int($0) } ?? 50_000
  /// What signs reports.
  static let reportKey = SigningKey.generate()

  /// Waits for what others bring about; see `EventLoop.eventually`.
  func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    try await testLoop.eventually(condition)
  }

  /// Makes a user an operator.
  func makeOperator(_ user: String) async throws {
    _ = try await associations.grantSuperAdmin(
      .init(userId: user),
      options: .byService("auth")
    )
  }

  /// Runs `body` with further channels, each with a connection of its own.
  func withChannels(_ count: Int, _ body: ([Channel]) async throws -> Void) async throws {
    let channels = try (0..<count).map { _ in try connect() }
    do {
      try await body(channels)
    } catch {
      for channel in channels { await channel.close() }
      throw error
    }
    for channel in channels { await channel.close() }
  }

  /// Runs `body` against two services that serve one store on a server.
  static func runReplicas(_ body: ([TenancyStage]) async throws -> Void) async throws {
    let folder = try TestFolder()
    try await run(in: folder) { first in
      try await run(storeOf: folder) { second in try await body([first, second]) }
    }
  }

  /// Runs `body` against a service with an empty store, or the store in `folder`.
  static func run(
    policy: [UInt8]? = nil,
    in folder: TestFolder? = nil,
    usersAreDown: Bool = false,
    users usersService: SmallUsersService = SmallUsersService(),
    entitlement: SmallEntitlementService? = nil,
    reportKey: SigningKey? = Self.reportKey,
    post: (any InvitationPost)? = nil,
    holders: (any EntitlementHolders)? = nil,
    familyAccounts: (any FamilyAccounts)? = nil,
    gateway: GatewayFixture? = nil,
    logBudget: Int64? = nil,
    webhooks: WebhookFixture? = nil,
    treeByteCountMax: Int = Self.treeByteCountMax,
    smallTreeCountMax: Int = Self.smallTreeCountMax,
    storeOf shared: TestFolder? = nil,
    _ body: (TenancyStage) async throws -> Void
  ) async throws {
    let folder = try folder ?? TestFolder()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let users = Server(
      ServerConfiguration(endpoints: [.init(.unix(path: folder.path("users")))]),
      services: [usersService.definition],
      on: loops
    )
    // Where nobody listens, AuthService is down.
    let target = "unix://\(folder.path(usersAreDown ? "nobody" : "users"))"
    try await users.serving { _ in
      try await withChannel(target, ChannelConfiguration(loops: loops)) { usersChannel in
        guard let entitlement else {
          return try await serve(
            policy,
            reportKey,
            folder,
            usersChannel,
            nil,
            holders,
            familyAccounts,
            post,
            gateway,
            logBudget,
            webhooks,
            treeByteCountMax,
            smallTreeCountMax,
            shared ?? folder,
            loops,
            body
          )
        }
        try await withEntitlements(entitlement, folder, loops) { channel in
          try await serve(
            policy,
            reportKey,
            folder,
            usersChannel,
            channel,
            holders,
            familyAccounts,
            post,
            gateway,
            logBudget,
            webhooks,
            treeByteCountMax,
            smallTreeCountMax,
            shared ?? folder,
            loops,
            body
          )
        }
      }
    }
  }

  private static func withEntitlements(
    _ entitlement: SmallEntitlementService,
    _ folder: TestFolder,
    _ loops: EventLoopGroup,
    _ body: (Channel) async throws -> Void
  ) async throws {
    let path = folder.path("entitlement")
    var configuration = ServerConfiguration(endpoints: [.init(.unix(path: path))])
    configuration.limits.responseStreamDrainTimeout = .milliseconds(10)
    let server = Server(configuration, services: [entitlement.definition], on: loops)
    try await server.serving { _ in
      var client = ChannelConfiguration(loops: loops)
      client.retry = .never
      try await withChannel("unix://\(path)", client, body)
      entitlement.release()
      entitlement.dropWatchers()
    }
  }

  private static func serve(
    _ policy: [UInt8]?,
    _ reportKey: SigningKey?,
    _ folder: TestFolder,
    _ usersChannel: Channel,
    _ entitlementChannel: Channel?,
    _ holders: (any EntitlementHolders)?,
    _ familyAccounts: (any FamilyAccounts)?,
    _ post: (any InvitationPost)?,
    _ gateway: GatewayFixture?,
    _ logBudget: Int64?,
    _ webhooks: WebhookFixture?,
    _ treeByteCountMax: Int,
    _ smallTreeCountMax: Int,
    _ storeFolder: TestFolder,
    _ loops: EventLoopGroup,
    _ body: (TenancyStage) async throws -> Void
  ) async throws {
    let clock = ManualClock(start)
    let metrics = MetricRegistry()
    let logger = Logger(label: "test", level: .error, sink: SilentSink())
    let features = entitlementChannel.map {
      EntitlementFeatures(
        $0,
        clock: clock,
        loop: loops.loops[0],
        logger: logger,
        metrics: metrics
      )
    }
    let listening = Task { await features?.run() }
    defer { listening.cancel() }
    var configuration = TenancySettings(
      store: .file(storeFolder.path("store")),
      policy: try policy ?? PolicyFile.bytes("smart-home")
    )
    configuration.reportKey = { reportKey }
    if let gateway { configuration.gatewayRoutes = gateway.routes }
    configuration.logBudgetByteCount = logBudget
    configuration.keepsEvents = webhooks != nil
    configuration.webhooks = webhooks?.settings
    if let webhooks { configuration.notices = webhooks.notices }
    configuration.treeByteCountMax = treeByteCountMax
    configuration.smallTreeCountMax = smallTreeCountMax
    configuration.offersWorkbench = Self.offersWorkbench
    // Less than what other things are kept for, so that none of them goes with the audit log.
    configuration.auditLifetime = 30 * 86_400_000
    let service = try await TenancyService.open(
      configuration,
      TenancyDependencies(
        clock: clock,
        logger: logger,
        metrics: metrics,
        users: AuthUserDirectory(Auth_V1.UsersClient(usersChannel)),
        features: features,
        holders: holders,
        familyAccounts: familyAccounts,
        post: post,
        noticePost: webhooks?.post,
        tokens: gateway?.tokens,
        eventSources: webhooks?.sources ?? [],
        webhookTransport: webhooks?.receiver
      )
    )
    let announcing = Task { await features?.news.run(service.core, on: loops.loops[0]) }
    defer { announcing.cancel() }
    var serving = ServerConfiguration(endpoints: [.init(.unix(path: folder.path("tenancy")))])
    serving.completeError = { error, call in
      // As the host does, and nothing else of that.
      if let denial = error.cause as? Denial { service.note(denial, of: call) }
      return error
    }
    let server = Server(
      serving,
      services: service.services,
      interceptors: [NamedCallers(), service.operatorLooks],
      on: loops
    )
    do {
      try await server.serving { _ in
        let target = "unix://\(folder.path("tenancy"))"
        var client = ChannelConfiguration(loops: loops)
        // What was refused because of a peer that is down is to be seen, not tried again.
        if entitlementChannel != nil { client.retry = .never }
        try await withChannel(target, client) { [client] channel in
          try await body(
            TenancyStage(
              service: service,
              channel: channel,
              clock: clock,
              metrics: metrics,
              testLoop: loops.loops[0],
              connect: { try Channel(target, client) }
            )
          )
        }
      }
    } catch {
      await service.close()
      throw error
    }
    await service.close()
  }
}

extension CallOptions {
  /// A call of a user.
  static func by(
    _ user: String,
    acr: String = "pwd",
    purpose: String? = nil,
    object: String? = nil,
    isRecent: Bool = false
  ) -> CallOptions {
    var metadata: Metadata = ["test-user": user, "test-acr": acr]
    if let purpose { metadata["test-purpose"] = purpose }
    if let object { metadata["test-object"] = object }
    if isRecent { metadata["test-recent"] = "yes" }
    return CallOptions(timeout: .seconds(20), metadata: metadata)
  }

  /// A call of a service.
  static func byService(_ name: String) -> CallOptions {
    CallOptions(timeout: .seconds(20), metadata: ["test-service": name])
  }
}

/// An error as a client tells it from others.
struct Refusal: Hashable, CustomStringConvertible {
  let code: StatusCode
  let reason: String

  init(_ error: RPCError) {
    code = error.code
    let detail = error.details.first { $0.typeURL.hasSuffix("google.rpc.ErrorInfo") }
    let info = detail.flatMap {
      try? Google_Rpc.ErrorInfo(protobuf: $0.value.span, limits: MessageLimits())
    }
    reason = info?.reason ?? ""
  }

  init(_ code: StatusCode, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  var description: String { "\(code) \(reason)" }
}

/// Why a call was refused; nil when it was not.
func refusal<Response>(_ body: () async throws -> Response) async throws -> Refusal? {
  do {
    _ = try await body()
    return nil
  } catch let error as RPCError {
    return Refusal(error)
  }
}
