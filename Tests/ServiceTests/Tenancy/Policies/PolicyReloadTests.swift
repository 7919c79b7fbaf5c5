import TenancyContracts
import PeerContracts
import RPCKit
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("Another policy while calls are answered")
struct PolicyReloadTests {
  private static func smartHome(_ old: String = "", _ new: String = "") throws -> [UInt8] {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    precondition(old.isEmpty || text.contains(old), "the policy has no \(old)")
    if !old.isEmpty { text.replace(old, with: new, maxReplacements: 1) }
    return [UInt8](text.utf8)
  }

  /// One that lets tenants rename their unit.
  private static func generous() throws -> [UInt8] {
    var text = String(
      decoding: try smartHome(
        #""unit.update": { "roles": ["property_manager"] }"#,
        #""unit.update": { "roles": ["property_manager", "tenant"] }"#
      ),
      as: UTF8.self
    )
    text.replace(#""version": 5"#, with: #""version": 6"#, maxReplacements: 1)
    return [UInt8](text.utf8)
  }

  /// The same policy with everything that has a place in it in another one.
  private static func reversed() throws -> [UInt8] {
    let json = try JSONReader.read(try smartHome(), limits: JSONLimits(byteCountMax: 1 << 20))
    func turn(_ value: JSONValue, _ depth: Int) -> JSONValue {
      guard let object = value.object else { return value }
      var turned = JSONObject()
      for member in object.members.reversed() {
        turned[member.name] = depth < 5 ? turn(member.value, depth + 1) : member.value
      }
      return .object(turned)
    }
    guard let members = json.object?.members else { return [] }
    var result = JSONObject()
    for member in members {
      let isOrdered = ["access_levels", "assertions", "self_service"].contains(member.name)
      result[member.name] = isOrdered ? member.value : turn(member.value, 0)
    }
    return [UInt8](JSONValue.object(result).text.utf8)
  }

  private static func online(_ isOnline: Bool) -> Google_Protobuf.Struct {
    var value = Google_Protobuf.Value()
    value.kind = .boolValue(isOnline)
    return .init(fields: ["online": value])
  }

  private static let service = CallOptions.byService("gateway")

  private func mayRename(_ home: Building, _ stage: TenancyStage) async throws -> Bool {
    try await stage.permissions.check(
      .init(subjectId: home.tenant, action: "unit.update", entityId: home.unit),
      options: Self.service
    ).allowed
  }

  private func metrics(_ stage: TenancyStage) -> String {
    String(decoding: stage.metrics.render(), as: UTF8.self)
  }

  @Test("The new policy decides once the reload has returned, and those who watch are told")
  func reload_newPolicy_isInForce() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      #expect(try await !mayRename(home, stage))
      var changes = stage.permissions.watchChanges(.init(), options: Self.service)
        .makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      try await stage.service.reload { try Self.generous() }
      #expect(try await mayRename(home, stage))
      #expect(try await changes.next()?.kind == .policy)
      let renamed = try await stage.units.update(
        .init(unitId: home.unit, name: "mine"),
        options: .by(home.tenant)
      )
      #expect(renamed.name == "mine")
      #expect(try await changes.next()?.kind == .subtree)
      let text = metrics(stage)
      #expect(text.contains(#"gatehouse_tenancy_policy_version{policy="smart-home"} 6"#))
      #expect(text.contains(#"gatehouse_tenancy_policy_reloads_total{outcome="loaded"} 1"#))
      #expect(text.contains(#"gatehouse_tenancy_policy_reloads_total{outcome="failed"} 0"#))
    }
  }

  @Test("The same policy again changes nothing and tells nobody")
  func reload_samePolicy_isSilent() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let revision = stage.service.engine.revision
      try await stage.service.reload { try Self.smartHome() }
      #expect(stage.service.engine.revision == revision)
      #expect(try await !mayRename(home, stage))
      #expect(
        metrics(stage).contains(#"gatehouse_tenancy_policy_reloads_total{outcome="unchanged"} 1"#)
      )
    }
  }

  @Test(
    "A policy with a mistake, a failing assertion or a gap leaves the old one in force",
    arguments: [
      ("{", ""),
      (#""version": 5"#, #""version": 0"#),
      (#""roles": ["property_manager", "tenant"]"#, #""roles": ["nobody"]"#),
      (#""device.grant_guest": { "roles": ["property_manager", "tenant"] }"#, ""),
    ]
  )
  func reload_mistake_keepsOld(old: String, new: String) async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      try await stage.service.reload { try Self.generous() }
      let revision = stage.service.engine.revision
      await #expect(throws: PolicyError.self) {
        try await stage.service.reload {
          let text = try Self.smartHome(old, new)
          return text
        }
      }
      #expect(stage.service.engine.revision == revision)
      #expect(try await mayRename(home, stage))
      #expect(
        metrics(stage).contains(#"gatehouse_tenancy_policy_reloads_total{outcome="failed"} 1"#)
      )
    }
  }

  @Test("A file that cannot be read leaves the old policy in force")
  func reload_unreadable_keepsOld() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      await #expect(throws: ConfigurationError.self) {
        try await stage.service.reload { throw ConfigurationError("no such file") }
      }
      #expect(try await !mayRename(home, stage))
    }
  }

  @Test("A policy whose roles, types and attributes stand in another order decides alike")
  func reload_otherOrder_decidesAlike() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      _ = try await stage.devices.reportState(
        .init(deviceId: home.door, attributes: Self.online(false)),
        options: .byService("bridge")
      )
      let before = try await decisions(home, other, stage)
      let shown = try await stage.devices.get(.init(deviceId: home.door), options: .by(home.guest))
      try await stage.service.reload { try Self.reversed() }
      #expect(try await decisions(home, other, stage) == before)
      let after = try await stage.devices.get(.init(deviceId: home.door), options: .by(home.guest))
      #expect(after.attributes == shown.attributes)
      // What is written now means the same as what was written before.
      _ = try await stage.devices.reportState(
        .init(deviceId: home.door, attributes: Self.online(true)),
        options: .byService("bridge")
      )
      let unlock = try await stage.permissions.check(
        .init(subjectId: home.tenant, action: "device.unlock", entityId: home.door),
        options: Self.service
      )
      #expect(unlock.allowed)
    }
  }

  private func decisions(
    _ home: Building,
    _ other: Building,
    _ stage: TenancyStage
  ) async throws -> [Tenancy_V1.Reason] {
    var checks: [Tenancy_V1.CheckRequest] = []
    for user in [home.owner, home.admin, home.manager, home.tenant, home.guest, other.owner] {
      for action in ["device.unlock", "device.view", "unit.view", "portfolio.delete"] {
        for entity in [home.door, home.gate, home.cellar, home.unit, home.portfolio, other.door] {
          checks.append(.init(subjectId: user, action: action, entityId: entity))
        }
      }
    }
    return try await stage.permissions.batchCheck(.init(checks: checks), options: Self.service)
      .decisions.map(\.reason)
  }

  @Test("Reloads among writes, checks and lists: nothing is lost and nothing is decided wrongly")
  func reload_underLoad_isExact() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let (plain, turned, generous) = (
        try Self.smartHome(), try Self.reversed(), try Self.generous()
      )
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for round in 0..<12 {
            try await stage.service.reload { [turned, generous, plain][round % 3] }
          }
        }
        group.addTask {
          for round in 0..<60 {
            let user = "usr_tenant\(round)"
            _ = try await stage.units.addTenant(
              .init(unitId: home.unit, userId: user),
              options: .by(home.manager)
            )
            let check = Tenancy_V1.CheckRequest(
              subjectId: user,
              action: "device.unlock",
              entityId: home.door
            )
            let answer = try await stage.permissions.check(check, options: Self.service)
            #expect(answer.allowed, "\(answer.reason)")
          }
        }
        group.addTask {
          for round in 0..<60 {
            let isOnline = round % 2 == 0
            _ = try await stage.devices.reportState(
              .init(deviceId: home.gate, attributes: Self.online(isOnline)),
              options: .byService("bridge")
            )
            let check = Tenancy_V1.CheckRequest(
              subjectId: home.manager,
              action: "device.unlock",
              entityId: home.gate
            )
            let answer = try await stage.permissions.check(check, options: Self.service)
            #expect(answer.reason == (isOnline ? .allowed : .deviceOffline))
          }
        }
        group.addTask {
          for _ in 0..<60 {
            let list = try await stage.devices.list(.init(), options: .by(home.owner))
            #expect(Set(list.devices.map(\.id)) == [home.door, home.gate, home.cellar])
            let stranger = try await stage.permissions.check(
              .init(subjectId: "usr_stranger", action: "device.unlock", entityId: home.door),
              options: Self.service
            )
            #expect(stranger.reason == .noAssociation)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("After a restart with the new policy everything is as it was")
  func reload_thenRestart_isTheSame() async throws {
    let folder = try TestFolder()
    var home: Building?
    try await TenancyStage.run(in: folder) { stage in
      home = try await Building(stage, name: "home")
      try await stage.service.reload { try Self.generous() }
    }
    let built = try #require(home)
    try await TenancyStage.run(policy: Self.generous(), in: folder) { stage in
      let mayRename = try await mayRename(built, stage)
      #expect(mayRename)
    }
  }
}
