import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("The words of the loaded policies")
struct SchemaTests {
  private static func schema(
    _ stage: TenancyStage,
    types: [String] = []
  ) async throws -> Tenancy_V1.Schema {
    try await stage.schemas.get(.init(types: types), options: .by("usr_nobody"))
  }

  @Test("An application finds what a device has and takes")
  func schema_ofDevices_hasOperations() async throws {
    try await TenancyStage.run { stage in
      let schema = try await Self.schema(stage, types: ["device", "ship"])
      #expect(schema.policies.map(\.name) == ["smart-home"])
      #expect(schema.types.map(\.name) == ["device"])
      let device = try #require(schema.types.first)
      #expect(device.parents == ["system", "portfolio", "property", "unit"])
      #expect(device.accessLevels == ["status", "use", "manage"])
      #expect(device.otherAttributes == "use")
      let operations = device.actions.compactMap(\.operation)
      let set = try #require(operations.first { $0.name == "set_temperature" })
      #expect(
        set
          == .init(
            name: "set_temperature",
            kinds: ["thermostat"],
            parameters: [
              .init(
                name: "celsius",
                value: .init(kind: .number, min: 5, max: 35, unit: "°C"),
                required: true,
                sets: "target_temperature"
              )
            ]
          )
      )
      let mode = try #require(operations.first { $0.name == "set_mode" })
      #expect(mode.parameters.first?.value?.choices == ["heat", "cool", "eco", "auto", "off"])
      let settings = try #require(operations.first { $0.name == "change_settings" })
      #expect(settings.setsAttributes && settings.kinds.isEmpty)
      let names = device.attributes.filter(\.setting).map(\.name)
      #expect(names == ["remote_operation_enabled", "auto_lock_seconds"])
      #expect(settings.parameters.map(\.name) == names)
      let reported = device.attributes.filter(\.reported).map(\.name)
      #expect(
        reported == ["online", "temperature", "state", "battery", "serial_number", "firmware"]
      )
      #expect(operations.first { $0.name == "unlock" }?.desiredState == "unlocked")
      let view = try #require(device.actions.first { $0.name == "device.view" })
      #expect(view.operation == nil)
      let kind = try #require(device.attributes.first { $0.name == "kind" })
      #expect(kind.value?.defaultValue == .init(kind: .stringValue("other")))
      // Without an end of its own.
      #expect(schema.roles.map(\.name) == ["guest"])
      #expect(schema.roles.first?.accessLevel == "status")
    }
  }

  @Test("Everybody gets the same, under an etag that is the policy's")
  func schema_ofEverybody_isTheSame() async throws {
    try await TenancyStage.run { stage in
      let all = try await Self.schema(stage)
      #expect(all.types.map(\.name) == ["system", "portfolio", "property", "unit", "device"])
      // Two of them are built in.
      #expect(all.roles.count == 8)
      let home = try await Building(stage, name: "home")
      let owners = try await stage.schemas.get(.init(), options: .by(home.owner))
      #expect(owners == all)
      #expect(owners.protobufBytes == all.protobufBytes)
    }
  }

  @Test("An application sees which type counts against which limit")
  func schema_ofStables_hasLimits() async throws {
    try await TenancyStage.run(policy: try PolicyFile.bytes("equestrian")) { stage in
      let types = try await Self.schema(stage).types
      func type(_ name: String) throws -> Tenancy_V1.TypeSchema {
        try #require(types.first { $0.name == name })
      }
      #expect(try type("horse").counts == .init(limit: "maxHorses", of: "organization"))
      #expect(try type("stable").counts == .init(limit: "maxStables", of: "organization"))
      #expect(try type("organization").membersLimit == "maxMembers")
      #expect(try type("organization").counts == nil && type("horse").membersLimit.isEmpty)
    }
  }

  @Test("An application sees which action it takes to create, report and grant")
  func schema_ofPortfolios_hasLifecycle() async throws {
    try await TenancyStage.run { stage in
      let schema = try await Self.schema(stage)
      let portfolio = try #require(schema.types.first { $0.name == "portfolio" })
      #expect(portfolio.selfService)
      #expect(
        portfolio.lifecycle
          == .init(
            create: [.init(type: "system", action: "portfolio.create")],
            view: "portfolio.view",
            update: "portfolio.update",
            delete: "portfolio.delete",
            listAssociations: "portfolio.list_associations",
            report: "portfolio.view_report",
            reportFeature: "compliancePack",
            manageWebhooks: "portfolio.manage_admins"
          )
      )
      let unit = try #require(schema.types.first { $0.name == "unit" })
      #expect(!unit.selfService)
      #expect(unit.lifecycle?.create == [.init(type: "property", action: "property.create_unit")])
      let guest = try #require(schema.roles.first { $0.name == "guest" })
      #expect(guest.windowRequired && !guest.recurringRequired)
      #expect(guest.grantedBy.map(\.type) == ["device", "property", "unit"])
      #expect(guest.grantedBy.last?.action == "unit.grant_guest")
      #expect(guest.revokedBy == guest.grantedBy)
    }
  }

  @Test("Of several policies it has all, and another one after a reload")
  func schema_afterReload_isAnother() async throws {
    let text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    try await TenancyStage.run(policy: [UInt8](text.utf8)) { stage in
      let before = try await Self.schema(stage)
      let newer = text.replacing(#""max": 35"#, with: #""max": 30"#)
      try await stage.service.reload { [UInt8](newer.utf8) }
      let after = try await Self.schema(stage)
      #expect(after != before)
      let operation = after.types.flatMap(\.actions).first { $0.name == "device.set_temperature" }
      #expect(operation?.operation?.parameters.first?.value?.max == 30)
    }
  }
}
