import PeerContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("What tenants hear")
struct TenantViewTests {
  @Test("A tenant reads itself among the tenants of its unit, and that others may be left out")
  func unit_tenants_areHidden() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let unit = { (user: String) in
        try await stage.units.get(.init(unitId: home.unit), options: .by(user))
      }
      let managers = try await unit(home.manager)
      #expect(managers.tenantUserIds == [home.tenant] && !managers.tenantsHidden)
      let tenants = try await unit(home.tenant)
      #expect(tenants.tenantUserIds == [home.tenant] && tenants.tenantsHidden, "itself alone")
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_ada"),
        options: .by(home.manager)
      )
      #expect(try await unit(home.tenant).tenants.map(\.id) == [home.tenant])
      #expect(try await unit("usr_ada").tenants.map(\.id) == ["usr_ada"])
      let listed = try await stage.units.list(.init(), options: .by(home.tenant)).units
      #expect(listed.map(\.tenantsHidden) == [true])
    }
  }

  @Test("An operation is answered with the name of who did it, also when the request is repeated")
  func operate_answer_hasTheName() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      try await stage.take(PersonName("Tess", version: 2), of: home.tenant)
      var record: Tenancy_V1.AccessRecord?
      for key in ["one", "two", "two"] {
        record = try await stage.devices.operate(
          .init(deviceId: home.door, operation: "lock", idempotencyKey: key),
          options: .by(home.tenant)
        ).record
      }
      let history = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.tenant)
      ).records
      #expect(record?.displayName == history.first?.displayName)
      #expect(record?.displayName == "Tess")
    }
  }

  @Test("A role that reaches a common door through its unit is not named as what would suffice")
  func history_ofCommonDoor_namesOthers() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      do {
        _ = try await stage.devices.listHistory(
          .init(deviceId: home.gate),
          options: .by(home.tenant)
        )
        Issue.record("a tenant reads the history of a common door")
      } catch let error as RPCError {
        #expect(error.reason == "ROLE_LACKS_ACTION")
        #expect(error.message.hasSuffix("or property_manager"), "\(error.message)")
        #expect(!error.message.contains("tenant"), "\(error.message)")
      }
    }
  }
}
