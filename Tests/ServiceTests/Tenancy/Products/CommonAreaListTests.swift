import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// A unit's devices are those in it and its common areas, as far as the reader may view them.
@Suite("Common areas in lists of a unit's devices")
struct CommonAreaListTests {
  private func names(
    _ request: Tenancy_V1.ListDevicesRequest,
    by user: String,
    _ stage: TenancyStage
  ) async throws -> [String] {
    let list = try await stage.devices.list(request, options: .by(user))
    #expect(list.totalSize == UInt64(list.devices.count) || request.pageSize > 0)
    return list.devices.map(\.name)
  }

  @Test(
    "The filter for a unit finds its common areas, in order, counted, and filtered like the rest"
  )
  func unit_hasItsCommonAreas() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for user in [home.tenant, home.manager, home.owner] {
        let unit = Tenancy_V1.ListDevicesRequest(unitId: home.unit)
        #expect(try await names(unit, by: user, stage) == ["Door home", "Gate home"], "\(user)")
        let shared = try await stage.units.listDevices(unit, options: .by(user))
        #expect(shared.devices.map(\.id) == [home.door, home.gate])
        let descending = Tenancy_V1.ListDevicesRequest(unitId: home.unit, sortBy: "-name")
        #expect(try await names(descending, by: user, stage) == ["Gate home", "Door home"])
        let text = Tenancy_V1.ListDevicesRequest(unitId: home.unit, text: "gate")
        #expect(try await names(text, by: user, stage) == ["Gate home"])
        let lights = Tenancy_V1.ListDevicesRequest(unitId: home.unit, type: "light")
        #expect(try await names(lights, by: user, stage).isEmpty)
      }
      // A filter for what is above the unit bounds nothing more, and finds no common areas of its own.
      let both = Tenancy_V1.ListDevicesRequest(propertyId: home.property, unitId: home.unit)
      #expect(try await names(both, by: home.manager, stage) == ["Door home", "Gate home"])
      let property = Tenancy_V1.ListDevicesRequest(propertyId: home.property)
      #expect(try await names(property, by: home.manager, stage).count == 3)
    }
  }

  @Test("Pages of one have each device once, and the same total")
  func unit_pageByPage_isComplete() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      _ = try await stage.units.update(
        .init(unitId: home.unit, commonAreaDevices: .init(deviceIds: [home.gate, home.cellar])),
        options: .by(home.manager)
      )
      for user in [home.tenant, home.manager] {
        var request = Tenancy_V1.ListDevicesRequest(unitId: home.unit, pageSize: 1)
        var found: [String] = []
        repeat {
          let page = try await stage.devices.list(request, options: .by(user))
          #expect(page.totalSize == 3)
          found += page.devices.map(\.name)
          request.pageToken = page.nextPageToken
        } while !request.pageToken.isEmpty
        #expect(found == ["Cellar home", "Door home", "Gate home"], "\(user)")
      }
    }
  }

  @Test("What is no longer common, or of another unit, is not there")
  func unit_hasNoOtherCommonAreas() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await stage.units.create(
        .init(propertyId: home.property, name: "Other", commonAreaDeviceIds: [home.cellar]),
        options: .by(home.manager)
      ).id
      let unit = Tenancy_V1.ListDevicesRequest(unitId: home.unit)
      #expect(try await names(unit, by: home.manager, stage) == ["Door home", "Gate home"])
      let elsewhere = Tenancy_V1.ListDevicesRequest(unitId: other)
      #expect(try await names(elsewhere, by: home.manager, stage) == ["Cellar home"])
      _ = try await stage.units.update(
        .init(
          unitId: home.unit,
          commonAreaDevices: .init(),
          updateMask: .init(paths: ["common_area_devices"])
        ),
        options: .by(home.manager)
      )
      #expect(try await names(unit, by: home.manager, stage) == ["Door home"])
    }
  }

  @Test("A common area that a role does not show is in no list of its unit")
  func tenant_withoutRightThroughLink_doesNotSeeIt() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let rights =
      #""device.view", "device.view_status", "device.lock", "device.unlock", "device.turn_on","#
    let narrow = #""device.view_status", "device.lock", "device.unlock", "device.turn_on","#
    try #require(text.contains("          " + rights))
    let policy = text.replacing("          " + rights, with: narrow)
    try await TenancyStage.run(policy: [UInt8](policy.utf8)) { stage in
      let home = try await Building(stage, name: "home")
      let unit = Tenancy_V1.ListDevicesRequest(unitId: home.unit)
      #expect(try await names(unit, by: home.tenant, stage) == ["Door home"])
      #expect(try await names(unit, by: home.manager, stage) == ["Door home", "Gate home"])
    }
  }
}
