import AuthContracts
import EntitlementContracts
import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

extension EndToEndTests {
  @Suite("A day in a smart home")
  struct ScenarioTests {
    @Test("Owner, manager, tenant, guest and stranger do what they may, and are refused the rest")
    func day_acrossServices_goesAsTheProductSays() async throws {
      try await Installation.run { home in
        let owner = try await home.signUp("ada")
        let portfolio = try await home.portfolios.create(
          .init(name: "Harbour Homes"),
          options: owner.call
        ).id
        let property = try await home.portfolios.createProperty(
          .init(portfolioId: portfolio, name: "Pier 4", address: .init(city: "Hamburg")),
          options: owner.call
        ).id
        let manager = try await home.signUp("grace")
        _ = try await home.properties.addManager(
          .init(propertyId: property, userId: manager.id),
          options: owner.call
        )
        let (unit, door) = try await furnish(property, home, manager)
        let tenant = try await moveIn(unit, door, home, manager)
        try await invite(door, home, tenant, manager)

        // Who has nothing to do with it cannot tell what is there from what is not.
        let stranger = try await home.signUp("mallory")
        for device in [door, "dev_made_up"] {
          let refused = try await refusal {
            try await home.devices.get(.init(deviceId: device), options: stranger.call)
          }
          #expect(refused?.is(.notFound, "NOT_FOUND") == true, "\(String(describing: refused))")
        }
        let plan = try await refusal {
          try await home.entitlements(ofPortfolio: portfolio, as: stranger)
        }
        #expect(plan?.code == .notFound)
        #expect(try await home.entitlements(ofPortfolio: portfolio, as: owner).tier == "free")

        // AuthService tells everyone what the other two know of them.
        let me = try await home.users.getMe(.init(), options: owner.call)
        #expect(me.roleAssociations.map(\.role) == ["owner"])
        #expect(me.plan == "free" && me.missingContext.isEmpty)
        #expect(try #require(await home.answer(to: tenant.email).user).defaultUnitId == unit)
      }
    }

    /// The manager makes a flat with a door, and may operate but not delete.
    private func furnish(
      _ property: String,
      _ home: Installation,
      _ manager: Person
    ) async throws -> (unit: String, door: String) {
      let unit = try await home.properties.createUnit(
        .init(propertyId: property, name: "Flat 1"),
        options: manager.call
      ).id
      let door = try await home.devices.register(
        .init(propertyId: property, unitId: unit, name: "Front door", type: "lock"),
        options: manager.call
      ).id
      let operated = try await home.devices.operate(
        .init(deviceId: door, operation: "lock"),
        options: manager.call
      )
      #expect(operated.record?.succeeded == true)
      let refused = try await refusal {
        try await home.properties.delete(.init(propertyId: property), options: manager.call)
      }
      #expect(refused?.is(.permissionDenied, "ROLE_LACKS_ACTION") == true)
      return (unit, door)
    }

    /// Before moving in the flat is not there for the tenant; afterwards it and its door are.
    private func moveIn(
      _ unit: String,
      _ door: String,
      _ home: Installation,
      _ manager: Person
    ) async throws -> Person {
      let tenant = try await home.signUp("tom")
      let before = try await refusal {
        try await home.units.get(.init(unitId: unit), options: tenant.call)
      }
      #expect(before?.is(.notFound, "NOT_FOUND") == true)
      _ = try await home.units.addTenant(
        .init(unitId: unit, userId: tenant.id),
        options: manager.call
      )
      let devices = try await home.devices.list(.init(), options: tenant.call).devices
      #expect(devices.map(\.id) == [door])
      _ = try await home.devices.operate(
        .init(deviceId: door, operation: "unlock"),
        options: tenant.call
      )
      let renamed = try await refusal {
        try await home.devices.update(
          .init(deviceId: door, name: "Tom's door"),
          options: tenant.call
        )
      }
      #expect(renamed?.is(.permissionDenied, "ROLE_LACKS_ACTION") == true)
      return tenant
    }

    /// A guest gets in during the window, and neither before nor after it.
    private func invite(
      _ door: String,
      _ home: Installation,
      _ tenant: Person,
      _ manager: Person
    ) async throws {
      let guest = try await home.signUp("gus")
      let hour: Int64 = 3_600_000
      let now = SystemWallClock().now
      let pass = try #require(
        await home.guests.grant(
          .init(
            userId: guest.id,
            deviceIds: [door],
            validFrom: .init(milliseconds: now + hour),
            validUntil: .init(milliseconds: now + 2 * hour)
          ),
          options: tenant.call
        ).passes.first
      )
      let unlock = {
        try await refusal {
          try await home.devices.operate(
            .init(deviceId: door, operation: "unlock"),
            options: guest.call
          )
        }
      }
      #expect(try await unlock()?.is(.permissionDenied, "NOT_YET_VALID") == true)
      // The window moves, as the date cannot; but it may not lie in the past, so the end is near.
      let move = { (from: Int64, until: Int64) in
        _ = try await home.guests.update(
          .init(
            passId: pass.id,
            validFrom: .init(milliseconds: from),
            validUntil: .init(milliseconds: until)
          ),
          options: tenant.call
        )
      }
      try await move(now - hour, now + hour)
      #expect(try await unlock() == nil)
      try await move(now - hour, SystemWallClock().now + 1000)
      var last: Refusal?
      _ = try await home.tenancy.eventually {
        last = try await unlock()
        return last != nil
      }
      #expect(last?.is(.permissionDenied, "EXPIRED") == true)
      let history = try await home.devices.listHistory(
        .init(deviceId: door, pageSize: 1000),
        options: manager.call
      )
      let reasons = history.records.filter { $0.userId == guest.id }.map(\.reason)
      #expect(reasons.first == "EXPIRED" && reasons.last == "NOT_YET_VALID")
      #expect(Set(reasons.dropFirst().dropLast()) == ["ALLOWED"])
    }
  }
}
