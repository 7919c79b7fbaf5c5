import AccessEngine
import PeerContracts
import TenancyContracts
import Foundation
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Which interfaces are served for which policies")
struct ProductsTests {
  private static func smartHome(adding type: String, action: String) throws -> [UInt8] {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    text.replace("  \"types\": {\n", with: "  \"types\": {\n\(type),\n", maxReplacements: 1)
    // Whose roles reach it, besides who may do what.
    text.replace("\"unit\", \"device\"]", with: "\"unit\", \"device\", \"meter\"]")
    let place = "\"property.register_device\": {"
    text.replace(place, with: "\(action),\n        \(place)", maxReplacements: 1)
    return [UInt8](text.utf8)
  }

  /// A type that the smart home does not have.
  private static let meter = """
        "meter": {
          "parents": ["property"],
          "attributes": {
            "medium": { "kind": "choice", "choices": ["water", "gas"], "access": "status" },
            "reading": { "kind": "integer", "min": 0, "access": "manage" }
          },
          "lifecycle": {
            "create": "property.add_meter", "view": "meter.view", "update": "meter.update",
            "delete": "meter.update"
          },
          "actions": {
            "meter.view": { "roles": ["portfolio_admin", "owner"] },
            "meter.update": { "roles": ["portfolio_admin"] }
          }
        }
    """
  private static let addMeter = #""property.add_meter": { "roles": ["portfolio_admin"] }"#

  @Test("Without the types of the smart home its interface is not served, and the generic one is")
  func services_withoutSmartHome_areGeneric() async throws {
    try await ReadingRoom.run { stage in
      let names = stage.service.services.map(\.name)
      #expect(names.contains("tenancy.v1.Entities") && names.contains("tenancy.v1.Roles"))
      #expect(!names.contains("tenancy.v1.Portfolios") && !names.contains("tenancy.v1.Guests"))
      let portfolio = try await refusal {
        try await stage.portfolios.create(.init(name: "Home"), options: .by("usr_ada"))
      }
      #expect(portfolio?.code == .unimplemented)
      #expect(try await stage.create("library", by: "usr_ada").type == "library")
    }
  }

  @Test("A policy with some of the smart home's types and not all that it needs is refused")
  func start_withHalfOfTheProduct_isRefused() async throws {
    var text = ReadingRoom.policy
    text.replace("\"stamp\":", with: "\"device\":", maxReplacements: 1)
    let error = await #expect(throws: PolicyError.self) {
      try await TenancyStage.run(policy: [UInt8](text.utf8)) { _ in }
    }
    let paths = error?.problems.map(\.path) ?? []
    #expect(paths.contains("types.portfolio") && paths.contains("roles.owner"))
    #expect(paths.contains("types.device.actions.device.view"))
  }

  @Test("A type that a policy adds to the smart home takes no Swift")
  func smartHome_withNewType_servesIt() async throws {
    let policy = try Self.smartHome(adding: Self.meter, action: Self.addMeter)
    try await TenancyStage.run(policy: policy) { stage in
      let home = try await Building(stage, name: "home")
      let meter = try await stage.create(
        "meter",
        under: home.property,
        name: "Cellar meter",
        ["medium": .stringValue("water"), "reading": .numberValue(4711)],
        by: home.admin
      )
      #expect(meter.id.hasPrefix("ent_") && meter.accessLevel == "manage")
      let lists = try await stage.entities.list(
        .init(type: "meter", within: home.portfolio),
        options: .by(home.owner)
      )
      #expect(lists.entities.map(\.id) == [meter.id])
      let manager = try await refusal {
        try await stage.entities.get(.init(entityId: meter.id), options: .by(home.manager))
      }
      #expect(manager == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      let tenant = try await refusal {
        try await stage.entities.get(.init(entityId: meter.id), options: .by(home.tenant))
      }
      #expect(tenant == Refusal(.notFound, "NOT_FOUND"))
      // It goes with the tree that it is in.
      let deleted = try await stage.portfolios.delete(
        .init(portfolioId: home.portfolio, cascade: true, dryRun: true),
        options: .by(home.owner)
      ).deleted
      #expect(deleted.contains { $0.type == "meter" && $0.count == 1 })
    }
  }

  @Test("What the product made is there for the generic interface, and the other way round")
  func smartHome_bothInterfaces_seeTheSame() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let door = try await stage.entities.get(
        .init(entityId: home.door),
        options: .by(home.guest)
      )
      #expect(door.type == "device" && door.parentId == home.unit && door.accessLevel == "status")
      #expect(door.attributes?.fields["kind"]?.kind == .stringValue("lock"))
      #expect(!door.visibleAttributes.contains("serial_number"))
      let lamp = try await stage.create(
        "device",
        under: home.property,
        name: "Lamp",
        ["kind": .stringValue("light")],
        by: home.manager
      )
      #expect(lamp.id.hasPrefix("dev_"))
      let device = try await stage.devices.get(
        .init(deviceId: lamp.id),
        options: .by(home.manager)
      )
      #expect(device.type == "light" && device.propertyId == home.property)
      let pass = try await stage.grant(
        "guest",
        on: home.door,
        to: "usr_eve",
        until: 60_000,
        by: home.tenant
      )
      let passes = try await stage.guests.list(.init(), options: .by(home.manager)).passes
      #expect(passes.map(\.id).contains(pass.id))
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      #expect(try await stage.reason("usr_eve", "device.unlock", home.door) == .entityUnknown)
    }
  }

  @Test("What is served stays served: another policy cannot take a product's types away")
  func reload_withoutServedProduct_isRefused() async throws {
    try await TenancyStage.run { stage in
      let error = await #expect(throws: PolicyError.self) {
        try await stage.service.reload { [UInt8](ReadingRoom.policy.utf8) }
      }
      #expect(error?.problems.map(\.path).contains("types.device") == true)
      let devices = try await stage.devices.list(.init(), options: .by("usr_ada"))
      #expect(devices.devices.isEmpty)
    }
    // The other way round its types come, and its interface with the next start.
    try await ReadingRoom.run { stage in
      try await stage.service.reload { try PolicyFile.bytes("smart-home") }
      #expect(try await stage.create("portfolio", by: "usr_ada").type == "portfolio")
      let served = try await refusal {
        try await stage.portfolios.create(.init(name: "Home"), options: .by("usr_ada"))
      }
      #expect(served?.code == .unimplemented)
    }
  }

  @Test("Operators are there under a policy that does not speak of them")
  func grantSuperAdmin_policyWithoutOperators_isBuiltIn() async throws {
    var text = ReadingRoom.policy
    let role = text.range(of: "\"super_admin\": {")?.lowerBound
    let end = text.range(of: "\"head_librarian\": {")?.lowerBound
    text.removeSubrange(try #require(role)..<(try #require(end)))
    text.replace(
      "\"system\": { \"actions\": { \"system.administer\": { \"roles\": [\"super_admin\"] } } },",
      with: ""
    )
    #expect(!text.contains("super_admin"))
    try await TenancyStage.run(policy: [UInt8](text.utf8)) { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      #expect(stage.service.holds(.administration, "usr_super"))
      let library = try await stage.create("library", by: "usr_ada")
      let request = Tenancy_V1.GetEntityRequest(entityId: library.id)
      let seen = try await stage.entities.get(request, options: .by("usr_super"))
      #expect(seen.accessLevel == "staff")
    }
  }
}
