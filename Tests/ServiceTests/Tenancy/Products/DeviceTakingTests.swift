import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// What hangs in one unit is taken from it by those who say so, and by nobody by mistake.
@Suite("Devices of another unit")
struct DeviceTakingTests {
  private static let elsewhere = Refusal(.failedPrecondition, "DEVICE_ELSEWHERE")

  /// A second unit of a building.
  private func unit(of home: Building, _ stage: TenancyStage) async throws -> String {
    try await stage.units.create(
      .init(propertyId: home.property, name: "Other"),
      options: .by(home.manager)
    ).id
  }

  private func unitOfDoor(_ home: Building, _ stage: TenancyStage) async throws -> String {
    try await stage.devices.get(.init(deviceId: home.door), options: .by(home.manager)).unitId
  }

  @Test("A device is assigned out of another unit with take alone; without, nothing changes")
  func assign_fromAnotherUnit_needsTake() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await unit(of: home, stage)
      let revision = stage.service.database.revision
      let refused = await #expect(throws: RPCError.self) {
        try await stage.units.assignDevice(
          .init(unitId: other, deviceId: home.door),
          options: .by(home.manager)
        )
      }
      #expect(refused.map { Refusal($0) } == Self.elsewhere)
      #expect(refused?.message.contains("device \(home.door) is in unit \(home.unit)") == true)
      #expect(stage.service.database.revision == revision)
      #expect(
        try await stage.devices.get(.init(deviceId: home.door), options: .by(home.guest)).id
          == home.door
      )
      let taken = try await stage.units.assignDevice(
        .init(unitId: other, deviceId: home.door, take: true),
        options: .by(home.manager)
      )
      #expect(taken.unitId == other)
      // Once it is there, it is not elsewhere.
      let again = try await stage.units.assignDevice(
        .init(unitId: other, deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(again == taken)
    }
  }

  @Test("A unit that is made or changed with a list of devices takes none from another one")
  func lists_ofDevices_takeNone() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await unit(of: home, stage)
      let count = try await stage.service.entityCount
      let made = try await refusal {
        try await stage.units.create(
          .init(propertyId: home.property, name: "New", deviceIds: [home.cellar, home.door]),
          options: .by(home.manager)
        )
      }
      let inProperty = try await refusal {
        try await stage.properties.createUnit(
          .init(propertyId: home.property, name: "New", deviceIds: [home.door]),
          options: .by(home.manager)
        )
      }
      let changed = try await refusal {
        try await stage.units.update(
          .init(unitId: other, deviceIds: [home.cellar, home.door]),
          options: .by(home.manager)
        )
      }
      #expect([made, inProperty, changed] == Array(repeating: Self.elsewhere, count: 3))
      #expect(try await stage.service.entityCount == count)
      #expect(try await unitOfDoor(home, stage) == home.unit)
      // Its own unit keeps it, and takes what is in no unit.
      let kept = try await stage.units.update(
        .init(unitId: home.unit, deviceIds: [home.door, home.cellar]),
        options: .by(home.manager)
      )
      #expect(Set(kept.deviceIds) == [home.door, home.cellar])
    }
  }

  @Test("A refusal names the unit of a device only to users who may view it")
  func assign_byWhoSeesDeviceAlone_namesNoUnit() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let rule = #""unit.view": { "roles": ["property_manager", "tenant", "guest"] }"#
    try #require(text.contains(rule))
    let policy = text.replacing(rule, with: #""unit.view": { "roles": ["tenant"] }"#)
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let home = try await Building(stage, name: "home")
      let other = try await unit(of: home, stage)
      let refused = await #expect(throws: RPCError.self) {
        try await stage.units.assignDevice(
          .init(unitId: other, deviceId: home.door),
          options: .by(home.manager)
        )
      }
      #expect(refused.map { Refusal($0) } == Self.elsewhere)
      #expect(refused?.message.contains("is in another unit") == true)
      #expect(refused.map { "\($0)" }?.contains(home.unit) == false)
    }
  }
}
