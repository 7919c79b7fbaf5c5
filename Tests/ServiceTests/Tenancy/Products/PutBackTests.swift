import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// What a client has read and sends back as it was changes nothing, and nothing that it cannot change is ignored.
@Suite("Objects that are put back")
struct PutBackTests {
  /// An update that puts back a unit as it was read, with all its lists and what came beside them.
  private static func update(_ unit: Tenancy_V1.Unit) -> Tenancy_V1.UpdateUnitRequest {
    Tenancy_V1.UpdateUnitRequest(
      unitId: unit.id,
      name: unit.name,
      tenantUserIds: unit.tenantUserIds,
      deviceIds: unit.deviceIds,
      updateMask: mask("name", "tenant_user_ids", "device_ids", "common_area_device_ids"),
      current: unit,
      commonAreaDeviceIds: unit.commonAreaDeviceIds
    )
  }

  private static func mask(_ paths: String...) -> Google_Protobuf.FieldMask { .init(paths: paths) }

  /// The smart home's policy, in which managers of units have nothing to do with their tenants.
  private func policy() throws -> [UInt8] {
    var text = String(decoding: try PolicyFile.bytes("smart-home"), as: UTF8.self)
    for action in ["unit.list_tenants", "unit.manage_tenants"] {
      let line = try #require(text.split(separator: "\n").first { $0.contains("\"\(action)\":") })
      text = text.replacing(line, with: line.replacing("\"property_manager\"", with: "\"owner\""))
    }
    return [UInt8](text.utf8)
  }

  /// A unit with one read-only field that is another one, by its name.
  private static func changed(
    _ unit: Tenancy_V1.Unit,
    _ home: Building
  ) -> [(field: String, unit: Tenancy_V1.Unit)] {
    func with(_ change: (inout Tenancy_V1.Unit) -> Void) -> Tenancy_V1.Unit {
      var unit = unit
      change(&unit)
      return unit
    }
    return [
      ("id", with { $0.id = home.property }),
      ("property_id", with { $0.propertyId = home.portfolio }),
      ("created_at", with { $0.createdAt = .init(milliseconds: 1) }),
      ("updated_at", with { $0.updatedAt = .init(milliseconds: 1) }),
      ("property_name", with { $0.propertyName = "New" }),
      ("property_address", with { $0.propertyAddress?.city = "New" }),
      ("device_count", with { $0.deviceCount = 7 }),
      ("device_ids_cut", with { $0.deviceIdsCut = true }),
    ]
  }

