import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// Whole lists of people and devices put in the place of others, as interfaces that show lists do it.
@Suite("Lists that are replaced")
struct ReplacingTests {
  private static func mask(_ paths: String...) -> Google_Protobuf.FieldMask { .init(paths: paths) }

  @Test("Administrators are replaced by the owner, who stays one")
  func administrators_areReplaced() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let portfolio = try await stage.portfolios.update(
        .init(
          portfolioId: home.portfolio,
          name: "New",
          administratorUserIds: ["usr_ada", "usr_bob", "usr_ada"]
        ),
        options: .by(home.owner)
      )
      #expect(portfolio.name == "New")
      #expect(Set(portfolio.administratorUserIds) == [home.owner, "usr_ada", "usr_bob"])
      let gone = try await refusal {
        try await stage.portfolios.get(
          .init(portfolioId: home.portfolio),
          options: .by(home.admin)
        )
      }
      #expect(gone?.code == .notFound)
      // Given back as it was read, with the owner in it, it is the same.
      let same = try await stage.portfolios.update(
        .init(
          portfolioId: home.portfolio,
          administratorUserIds: portfolio.administratorUserIds
        ),
        options: .by(home.owner)
      )
      #expect(Set(same.administratorUserIds) == Set(portfolio.administratorUserIds))
      let roles = try await stage.associations.listByEntity(
        .init(entityId: home.portfolio),
        options: .by(home.owner)
      )
      #expect(roles.associations.filter { $0.userId == home.owner }.map(\.role) == ["owner"])
    }
  }

  @Test("An empty list counts when the mask has it, and a mask leaves the rest as it is")
  func mask_saysWhatCounts() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let unchanged = try await stage.portfolios.update(
        .init(portfolioId: home.portfolio, name: "New"),
        options: .by(home.owner)
      )
      #expect(unchanged.administratorUserIds.contains(home.admin))
      let emptied = try await stage.portfolios.update(
        .init(
          portfolioId: home.portfolio,
          name: "Newer",
          updateMask: Self.mask("administrator_user_ids")
        ),
        options: .by(home.owner)
      )
      #expect(emptied.administratorUserIds == [home.owner])
      #expect(emptied.name == "New")
      let unknown = try await refusal {
        try await stage.portfolios.update(
          .init(portfolioId: home.portfolio, updateMask: Self.mask("id")),
          options: .by(home.owner)
        )
      }
      #expect(unknown == Refusal(.invalidArgument, "FIELD_UNKNOWN"))
    }
  }

  @Test("An administrator and a manager replace those of their own kind, and no owner")
  func administrators_byAdmin_areReplaced() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let portfolio = try await stage.portfolios.update(
        .init(portfolioId: home.portfolio, administratorUserIds: ["usr_ada", home.admin]),
        options: .by(home.admin)
      )
      #expect(Set(portfolio.administratorUserIds) == [home.owner, home.admin, "usr_ada"])
      let held = try await stage.associations.listByEntity(
        .init(entityId: home.portfolio),
        options: .by(home.owner)
      ).associations
      #expect(held.first { $0.userId == "usr_ada" }?.role == "portfolio_admin")
      let property = try await stage.properties.update(
        .init(propertyId: home.property, name: "Pier", managerUserIds: [home.manager, "usr_ada"]),
        options: .by(home.manager)
      )
      #expect(Set(property.managerUserIds) == [home.manager, "usr_ada"])
      // One by one it stays with those above.
      let refused = [
        try await refusal {
          try await stage.properties.addManager(
            .init(propertyId: home.property, userId: "usr_bob"),
            options: .by(home.manager)
          )
        },
        try await refusal {
          try await stage.portfolios.addAdmin(
            .init(portfolioId: home.portfolio, userId: "usr_bob"),
            options: .by(home.admin)
          )
        },
      ]
      #expect(refused.map(\.?.code) == [.permissionDenied, .permissionDenied])
    }
  }

  @Test("A list that the caller may not change is refused, and nothing else is changed with it")
  func managers_byTenant_areRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let refused = try await refusal {
        try await stage.properties.update(
          .init(propertyId: home.property, name: "Mine", managerUserIds: [home.tenant]),
          options: .by(home.tenant)
        )
      }
      #expect(refused == Refusal(.notFound, "NOT_FOUND"))
      let property = try await stage.properties.get(
        .init(propertyId: home.property),
        options: .by(home.owner)
      )
      #expect(property.name == "Property home" && property.managerUserIds == [home.manager])
    }
  }

  @Test("A user that there is not is named, and nothing is replaced")
  func managers_unknown_areRefused() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let refused = try await refusal {
        try await stage.properties.update(
          .init(propertyId: home.property, managerUserIds: ["usr_ada", "usr_missing"]),
          options: .by(home.admin)
        )
      }
      #expect(refused == Refusal(.invalidArgument, "USER_UNKNOWN"))
      let property = try await stage.properties.update(
        .init(propertyId: home.property, managerUserIds: ["usr_ada"]),
        options: .by(home.admin)
      )
      #expect(property.managerUserIds == ["usr_ada"])
    }
  }

  @Test("Parts of an address change alone when the mask names them, and all of it otherwise")
  func address_byParts() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      func update(
        _ address: Tenancy_V1.PropertyAddress?,
        _ paths: String...
      ) async throws -> Tenancy_V1.PropertyAddress? {
        let mask = paths.isEmpty ? nil : Google_Protobuf.FieldMask(paths: paths)
        return try await stage.properties.update(
          .init(propertyId: home.property, address: address, updateMask: mask),
          options: .by(home.admin)
        ).address
      }
      let first = try await update(.init(street: "Pier 4", city: "A", postalCode: "1"))
      #expect(first == .init(street: "Pier 4", city: "A", postalCode: "1"))
      let moved = try await update(.init(street: "-", city: "B"), "address.city")
      #expect(moved == .init(street: "Pier 4", city: "B", postalCode: "1"))
      // A part that is named and absent is removed.
      let removed = try await update(.init(city: "C"), "address.city", "address.postal_code")
      #expect(removed == .init(street: "Pier 4", city: "C"))
      let unchanged = try await update(.init(city: "D"), "name")
      #expect(unchanged == removed)
      let replaced = try await update(.init(city: "E"), "address")
      #expect(replaced == .init(city: "E"))
      #expect(try await update(nil, "address") == nil)
      let unknown = try await refusal { _ = try await update(.init(city: "F"), "address.planet") }
      #expect(unknown == Refusal(.invalidArgument, "FIELD_UNKNOWN"))
    }
  }

  @Test("Tenants are replaced; who is to come later stays")
  func tenants_areReplaced() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      _ = try await stage.units.addTenant(
        .init(
          unitId: home.unit,
          userId: "usr_later",
          validFrom: .init(milliseconds: TenancyStage.start + 3_600_000)
        ),
        options: .by(home.manager)
      )
      let unit = try await stage.units.update(
        .init(unitId: home.unit, tenantUserIds: ["usr_ada"]),
        options: .by(home.manager)
      )
      #expect(unit.tenantUserIds == ["usr_ada"])
      let all = try await stage.units.listTenants(
        .init(unitId: home.unit),
        options: .by(home.manager)
      )
      #expect(Set(all.tenants.map(\.id)) == ["usr_ada", "usr_later"])
    }
  }

  @Test("Devices are replaced; those that leave stay in the property")
  func devices_areReplaced() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let unit = try await stage.units.update(
        .init(unitId: home.unit, deviceIds: [home.cellar]),
        options: .by(home.manager)
      )
      #expect(unit.deviceIds == [home.cellar])
      let door = try await stage.devices.get(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(door.unitId.isEmpty)
      #expect(door.propertyId == home.property)
      let refused = try await refusal {
        try await stage.units.update(
          .init(unitId: home.unit, deviceIds: [home.door]),
          options: .by(home.tenant)
        )
      }
      #expect(refused?.code == .permissionDenied)
    }
  }

  @Test("Pages are counted and reached from both ends")
  func pages_areCounted() async throws {
    try await TenancyStage.run { stage in
      let owner = CallOptions.by("usr_ada")
      for index in 0..<5 {
        _ = try await stage.portfolios.create(.init(name: "P\(index)"), options: owner)
        // Those of one millisecond are in no order of creation.
        stage.clock.advance(1)
      }
      func names(_ page: UInt32, _ sortBy: String = "") async throws -> [String] {
        let list = try await stage.portfolios.list(
          .init(pageSize: 2, sortBy: sortBy, page: page),
          options: owner
        )
        #expect(list.totalSize == 5)
        #expect(list.nextPageToken.isEmpty == (page >= 3))
        return list.portfolios.map(\.name)
      }
      #expect(try await names(1) == ["P0", "P1"])
      #expect(try await names(2) == ["P2", "P3"])
      #expect(try await names(3) == ["P4"])
      #expect(try await names(4) == [])
      #expect(try await names(1, "-name") == ["P4", "P3"])
      #expect(try await names(2, "-createdAt") == ["P2", "P1"])
      #expect(try await names(1, "createdAt") == ["P0", "P1"])
      // A page by number goes on by its token.
      let second = try await stage.portfolios.list(.init(pageSize: 2, page: 2), options: owner)
      let third = try await stage.portfolios.list(
        .init(pageSize: 2, pageToken: second.nextPageToken),
        options: owner
      )
      #expect(third.portfolios.map(\.name) == ["P4"])
      let twice = try await refusal {
        try await stage.portfolios.list(
          .init(pageSize: 2, pageToken: second.nextPageToken, page: 2),
          options: owner
        )
      }
      #expect(twice == Refusal(.invalidArgument, "PAGE_NAMED_TWICE"))
      let far = try await refusal {
        try await stage.portfolios.list(.init(pageSize: 1000, page: 11), options: owner)
      }
      #expect(far == Refusal(.invalidArgument, "PAGE_OUT_OF_REACH"))
    }
  }
}
