import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// A pass lasts no longer than the right of the one who lent it, in whatever way that ends.
@Suite("Guest passes and the right of their lender")
struct LendingTests {
  private static let start = TenancyStage.start
  private static let hour: Int64 = 3_600_000

  /// Lends a device for ten hours from now; the pass's identifier.
  private func lend(
    _ device: String,
    by lender: String,
    to guest: String = "usr_visitor",
    _ stage: TenancyStage
  ) async throws -> String {
    try await stage.guests.grant(
      .init(
        userId: guest,
        deviceIds: [device],
        validUntil: .init(milliseconds: stage.clock.now + 10 * Self.hour)
      ),
      options: .by(lender)
    ).passes[0].id
  }

  /// The windows of the passes on the devices of a building, in hours from the beginning.
  private func windows(
    _ home: Building,
    _ stage: TenancyStage
  ) async throws -> [String: ClosedRange<Int64>] {
    let passes = try await stage.guests.list(
      .init(includeEnded: true),
      options: .by(home.owner)
    ).passes
    return Dictionary(
      uniqueKeysWithValues: passes.map { pass in
        let hour = { (time: Google_Protobuf.Timestamp?) in
          ((time?.milliseconds ?? 0) - Self.start) / Self.hour
        }
        return (pass.id, hour(pass.validFrom)...hour(pass.validUntil))
      }
    )
  }

  private func mayUnlock(
    _ device: String,
    _ user: String,
    _ stage: TenancyStage
  ) async throws -> Bool {
    try await stage.permissions.check(
      .init(subjectId: user, action: "device.unlock", entityId: device),
      options: .byService("gateway")
    ).allowed
  }

  /// Gives the tenant another window, in hours from the beginning.
  private func rent(
    _ home: Building,
    from: Int64? = nil,
    until: Int64?,
    _ stage: TenancyStage
  ) async throws {
    let time = { (hours: Int64) in
      Google_Protobuf.Timestamp(milliseconds: Self.start + hours * Self.hour)
    }
    _ = try await stage.units.addTenant(
      .init(
        unitId: home.unit,
        userId: home.tenant,
        validFrom: from.map(time),
        validUntil: until.map(time),
        replaceWindow: true
      ),
      options: .by(home.manager)
    )
  }

  private func actions(_ stage: TenancyStage) async throws -> [String] {
    try await stage.service.database.read { tx in
      try tx.query("SELECT action FROM audit_log ORDER BY sequence") { $0.text(0) }
    }
  }

