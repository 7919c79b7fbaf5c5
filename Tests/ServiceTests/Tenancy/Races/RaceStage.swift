import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import RPCKitTesting
import ServiceKit

@testable import AccessEngine
@testable import TenancyService

/// Everybody has an account.
struct Everybody: UserDirectory {
  func displayNames(of userIDs: [String]) async throws -> [String: PersonName] {
    Dictionary(userIDs.map { ($0, PersonName($0, version: 1)) }) { first, _ in first }
  }

  func address(of userID: String) async throws -> UserAddress? {
    UserAddress(EmailAddress("\(userID)@example.com"), isVerified: true)
  }
}

/// TenancyService with a real store behind a real socket, whose sessions and features a test ends.
struct RaceStage: Sendable {
  let core: TenancyCore
  let endings: Endings
  let clock: ManualClock
  let channel: Channel

  var database: Database { core.database }
  var units: Tenancy_V1.UnitsClient { .init(channel) }
  var devices: Tenancy_V1.DevicesClient { .init(channel) }
  var guests: Tenancy_V1.GuestsClient { .init(channel) }
  var subjects: Tenancy_V1.SubjectsClient { .init(channel) }
  var permissions: Tenancy_V1.PermissionsClient { .init(channel) }

  /// Runs `body` on an empty store.
  static func run(_ body: (RaceStage) async throws -> Void) async throws {
    let folder = try TestFolder()
    let loops = try EventLoopGroup.epoll(count: 1)
    defer { loops.stop() }
    let (clock, endings) = (ManualClock(TenancyStage.start), Endings())
    let database = try await Database.open(
      DatabaseConfiguration(
        path: folder.path("store"),
        applicationID: TenancySchema.applicationID
      ),
      migrations: TenancySchema.migrations,
      clock: clock
    )
    let core = try await core(database, endings, clock)
    let units = UnitsHandler(core: core, devices: DevicesHandler(core: core))
    let server = Server(
      ServerConfiguration(endpoints: [.init(.unix(path: folder.path("tenancy")))]),
      services: [
        units.definition, units.devices.definition, GuestsHandler(core: core).definition,
        SubjectsHandler(core: core).definition,
        PermissionsHandler(core: core, pastPolicies: PastPolicies(zones: core.zones)).definition,
      ],
      interceptors: [SessionCallers(endings: endings)],
      on: loops
    )
    try await server.serving { _ in
      try await withChannel(
        "unix://\(folder.path("tenancy"))",
        ChannelConfiguration(loops: loops)
      ) { channel in
        try await body(
          RaceStage(core: core, endings: endings, clock: clock, channel: channel)
        )
      }
    }
    core.engine.end()
    await database.close()
  }

  private static func core(
    _ database: Database,
    _ endings: Endings,
    _ clock: ManualClock
  ) async throws -> TenancyCore {
    let policy = try policy()
    let forest = try await database.read { tx in try ForestLoader.load(policy, TimeZoneFiles(), tx)
    }
    let identifiers = IdentifierFactory(clock: clock, random: SystemRandomSource())
    let engine = PermissionEngine(forest)
    let store = ServiceStore(
      database,
      of: "tenancy",
      identifiers: identifiers,
      metrics: MetricRegistry()
    )
    let core = TenancyCore(
      store: store,
      engine: engine,
      loader: TreeLoader(
        store,
        engine,
        UTCOnly(),
        smallCountMax: .max,
        metrics: MetricRegistry()
      ),
      clock: clock,
      identifiers: identifiers,
      users: Everybody(),
      features: endings,
      tokens: TokenSealer(
        key: [UInt8](repeating: 7, count: 32),
        domain: ErrorCatalog.tenancy.domain
      ),
      random: SystemRandomSource(),
      codeDigests: CodeDigests(key: [UInt8](repeating: 8, count: 32)),
      logger: Logger(label: "test", level: .error, sink: SilentSink()),
      metrics: MetricRegistry(),
      denials: DenialLog(
        service: "tenancy",
        identifiers: identifiers,
        logger: Logger(label: "test", level: .error, sink: SilentSink()),
        clock: clock,
        metrics: MetricRegistry()
      ),
      auditBudget: AuditBudget(
        domain: ErrorCatalog.tenancy.domain,
        clock: clock,
        metrics: MetricRegistry()
      ),
      products: Products.all
    )
    try await database.attach(core.engine, after: core.engine.revision)
    return core
  }

  /// The smart home, where what races are about needs a feature of the portfolio too.
  private static func policy() throws -> Policy {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    func replace(_ old: String, _ new: String) {
      precondition(text.contains(old), "the policy has no \(old)")
      text.replace(old, with: new, maxReplacements: 1)
    }
    let feature = #"{ "feature": "\#(Endings.feature)" }"#
    for action in ["unit.update", "unit.manage_tenants", "unit.assign_device", "device.delete"] {
      let rule = #""\#(action)": { "roles": ["property_manager"]"#
      replace(rule, #"\#(rule), "conditions": [\#(feature)]"#)
    }
    let lending = #""device.grant_guest": { "roles": ["property_manager", "tenant"]"#
    replace(lending, #"\#(lending), "conditions": [\#(feature)]"#)
    guard let unlock = text.range(of: #""device.unlock": {"#),
      let conditions = text[unlock.upperBound...].range(of: #""conditions": ["#)
    else { preconditionFailure("the policy has no conditions on unlocking") }
    text.insert(contentsOf: feature + ",", at: conditions.upperBound)
    // What it asserts is that these need no feature; here one thing that does not is enough.
    guard let expect = text.range(of: #""expect": ["#) else {
      preconditionFailure("the policy asserts nothing")
    }
    text.replaceSubrange(
      expect.upperBound...,
      with: #"""
        { "who": "sue", "action": "system.administer", "on": "sys_root", "expect": "allow" }
        ] } }
        """#
    )
    return try Policy.load([UInt8](text.utf8))
  }
}
