import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Where devices go when what they are in is deleted: with it, or to a home that somebody can see.
@Suite("Devices of what is deleted")
struct DeviceHomeTests {
  private func delete(
    portfolioOf home: Building,
    movingDevicesTo target: String = "",
    deletesDevices: Bool = false,
    isDryRun: Bool = false,
    by user: String? = nil,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.DeleteResponse {
    try await stage.portfolios.delete(
      .init(
        portfolioId: home.portfolio,
        cascade: true,
        deleteDevices: deletesDevices,
        dryRun: isDryRun,
        moveDevicesTo: target
      ),
      options: .by(user ?? home.owner)
    )
  }

  /// What hangs under the system itself, by type.
  private func typesOfRoots(_ stage: TenancyStage) async throws -> [String] {
    try await stage.service.database.read { tx in
      try tx.query("SELECT type FROM entity WHERE parent_id = 'sys_root' ORDER BY type") {
        $0.text(0)
      }
    }
  }

  @Test("A portfolio's devices go with it, and the dry run says so; none is left under the system")
  func portfolio_deleted_takesDevicesAlong() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let dry = try await delete(portfolioOf: home, isDryRun: true, stage)
      #expect(dry.deleted.first { $0.type == "device" }?.count == 3)
      #expect(dry.unassignedDevices == 0)
      #expect(try await stage.service.entityCount == 6)
      let done = try await delete(portfolioOf: home, stage)
      #expect(done.deleted == dry.deleted)
      #expect(try await stage.service.entityCount == 0)
      #expect(try await typesOfRoots(stage) == [])
    }
  }

  @Test("A unit's devices stay in its property, unless they are to be deleted")
  func unit_deleted_handsDevicesToProperty() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let delete = { (devices: Bool, isDryRun: Bool) in
        try await stage.units.delete(
          .init(
            unitId: home.unit,
            cascade: true,
            deleteDevices: devices,
            dryRun: isDryRun
          ),
          options: .by(home.manager)
        )
      }
      #expect(try await delete(true, true).devicesMovedTo.isEmpty)
      let dry = try await delete(false, true)
      #expect(dry.devicesMovedTo == home.property && dry.unassignedDevices == 1)
      let done = try await delete(false, false)
      #expect(done.devicesMovedTo == home.property)
      let door = try await stage.devices.get(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(door.propertyId == home.property && door.unitId.isEmpty)
      let guest = try await refusal {
        try await stage.devices.get(.init(deviceId: home.door), options: .by(home.guest))
      }
      #expect(guest == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("Devices move to the home that the caller names, and belong to its portfolio from then on")
  func portfolio_deletedWithHome_movesDevices() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      _ = try await stage.units.addTenant(
        .init(unitId: other.unit, userId: "usr_newcomer"),
        options: .by(other.manager)
      )
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: other.owner, role: "owner"),
        options: .by(home.owner)
      )
      let dry = try await delete(
        portfolioOf: home,
        movingDevicesTo: other.unit,
        isDryRun: true,
        by: other.owner,
        stage
      )
      #expect(dry.unassignedDevices == 3 && dry.devicesMovedTo == other.unit)
      let done = try await delete(
        portfolioOf: home,
        movingDevicesTo: other.unit,
        by: other.owner,
        stage
      )
      #expect(done.deleted == dry.deleted && done.unassignedDevices == 3)
      for id in [home.door, home.gate, home.cellar] {
        let device = try await stage.devices.get(
          .init(deviceId: id),
          options: .by("usr_newcomer")
        )
        #expect(device.unitId == other.unit)
      }
      // Those who came with the old home have lost them.
      for user in [home.owner, home.manager, home.tenant, home.guest] {
        let refused = try await refusal {
          try await stage.devices.get(.init(deviceId: home.door), options: .by(user))
        }
        #expect(refused == Refusal(.notFound, "NOT_FOUND"), "\(user)")
      }
      #expect(try await typesOfRoots(stage) == ["portfolio"])
      #expect(try await stage.orphanCount() == 0)
    }
  }

  @Test(
    "A home is where the caller may put devices, outside of what is deleted; else nothing changes"
  )
  func home_elsewhere_isRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      let revision = stage.service.database.revision
      let refused = { (target: String, deletesDevices: Bool) in
        try await refusal {
          try await delete(
            portfolioOf: home,
            movingDevicesTo: target,
            deletesDevices: deletesDevices,
            stage
          )
        }
      }
      // Another's, a portfolio, and nothing at all look alike.
      for target in [other.property, other.unit, other.portfolio, home.portfolio, "unt_nothing"] {
        #expect(try await refused(target, false) == Refusal(.notFound, "NOT_FOUND"), "\(target)")
      }
      for target in [home.property, home.unit] {
        #expect(
          try await refused(target, false) == Refusal(.invalidArgument, "HOME_DELETED"),
          "\(target)"
        )
      }
      #expect(
        try await refused(home.property, true) == Refusal(.invalidArgument, "FIELDS_EXCLUSIVE")
      )
      #expect(stage.service.database.revision == revision)
    }
  }

  @Test("Whoever may delete a unit but not move its devices cannot send them elsewhere")
  func home_withoutRightToMove_isRefused() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let rule = #""device.move": { "roles": ["property_manager"] }"#
    try #require(text.contains(rule))
    let policy = text.replacing(rule, with: #""device.move": { "roles": ["portfolio_admin"] }"#)
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let owner = CallOptions.by("usr_owner")
      let portfolio = try await stage.portfolios.create(.init(name: "p"), options: owner).id
      let property = try await stage.properties.create(
        .init(portfolioId: portfolio, name: "p", managerUserIds: ["usr_manager"]),
        options: owner
      ).id
      let unit = try await stage.units.create(
        .init(propertyId: property, name: "u"),
        options: owner
      ).id
      _ = try await stage.devices.register(
        .init(propertyId: property, unitId: unit, name: "d", type: "lock"),
        options: owner
      )
      let delete = Tenancy_V1.DeleteUnitRequest(
        unitId: unit,
        cascade: true,
        moveDevicesTo: property
      )
      let refused = try await refusal {
        try await stage.units.delete(delete, options: .by("usr_manager"))
      }
      #expect(refused == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      let done = try await stage.units.delete(delete, options: owner)
      #expect(done.unassignedDevices == 1)
    }
  }
}
