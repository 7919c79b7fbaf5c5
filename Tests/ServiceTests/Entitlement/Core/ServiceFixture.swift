import EntitlementContracts
import PeerContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import EntitlementService
@testable import ServiceTesting

/// The whole service behind a real socket, with callers that say who they are.
struct ServiceFixture {
  let service: EntitlementService
  let clock: ManualClock
  let channel: Channel
  let settings: EntitlementSettings
  let metrics: MetricRegistry

  var entitlements: Entitlement_V1.EntitlementsClient { .init(channel) }
  var subscriptions: Entitlement_V1.SubscriptionsClient { .init(channel) }
  var purchases: Entitlement_V1.PurchasesClient { .init(channel) }
  var points: Entitlement_V1.PointsClient { .init(channel) }

  static let anna = IdentifierFactory(
    clock: ManualClock(TestTime.now),
    random: SystemRandomSource()
  )
  .make(IdentifierPrefix("usr"))
  static let bert = IdentifierFactory(
    clock: ManualClock(TestTime.now),
    random: SystemRandomSource()
  )
  .make(IdentifierPrefix("usr"))

  /// The options of a call by a user.
  static func user(_ id: String) -> CallOptions { CallOptions(metadata: ["test-user": id]) }
  /// The options of a call by a service.
  static let service = CallOptions(metadata: ["test-service": "billing"])

  /// Runs `body` against two services that serve one store on a server.
  static func runReplicas(
    configure: (inout EntitlementSettings) -> Void = { _ in },
    operators: SmallTenancy = SmallTenancy(),
    _ body: ([ServiceFixture]) async throws -> Void
  ) async throws {
    try await run(configure: configure, operators: operators) { first in
      let share = { (settings: inout EntitlementSettings) in
        configure(&settings)
        settings.store = first.settings.store
      }
      try await run(configure: share, clock: first.clock, operators: operators) { second in
        try await body([first, second])
      }
    }
  }

  /// Serves on one loop and calls from another, for the length of `body`.
  static func run(
    configure: (inout EntitlementSettings) -> Void = { _ in },
    clock: ManualClock = ManualClock(TestTime.now),
    operators: SmallTenancy = SmallTenancy(),
    accounts: KnownAccounts = KnownAccounts(),
    _ body: (ServiceFixture) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("gatehouse-entitlement-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = EntitlementSettings(
      store: .file(folder.appendingPathComponent("store.db").path),
      catalog: try TestCatalog.load(),
      purchases: PurchaseSettings(
        apple: AppleSettings(
          application: AppleApplication(bundleID: TransactionFields.bundleID, appleID: 1234)
        )
      )
    )
    settings.purchases.apple.anchors = [
      .apple, .test(der: try TestAuthority.shared.get().root.der, isStrict: true),
    ]
    settings.heartbeatInterval = .milliseconds(20)
    configure(&settings)
    let dependencies = dependencies(clock, operators, accounts)
    let service = try await EntitlementService.open(settings, dependencies)
    do {
      try await serve(service, clock, settings, dependencies.metrics, body)
      await service.close()
    } catch {
      await service.close()
      throw error
    }
  }

  static func dependencies(
    _ clock: ManualClock,
    _ operators: SmallTenancy = SmallTenancy(),
    _ accounts: KnownAccounts = KnownAccounts()
  ) -> EntitlementService.Dependencies {
    EntitlementService.Dependencies(
      clock: clock,
      metrics: MetricRegistry(),
      // Anna sees whatever ends in "anna".
      authorizer: SubjectAuthorizer(
        confirm: { userID, action, entityID, _ in try operators.confirm(userID, action, entityID) },
        check: { userID, action, entityID, _ in
          // What TenancyService says of an action that its policy does not have.
          if entityID == "org_nowhere" {
            throw RPCError(
              .invalidArgument,
              reason: "ACTION_UNKNOWN",
              domain: "gatehouse.tenancy",
              message: "action is no action"
            )
          }
          if action.hasPrefix("points.") {
            return operators.allowsPoints(userID, action, entityID)
          }
          if action == "system.administer" { return operators.isReader(userID) }
          if action == "system.inspect" { return operators.isSupporter(userID) }
          if action == "billing.purchase" { return operators.mayBuy(userID, for: entityID) }
          if operators.mayBuy(userID, for: entityID), action.hasSuffix(".view") { return true }
          return userID == anna && action.hasSuffix(".view") && entityID.hasSuffix("anna")
        },
        holds: { permission, userID in try operators.holds(userID, permission.entity) },
        hasFeatures: { userID, entityID in operators.hasFeatures(userID, of: entityID) }
      ),
      accounts: accounts
    )
  }