  @Test("Each read-only field of a unit is compared, and named when it differs")
  func unit_readOnlyFields_areCompared() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      stage.clock.advance(1)
      #expect(try await stage.units.update(Self.update(unit), options: manager) == unit)
      // A client that has only some of it sends that.
      var request = Self.update(unit)
      request.current = .init(id: unit.id)
      #expect(try await stage.units.update(request, options: manager) == unit)
      for (field, changed) in Self.changed(unit, home) {
        request.name = "New"
        request.current = changed
        let error = await #expect(throws: RPCError.self) {
          try await stage.units.update(request, options: manager)
        }
        #expect(
          error.map { Refusal($0) } == Refusal(.invalidArgument, "FIELD_READ_ONLY"),
          "\(field)"
        )
        #expect(error?.message.hasPrefix("current.\(field): ") == true, "\(field)")
      }
      #expect(try await stage.units.get(.init(unitId: home.unit), options: manager) == unit)
    }
  }

  @Test("A copy whose object has changed is refused as such, before its fields are compared")
  func unit_changedSince_isAborted() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      stage.clock.advance(1)
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: "usr_ada"),
        options: manager
      )
      let stale = try await refusal {
        try await stage.units.update(Self.update(unit), options: manager)
      }
      #expect(stale == Refusal(.aborted, "REVISION_MISMATCH"))
      let kept = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(kept.tenantUserIds == [home.tenant, "usr_ada"])
      var forged = unit
      forged.revision = "AAAA"
      let request = Self.update(forged)
      let invalid = try await refusal { try await stage.units.update(request, options: manager) }
      #expect(invalid == Refusal(.invalidArgument, "REVISION_INVALID"))
    }
  }

  @Test("Lists that are sent as they are shown need no right and change nothing; others need it")
  func lists_asShown_needNoRight() async throws {
    try await TenancyStage.run(policy: try policy()) { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let owner = try await stage.units.get(.init(unitId: home.unit), options: .by(home.owner))
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(owner.tenantUserIds == [home.tenant])
      #expect(unit.tenantUserIds == [])
      stage.clock.advance(1)
      #expect(try await stage.units.update(Self.update(unit), options: manager) == unit)
      for tenants in [["usr_ada"], [home.tenant]] {
        var request = Self.update(unit)
        request.name = "New"
        request.tenantUserIds = tenants
        let changed = request
        let refused = try await refusal { try await stage.units.update(changed, options: manager) }
        #expect(refused?.code == .permissionDenied)
      }
      #expect(
        try await stage.units.get(.init(unitId: home.unit), options: .by(home.owner)) == owner
      )
    }
  }

  @Test("Lists that nobody changed are put back while AuthService is down; a new user needs it")
  func lists_asShown_needNoLookup() async throws {
    let folder = try TestFolder()
    var homes: [Building] = []
    try await TenancyStage.run(in: folder) { homes.append(try await Building($0, name: "home")) }
    let home = try #require(homes.first)
    try await TenancyStage.run(in: folder, usersAreDown: true) { stage in
      let manager = CallOptions.by(home.manager)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(unit.tenantUserIds == [home.tenant])
      #expect(try await stage.units.update(Self.update(unit), options: manager) == unit)
      var request = Self.update(unit)
      request.tenantUserIds.append("usr_ada")
      let changed = request
      let refused = try await refusal { try await stage.units.update(changed, options: manager) }
      #expect(refused?.code == .unavailable)
    }
  }

  @Test("A list that is too long is left out with its count, and cannot be set")
  func devices_tooMany_areCut() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let entities = Tenancy_V1.EntitiesClient(stage.channel)
      func add(_ count: Int) async throws {
        _ = try await entities.batchCreate(
          .init(
            entities: (0..<count).map { .init(type: "device", parentId: home.unit, name: "D\($0)") }
          ),
          options: manager
        )
      }
      try await add(499)
      try await add(500)
      let whole = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(whole.deviceIds.count == 1000 && whole.deviceCount == 1000 && !whole.deviceIdsCut)
      #expect(try await stage.units.update(Self.update(whole), options: manager) == whole)
      try await add(200)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: manager)
      #expect(unit.deviceIds == [] && unit.deviceCount == 1200 && unit.deviceIdsCut)
      for ids in [[], [home.door], whole.deviceIds] {
        var request = Self.update(unit)
        request.deviceIds = ids
        let changed = request
        let refused = try await refusal { try await stage.units.update(changed, options: manager) }
        #expect(refused == Refusal(.failedPrecondition, "LIST_CUT"))
      }
      // Without the list, as it is left out, all else can be put back.
      var request = Self.update(unit)
      request.updateMask = Self.mask("name", "tenant_user_ids", "common_area_device_ids")
      #expect(try await stage.units.update(request, options: manager) == unit)
    }
  }

  @Test("Long lists of properties and units are left out with their counts")
  func children_tooMany_areCut() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      let entities = Tenancy_V1.EntitiesClient(stage.channel)
      for (type, parent) in [("property", home.portfolio), ("unit", home.property)] {
        for count in [500, 499, 1] {
          _ = try await entities.batchCreate(
            .init(
              entities: (0..<count).map { .init(type: type, parentId: parent, name: "N\($0)") }
            ),
            options: owner
          )
          let portfolio = try await stage.portfolios.get(
            .init(portfolioId: home.portfolio),
            options: owner
          )
          let property = try await stage.properties.get(
            .init(propertyId: home.property),
            options: owner
          )
          let (ids, shown, isCut) =
            type == "property"
            ? (portfolio.propertyIds, portfolio.propertyCount, portfolio.propertyIdsCut)
            : (property.unitIds, property.unitCount, property.unitIdsCut)
          #expect(isCut == (count == 1))
          #expect(shown == (count == 500 ? 501 : count == 499 ? 1000 : 1001))
          #expect(ids.count == (isCut ? 0 : Int(shown)))
        }
      }
    }
  }

  @Test("Attributes that are put back stay as they are, with the defaults that fill them in")
  func attributes_asShown_areKept() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let (manager, entities) = (
        CallOptions.by(home.manager), Tenancy_V1.EntitiesClient(stage.channel)
      )
      let device = try await stage.devices.get(.init(deviceId: home.door), options: manager)
      #expect(device.attributes?.fields["online"] != nil)
      stage.clock.advance(1)
      let same = try await stage.devices.update(
        .init(
          deviceId: home.door,
          name: device.name,
          attributes: device.attributes,
          current: device
        ),
        options: manager
      )
      #expect(same == device)
      let entity = try await entities.get(.init(entityId: home.door), options: manager)
      let kept = try await entities.update(
        .init(
          entityId: home.door,
          name: entity.name,
          attributes: entity.attributes,
          current: entity
        ),
        options: manager
      )
      #expect(kept == entity)
      for change in [{ $0.parentId = home.property }, { $0.accessLevel = "none" }]
        as [(inout Tenancy_V1.Entity) -> Void]
      {
        var changed = entity
        change(&changed)
        let refused = try await refusal {
          try await entities.update(
            .init(entityId: home.door, name: "New", current: changed),
            options: manager
          )
        }
        #expect(refused == Refusal(.invalidArgument, "FIELD_READ_ONLY"))
      }
    }
  }

  @Test("Common areas have one name in a unit and in its update, and may be set by either")
  func commonAreas_byEitherName() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let manager = CallOptions.by(home.manager)
      let both = try await stage.units.update(
        .init(unitId: home.unit, commonAreaDeviceIds: [home.cellar, home.gate]),
        options: manager
      )
      #expect(both.commonAreaDeviceIds == [home.cellar, home.gate])
      // Their order is theirs.
      let turned = try await stage.units.update(
        .init(unitId: home.unit, commonAreaDeviceIds: [home.gate, home.cellar]),
        options: manager
      )
      #expect(turned.commonAreaDeviceIds == [home.gate, home.cellar])
      #expect(turned.revision != both.revision)
      let none = try await stage.units.update(
        .init(unitId: home.unit, updateMask: Self.mask("common_area_device_ids")),
        options: manager
      )
      #expect(none.commonAreaDeviceIds == [])
      let twice = try await refusal {
        try await stage.units.update(
          .init(
            unitId: home.unit,
            commonAreaDevices: .init(deviceIds: [home.gate]),
            commonAreaDeviceIds: [home.gate]
          ),
          options: manager
        )
      }
      #expect(twice == Refusal(.invalidArgument, "FIELDS_EXCLUSIVE"))
    }
  }
}
