import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

/// Tenants see where they live without seeing what else is in the building.
@Suite("Names of buildings and units")
struct NamesOfPlacesTests {
  private static let address = Tenancy_V1.PropertyAddress(street: "1 Pier", city: "Harbour")

  @Test("A unit shows its building's name and address to all who see it; the building stays hidden")
  func unit_showsItsBuilding() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for user in [home.tenant, home.manager, home.owner] {
        let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(user))
        #expect(unit.propertyName == "Property home", "\(user)")
        #expect(unit.propertyAddress == Self.address, "\(user)")
        let listed = try await stage.units.list(.init(), options: .by(user)).units
        #expect(listed == [unit], "\(user)")
      }
      let hidden = try await refusal {
        try await stage.properties.get(.init(propertyId: home.property), options: .by(home.tenant))
      }
      #expect(hidden == Refusal(.notFound, "NOT_FOUND"))
    }
  }

  @Test("A new name or address of the building is shown at once, and is no change of the unit")
  func unit_followsItsBuilding() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let before = try await stage.units.get(.init(unitId: home.unit), options: .by(home.tenant))
      _ = try await stage.properties.update(
        .init(propertyId: home.property, name: "Pier 5", address: .init(street: "5 Pier")),
        options: .by(home.manager)
      )
      let after = try await stage.units.get(.init(unitId: home.unit), options: .by(home.tenant))
      #expect(after.propertyName == "Pier 5" && after.propertyAddress?.street == "5 Pier")
      #expect(after.revision == before.revision && after.updatedAt == before.updatedAt)
      // A building without an address has none to show.
      let bare = try await stage.properties.create(
        .init(portfolioId: home.portfolio, name: "Bare"),
        options: .by(home.owner)
      ).id
      let made = try await stage.units.create(
        .init(propertyId: bare, name: "U"),
        options: .by(home.owner)
      )
      #expect(made.propertyName == "Bare" && made.propertyAddress == nil)
    }
  }

  @Test("A device names its unit and building to those who use it, and not to its guests")
  func device_showsItsPlace() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let get = { (id: String, user: String) in
        try await stage.devices.get(.init(deviceId: id), options: .by(user))
      }
      for user in [home.tenant, home.manager, home.owner] {
        let door = try await get(home.door, user)
        #expect([door.propertyName, door.unitName] == ["Property home", "Unit home"], "\(user)")
        // Common to the unit and in none.
        let gate = try await get(home.gate, user)
        #expect([gate.propertyName, gate.unitName] == ["Property home", ""], "\(user)")
        #expect(gate.propertyId == home.property && gate.unitId.isEmpty)
        let listed = try await stage.devices.list(.init(unitId: home.unit), options: .by(user))
        #expect(listed.devices == [door, gate], "\(user)")
      }
      let guest = try await get(home.door, home.guest)
      #expect(guest.propertyName.isEmpty && guest.unitName.isEmpty)
      #expect(guest.unitId == home.unit && guest.propertyId == home.property)
    }
  }

  @Test("A policy without that level names places to those alone who are shown all")
  func device_inPolicyWithoutUse_isNamedToManagers() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    let renamed = text.replacing(#""use""#, with: #""live""#)
    try await TenancyStage.run(policy: [UInt8](renamed.utf8)) { stage in
      let home = try await Building(stage, name: "home")
      let get = { (user: String) in
        try await stage.devices.get(.init(deviceId: home.door), options: .by(user))
      }
      #expect(try await get(home.manager).unitName == "Unit home")
      #expect(try await get(home.tenant).unitName.isEmpty)
    }
  }
}