  @Test("A shorter tenancy makes the tenant's passes shorter, and a longer one gives nothing back")
  func tenancy_shortened_shortensPasses() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let pass = try await lend(home.door, by: home.tenant, stage)
      let others = try await lend(home.door, by: home.manager, to: "usr_cleaner", stage)
      try await rent(home, until: 4, stage)
      // What ended within the new window is as it was, and so is what somebody else lent.
      #expect(
        try await windows(home, stage) == [home.pass: -1...1, pass: 0...4, others: 0...10]
      )
      #expect(try await actions(stage).suffix(2) == ["tenant.update", "guest.update"])
      #expect(try await mayUnlock(home.door, "usr_visitor", stage))
      stage.clock.advance(4 * Self.hour)
      #expect(try await !mayUnlock(home.door, "usr_visitor", stage))
      #expect(try await mayUnlock(home.door, "usr_cleaner", stage))
      try await rent(home, until: 9, stage)
      #expect(try await windows(home, stage)[pass] == 0...4)
    }
  }

  @Test(
    "A tenancy that begins later takes the time before from the passes, and all of it ends them"
  )
  func tenancy_postponed_postponesPasses() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let pass = try await lend(home.door, by: home.tenant, stage)
      try await rent(home, from: 6, until: 100, stage)
      // Building's pass is over before the tenancy begins now.
      #expect(try await windows(home, stage) == [pass: 6...10])
      #expect(try await !mayUnlock(home.door, "usr_visitor", stage))
      stage.clock.advance(6 * Self.hour)
      #expect(try await mayUnlock(home.door, "usr_visitor", stage))
      try await rent(home, from: 20, until: 100, stage)
      #expect(try await windows(home, stage) == [:])
    }
  }

  @Test(
    "Whoever loses the role by which it lent takes its passes along, and the answer's revision sees it",
    arguments: ["tenant", "manager", "admin", "owner", "super"]
  )
  func role_removed_endsPasses(role: String) async throws {
    try await TenancyStage.run { stage in
      for user in ["usr_super", "usr_home_super"] {
        _ = try await stage.associations.grantSuperAdmin(
          .init(userId: user),
          options: .byService("auth")
        )
      }
      let home = try await Building(stage, name: "home")
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: "usr_partner", role: "owner"),
        options: .by(home.owner)
      )
      let lender = "usr_home_\(role)"
      let pass = try await lend(home.door, by: lender, stage)
      let kept = try await lend(home.door, by: "usr_partner", to: "usr_cleaner", stage)
      let operating = CallOptions.by("usr_super")
      let revision: String
      switch role {
      case "tenant":
        revision = try await stage.units.removeTenant(
          .init(unitId: home.unit, userId: lender),
          options: operating
        ).revision
      case "manager":
        revision = try await stage.properties.removeManager(
          .init(propertyId: home.property, userId: lender),
          options: operating
        ).revision
      case "super":
        revision = try await stage.associations.revokeSuperAdmin(
          .init(userId: lender),
          options: .byService("auth")
        ).revision
      default:
        revision = try await stage.portfolios.removeAdmin(
          .init(portfolioId: home.portfolio, userId: lender),
          options: operating
        ).revision
      }
      let decision = try await stage.permissions.check(
        .init(
          subjectId: "usr_visitor",
          action: "device.unlock",
          entityId: home.door,
          atLeastRevision: revision
        ),
        options: .byService("gateway")
      )
      #expect(!decision.allowed && decision.revision == revision)
      let passes = try await stage.guests.list(
        .init(includeEnded: true),
        options: .by("usr_partner")
      ).passes
      // Those of one millisecond are in no order.
      #expect(Set(passes.map(\.id)) == (role == "tenant" ? [kept] : [home.pass, kept]))
      #expect(passes.count == (role == "tenant" ? 1 : 2))
      #expect(!passes.contains { $0.id == pass })
      #expect(try await actions(stage).last == "guest.end")
    }
  }

  @Test("A lender who still has another role that suffices keeps what it lent")
  func role_removedBesideAnother_keepsPasses() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let pass = try await lend(home.door, by: home.tenant, stage)
      _ = try await stage.properties.addManager(
        .init(propertyId: home.property, userId: home.tenant),
        options: .by(home.owner)
      )
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await windows(home, stage)[pass] == 0...10)
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.tenant),
        options: .by(home.owner)
      )
      #expect(try await windows(home, stage) == [:])
    }
  }

  @Test("Whoever adds time to a pass has lent it; whoever only takes some away has not")
  func update_byManager_takesOver() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      try await rent(home, until: 20, stage)
      let longer = try await lend(home.door, by: home.tenant, stage)
      let shorter = try await lend(home.door, by: home.tenant, to: "usr_cleaner", stage)
      for (pass, end) in [(longer, Int64(30)), (shorter, 5)] {
        let updated = try await stage.guests.update(
          .init(passId: pass, validUntil: .init(milliseconds: Self.start + end * Self.hour)),
          options: .by(home.manager)
        )
        #expect(updated.grantedBy == (pass == longer ? home.manager : home.tenant))
      }
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await windows(home, stage) == [longer: 0...30])
      _ = try await stage.properties.removeManager(
        .init(propertyId: home.property, userId: home.manager),
        options: .by(home.owner)
      )
      #expect(try await windows(home, stage) == [:])
    }
  }

  @Test("A suspension of the lender is a pause of its own rights, and its passes go on")
  func lender_suspended_passesGoOn() async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let home = try await Building(stage, name: "home")
      let pass = try await lend(home.door, by: home.tenant, stage)
      _ = try await stage.subjects.suspend(.init(userId: home.tenant), options: .by("usr_super"))
      #expect(try await mayUnlock(home.door, "usr_visitor", stage))
      // Who is responsible for the house can end them meanwhile.
      _ = try await stage.guests.revoke(.init(passId: pass), options: .by(home.manager))
      #expect(try await !mayUnlock(home.door, "usr_visitor", stage))
    }
  }

  // MARK: - Other policies

  private static func policy(_ changes: [(old: String, new: String)]) throws -> [UInt8] {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    for (old, new) in changes {
      try #require(text.contains(old), "the policy has no \(old)")
      text = text.replacing(old, with: new)
    }
    return [UInt8](text.utf8)
  }

  @Test("Where guests may lend as well, all that hangs on one right ends with it, circles included")
  func guests_whoLend_loseWhatTheyLent() async throws {
    let policy = try Self.policy([
      (
        #""device.grant_guest": { "roles": ["property_manager", "tenant"] }"#,
        #""device.grant_guest": { "roles": ["property_manager", "tenant", "guest"] }"#
      )
    ])
    try await TenancyStage.run(policy: policy) { stage in
      let home = try await Building(stage, name: "home")
      let first = try await lend(home.door, by: home.tenant, to: "usr_a", stage)
      let second = try await lend(home.door, by: "usr_a", to: "usr_b", stage)
      let back = try await lend(home.door, by: "usr_b", to: "usr_a", stage)
      let ownWay = try await lend(home.door, by: home.manager, to: "usr_c", stage)
      try await rent(home, until: 4, stage)
      #expect(
        try await windows(home, stage) == [
          home.pass: -1...1, first: 0...4, second: 0...4, back: 0...4, ownWay: 0...10,
        ]
      )
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await windows(home, stage) == [ownWay: 0...10])
    }
  }

  @Test("Where the policy says so, what was lent outlives the right of its lender")
  func passes_outlivingLenders_stay() async throws {
    let policy = try Self.policy([(#""lent": true"#, #""lent": true, "outlives_lender": true"#)])
    try await TenancyStage.run(policy: policy) { stage in
      let home = try await Building(stage, name: "home")
      let pass = try await lend(home.door, by: home.tenant, stage)
      let before = try await windows(home, stage)
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await windows(home, stage) == before)
      #expect(before[pass] == 0...10)
      #expect(try await mayUnlock(home.door, "usr_visitor", stage))
    }
  }

  @Test("What was lent by way of a common area ends when the unit loses that area or goes")
  func link_removed_endsPasses() async throws {
    let policy = try Self.policy([
      (
        #""device.view", "device.view_status", "device.lock","#,
        #""device.view", "device.view_status", "device.grant_guest", "device.lock","#
      ),
      (
        """
        "on": "gate", "expect": "deny",
                "reason": "ROLE_LACKS_ACTION"
              },
              {
                "who": "tess", "action": "device.view_history"
        """,
        """
        "on": "gate", "expect": "allow"
              },
              {
                "who": "tess", "action": "device.view_history"
        """
      ),
    ])
    try await TenancyStage.run(policy: policy) { stage in
      let home = try await Building(stage, name: "home")
      _ = try await lend(home.gate, by: home.tenant, stage)
      let kept = try await lend(home.gate, by: home.manager, to: "usr_courier", stage)
      let setCommonAreas = { (devices: [String]) in
        _ = try await stage.units.update(
          .init(unitId: home.unit, commonAreaDevices: .init(deviceIds: devices)),
          options: .by(home.manager)
        )
      }
      try await setCommonAreas([home.cellar])
      #expect(try await windows(home, stage) == [home.pass: -1...1, kept: 0...10])
      try await setCommonAreas([home.gate])
      _ = try await lend(home.gate, by: home.tenant, stage)
      _ = try await stage.units.delete(
        .init(unitId: home.unit, cascade: true),
        options: .by(home.manager)
      )
      #expect(try await windows(home, stage) == [kept: 0...10])
    }
  }
}