  private static func serve(
    _ service: EntitlementService,
    _ clock: ManualClock,
    _ settings: EntitlementSettings,
    _ metrics: MetricRegistry,
    _ body: (ServiceFixture) async throws -> Void
  ) async throws {
    let serverLoops = try EventLoopGroup.epoll(count: 1)
    let clientLoops = try EventLoopGroup.epoll(count: 1)
    defer {
      clientLoops.stop()
      serverLoops.stop()
    }
    let server = Server(
      ServerConfiguration(endpoints: [.init(.ipv4([127, 0, 0, 1], port: 0))]),
      services: service.services,
      interceptors: [ClaimedIdentity()],
      on: serverLoops
    )
    try await server.serving { server in
      let address = try #require(server.addresses.first)
      try await withChannel("tcp://\(address)", ChannelConfiguration(loops: clientLoops)) {
        channel in
        try await body(
          ServiceFixture(
            service: service,
            clock: clock,
            channel: channel,
            settings: settings,
            metrics: metrics
          )
        )
      }
    }
  }

  /// Whether a user has the compliance pack, and why not.
  func pack(_ userID: String) async throws -> Entitlement_V1.CheckResponse {
    try await entitlements.checkFeature(
      .init(feature: "compliancePack"),
      options: Self.user(userID)
    )
  }

  /// Hands in a transaction as a user.
  @discardableResult
  func submit(
    _ userID: String,
    key: String = "",
    _ change: (inout TransactionFields) -> Void = { _ in }
  ) async throws -> Entitlement_V1.SubmitTransactionResponse {
    try await purchases.submitTransaction(
      .init(signedTransaction: try TransactionFields.signed(change), idempotencyKey: key),
      options: Self.user(userID)
    )
  }

  /// Restores transactions as a user.
  func restore(
    _ userID: String,
    _ transactions: [String]
  ) async throws -> Entitlement_V1.RestoreResponse {
    try await purchases.restore(
      .init(signedTransactions: transactions),
      options: Self.user(userID)
    )
  }

  /// Sends a notification as Apple does.
  @discardableResult
  func notify(
    _ type: String,
    uuid: String,
    renewal: String? = nil,
    _ change: (inout TransactionFields) -> Void = { _ in }
  ) async throws -> Entitlement_V1.HandleNotificationResponse {
    try await purchases.handleNotification(
      .init(
        signedPayload: try NotificationFields.signed(
          type,
          uuid: uuid,
          transaction: try TransactionFields.signed(change),
          renewal: renewal
        )
      )
    )
  }
}

/// Believes callers who say who they are: authentication has tests of its own.
private struct ClaimedIdentity: ServerInterceptor {
  func begin(_ call: CallContext) -> Interception {
    if let user = call.metadata["test-user"] {
      call.caller = Caller.user(
        UserIdentity(
          userID: user,
          sessionID: "ses_1",
          token: BearerToken("token"),
          acr: call.metadata["test-acr"] ?? "pwd",
          authenticated: 0,
          tokenExpires: .max
        )
      )
    } else if let service = call.metadata["test-service"] {
      call.caller = Caller.service(service)
    }
    return .proceed
  }
}

/// The reason code of the error that `body` ends with, and its status.
func refusal(_ body: () async throws -> Void) async -> (code: StatusCode?, reason: String?) {
  do {
    try await body()
    return (nil, nil)
  } catch let error as RPCError {
    let name = "type.googleapis.com/google.rpc.ErrorInfo"
    let info = error.details.first { $0.typeURL == name }.flatMap { detail in
      try? Google_Rpc.ErrorInfo(protobuf: detail.value.span, limits: MessageLimits())
    }
    return (error.code, info?.reason)
  } catch {
    return (.unknown, "\(error)")
  }
}
