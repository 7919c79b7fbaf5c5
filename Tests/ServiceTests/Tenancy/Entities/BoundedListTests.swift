import PeerContracts
import RPCKit
import RPCKitTesting
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Lists that something above narrows")
struct BoundedListTests {
  private static func rows(
    _ stage: TenancyStage,
    _ home: Building,
    _ user: String
  ) async throws -> (properties: [String], units: [String], devices: [String]) {
    let options = CallOptions.by(user)
    let properties = try await stage.properties.list(
      .init(portfolioId: home.portfolio),
      options: options
    )
    let units = try await stage.units.list(.init(propertyId: home.property), options: options)
    let devices = try await stage.devices.list(.init(propertyId: home.property), options: options)
    #expect(Int(properties.totalSize) == properties.properties.count)
    #expect(Int(units.totalSize) == units.units.count)
    #expect(Int(devices.totalSize) == devices.devices.count)
    return (
      properties.properties.map(\.id), units.units.map(\.id), devices.devices.map(\.id).sorted()
    )
  }

  @Test("A role below the object shows what it shows there, also by the nested paths")
  func lists_fromBelow_haveWhatIsTheirs() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = try await Self.rows(stage, home, home.manager)
      #expect(manager.properties == [home.property] && manager.units == [home.unit])
      #expect(manager.devices == [home.door, home.gate, home.cellar].sorted())
      let tenant = try await Self.rows(stage, home, home.tenant)
      #expect(tenant.properties == [] && tenant.units == [home.unit])
      #expect(tenant.devices == [home.door, home.gate].sorted(), "the gate is common")
      let guest = try await Self.rows(stage, home, home.guest)
      #expect(guest.properties == [] && guest.units == [] && guest.devices == [home.door])
      let nested = try await stage.properties.listUnits(
        .init(propertyId: home.property),
        options: .by(home.tenant)
      )
      #expect(nested.units.map(\.id) == [home.unit])
    }
  }

  @Test("Foreign places are refused exactly as those that are not there, of either type")
  func lists_foreign_areAsAbsent() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let other = try await Building(stage, name: "other")
      let list = { (property: String, user: String) in
        try await refusal {
          try await stage.units.list(.init(propertyId: property), options: .by(user))
        }
      }
      let absent = try await list("prp_none", home.tenant)
      #expect(absent == Refusal(.notFound, "NOT_FOUND"))
      for place in [other.property, home.portfolio, home.unit] {
        #expect(try await list(place, home.tenant) == absent, "\(place)")
      }
      // A role that is over shows nothing of what is above it.
      stage.clock.advance(400 * 86_400_000)
      #expect(try await list(home.property, home.guest) == absent)
    }
  }

  @Test("The same holds for entities, within something and directly below it")
  func entities_fromBelow_haveWhatIsTheirs() async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let foreign = try await stage.create("library", by: "usr_stranger").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      _ = try await stage.create("shelf", under: library, by: "usr_hanna")
      try await stage.grant("reader", on: shelf, to: "usr_rosa", by: "usr_hanna")
      func shelves(within: String = "", parent: String = "") async throws -> [String] {
        try await stage.entities.list(
          .init(type: "shelf", within: within, parentId: parent),
          options: .by("usr_rosa")
        ).entities.map(\.id)
      }
      #expect(try await shelves(within: library) == [shelf])
      #expect(try await shelves(parent: library) == [shelf])
      for id in [foreign, "lib_none"] {
        let refused = [
          try await refusal { try await shelves(within: id) },
          try await refusal { try await shelves(parent: id) },
        ]
        #expect(refused == [Refusal(.notFound, "NOT_FOUND"), Refusal(.notFound, "NOT_FOUND")])
      }
    }
  }
}
