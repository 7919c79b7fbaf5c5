import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Guest passes for units and properties, and those of addresses", .timeLimit(.minutes(5)))
struct UnitPassTests {
  private static let hour: Int64 = 3_600_000

  private func grant(
    _ request: Tenancy_V1.GrantGuestPassRequest,
    by lender: String,
    _ stage: TenancyStage
  ) async throws -> [Tenancy_V1.GuestPass] {
    var request = request
    request.validUntil = request.validUntil ?? .init(milliseconds: stage.clock.now + Self.hour)
    return try await stage.guests.grant(request, options: .by(lender)).passes
  }

  private func mayUnlock(
    _ device: String,
    _ user: String,
    _ stage: TenancyStage
  ) async throws
    -> Bool
  {
    try await stage.permissions.check(
      .init(subjectId: user, action: "device.unlock", entityId: device),
      options: .byService("gateway")
    ).allowed
  }

  private func reason(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RPCError)?.reason
    }
  }

  @Test("A pass for a unit covers its devices of now and later, and common areas if it says so")
  func unitPass_coversTheUnit() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let pass = try await grant(
        .init(userId: "usr_gus", unitIds: [home.unit]),
        by: home.tenant,
        stage
      )[0]
      #expect(pass.entityType == "unit" && pass.entityId == home.unit)
      #expect(pass.entityName == "Unit a" && pass.deviceId.isEmpty && pass.deviceName.isEmpty)
      #expect(!pass.includesCommonAreas && !pass.revision.isEmpty)
      #expect(try await mayUnlock(home.door, "usr_gus", stage))
      #expect(try await !mayUnlock(home.gate, "usr_gus", stage))
      let later = try await stage.devices.register(
        .init(propertyId: home.property, unitId: home.unit, name: "New", type: "lock"),
        options: .by(home.manager)
      ).id
      #expect(try await mayUnlock(later, "usr_gus", stage))
      let wide = try await grant(
        .init(userId: "usr_ari", unitIds: [home.unit], includesCommonAreas: true),
        by: home.tenant,
        stage
      )[0]
      #expect(wide.includesCommonAreas)
      #expect(try await mayUnlock(home.gate, "usr_ari", stage))
      #expect(try await !mayUnlock(home.cellar, "usr_ari", stage))
      // Guests see what they were lent, and nothing of the people.
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by("usr_gus"))
      #expect(unit.tenantUserIds.isEmpty && unit.name == "Unit a")
      let devices = try await stage.devices.list(
        .init(unitId: home.unit),
        options: .by("usr_gus")
      ).devices
      #expect(Set(devices.map(\.id)) == [home.door, later])
      stage.clock.advance(Self.hour)
      #expect(try await !mayUnlock(home.door, "usr_gus", stage))
    }
  }

  @Test("A pass for a property covers everything in it, and tenants grant none")
  func propertyPass_coversTheProperty() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let pass = try await grant(
        .init(userId: "usr_pia", propertyIds: [home.property]),
        by: home.manager,
        stage
      )[0]
      #expect(pass.entityType == "property")
      for device in [home.door, home.gate, home.cellar] {
        #expect(try await mayUnlock(device, "usr_pia", stage))
      }
      let request = Tenancy_V1.GrantGuestPassRequest(
        userId: "usr_pia",
        propertyIds: [home.property]
      )
      #expect(await reason { _ = try await grant(request, by: home.tenant, stage) } == "NOT_FOUND")
      let areas = Tenancy_V1.GrantGuestPassRequest(
        userId: "usr_pia",
        propertyIds: [home.property],
        includesCommonAreas: true
      )
      let refused = await reason { _ = try await grant(areas, by: home.manager, stage) }
      #expect(refused == "PASS_WITHOUT_UNIT")
      let none = Tenancy_V1.GrantGuestPassRequest(userId: "usr_pia")
      #expect(await reason { _ = try await grant(none, by: home.manager, stage) } == "REQUIRED")
    }
  }

  @Test("A pass for a unit ends with the right of its lender")
  func unitPass_followsItsLender() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      _ = try await grant(
        .init(userId: "usr_gus", unitIds: [home.unit], includesCommonAreas: true),
        by: home.tenant,
        stage
      )
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await !mayUnlock(home.door, "usr_gus", stage))
      #expect(try await !mayUnlock(home.gate, "usr_gus", stage))
    }
  }

  @Test("Lists have the passes of a place and below it, and unused ones of addresses")
  func list_hasAllKinds() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      var made = [home.pass]
      for request in [
        Tenancy_V1.GrantGuestPassRequest(userId: "usr_gus", unitIds: [home.unit]),
        .init(deviceIds: [home.door], email: "ida@example.com"),
        .init(userId: "usr_ari", unitIds: [home.unit], includesCommonAreas: true),
        .init(email: "una@example.com", propertyIds: [home.property]),
      ] {
        stage.clock.advance(1)
        made += try await grant(request, by: home.manager, stage).map(\.id)
      }
      #expect(made[2].hasPrefix("inv_") && made[4].hasPrefix("inv_"))
      func listed(
        _ request: Tenancy_V1.ListGuestPassesRequest,
        by user: String
      ) async throws
        -> [String]
      {
        try await stage.guests.list(request, options: .by(user)).passes.map(\.id)
      }
      #expect(try await listed(.init(), by: home.manager) == made)
      #expect(try await listed(.init(propertyId: home.property), by: home.manager) == made)
      #expect(try await listed(.init(unitId: home.unit), by: home.manager) == Array(made[0...3]))
      let ofDoor = try await listed(.init(deviceId: home.door), by: home.manager)
      #expect(ofDoor == [made[0], made[2]])
      #expect(try await listed(.init(), by: home.tenant) == Array(made[0...3]))
      #expect(try await listed(.init(), by: "usr_gus") == [made[1]])
      #expect(try await listed(.init(), by: "usr_stranger") == [])
      let inForce = try await listed(.init(inForce: true), by: home.manager)
      #expect(inForce == [made[0], made[1], made[3]])
      try await ListProbe.check("createdAt", "-createdAt") { sortBy, size, page, token in
        let page = try await stage.guests.list(
          .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: .by(home.manager)
        )
        return (page.passes.map(\.id), page.nextPageToken)
      }
    }
  }

  @Test("A pass of an address is changed and revoked by its identifier")
  func invitedPass_isManaged() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let pass = try await grant(
        .init(deviceIds: [home.door], email: "ida@example.com"),
        by: home.tenant,
        stage
      )[0]
      #expect(pass.id == pass.invitationId && pass.email == "ida@example.com")
      let until = Google_Protobuf.Timestamp(milliseconds: stage.clock.now + 2 * Self.hour)
      let request = Tenancy_V1.UpdateGuestPassRequest(
        passId: pass.id,
        validUntil: until,
        expectedRevision: pass.revision
      )
      let stranger = await reason {
        _ = try await stage.guests.update(request, options: .by("usr_stranger"))
      }
      #expect(stranger == "NOT_FOUND")
      let changed = try await stage.guests.update(request, options: .by(home.tenant))
      #expect(changed.validUntil == until && changed.revision != pass.revision)
      let stale = await reason {
        _ = try await stage.guests.update(request, options: .by(home.tenant))
      }
      #expect(stale == "REVISION_MISMATCH")
      let removed = try await stage.guests.revoke(
        .init(passId: pass.id),
        options: .by(home.manager)
      )
      #expect(removed.removed == 1)
      let again = try await stage.guests.revoke(.init(passId: pass.id), options: .by(home.manager))
      #expect(again.removed == 0)
      let listed = try await stage.guests.list(.init(), options: .by(home.tenant)).passes
      #expect(listed.map(\.id) == [home.pass])
    }
  }

  @Test("A held pass is under its revision")
  func heldPass_isUnderItsRevision() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      let pass = try await grant(
        .init(userId: "usr_gus", unitIds: [home.unit]),
        by: home.tenant,
        stage
      )[0]
      stage.clock.advance(1)
      let request = Tenancy_V1.UpdateGuestPassRequest(
        passId: pass.id,
        validUntil: .init(milliseconds: stage.clock.now + 2 * Self.hour),
        expectedRevision: pass.revision
      )
      let changed = try await stage.guests.update(request, options: .by(home.tenant))
      #expect(changed.revision != pass.revision && changed.updatedAt != pass.updatedAt)
      let stale = await reason {
        _ = try await stage.guests.update(request, options: .by(home.tenant))
      }
      #expect(stale == "REVISION_MISMATCH")
    }
  }
}
