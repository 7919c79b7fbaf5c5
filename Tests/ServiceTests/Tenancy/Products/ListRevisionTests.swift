import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// An object that shows a list of people or devices has another revision when the list has changed, no matter by
/// which call.
@Suite("Revisions of objects that show lists")
struct ListRevisionTests {
  /// An object as its managers see it.
  struct Shown: Equatable {
    let list: [String]
    let revision: String
    let updated: Google_Protobuf.Timestamp?
  }

  enum Object: String, CaseIterable {
    case portfolio, property, unit, other

    func get(_ home: Building, _ other: String, _ stage: TenancyStage) async throws -> Shown {
      let call = CallOptions.by(home.owner)
      switch self {
      case .portfolio:
        let it = try await stage.portfolios.get(.init(portfolioId: home.portfolio), options: call)
        return .init(list: it.administratorUserIds, revision: it.revision, updated: it.updatedAt)
      case .property:
        let it = try await stage.properties.get(.init(propertyId: home.property), options: call)
        return .init(list: it.managerUserIds, revision: it.revision, updated: it.updatedAt)
      case .unit, .other:
        let id = self == .unit ? home.unit : other
        let it = try await stage.units.get(.init(unitId: id), options: call)
        let list = it.tenantUserIds + it.deviceIds + ["common"] + it.commonAreaDeviceIds
        return .init(list: list, revision: it.revision, updated: it.updatedAt)
      }
    }

    /// Renames it, if it still has a revision.
    func rename(
      _ home: Building,
      _ other: String,
      expecting revision: String,
      _ stage: TenancyStage
    ) async throws {
      let call = CallOptions.by(home.owner)
      switch self {
      case .portfolio:
        _ = try await stage.portfolios.update(
          .init(portfolioId: home.portfolio, name: "New", expectedRevision: revision),
          options: call
        )
      case .property:
        _ = try await stage.properties.update(
          .init(propertyId: home.property, name: "New", expectedRevision: revision),
          options: call
        )
      case .unit, .other:
        let id = self == .unit ? home.unit : other
        _ = try await stage.units.update(
          .init(unitId: id, name: "New", expectedRevision: revision),
          options: call
        )
      }
    }
  }

  /// A change, and the objects whose lists it changes.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let changes: Set<Object>
    let make: @Sendable (Building, _ other: String, TenancyStage) async throws -> Void

    init(
      _ name: String,
      _ changes: Set<Object>,
      _ make: @escaping @Sendable (Building, _ other: String, TenancyStage) async throws -> Void
    ) {
      (testDescription, self.changes, self.make) = (name, changes, make)
    }
  }

  private static func role(_ role: String, _ user: String, on id: String) -> Tenancy_V1.NewRole {
    .init(entityId: id, role: role, userId: user)
  }

  private static func roles(_ stage: TenancyStage) -> Tenancy_V1.RolesClient {
    .init(stage.channel)
  }

  private static func entities(_ stage: TenancyStage) -> Tenancy_V1.EntitiesClient {
    .init(stage.channel)
  }

  static let changes: [Change] = [
    Change("an administrator is added", [.portfolio]) { home, _, stage in
      _ = try await stage.portfolios.addAdmin(
        .init(portfolioId: home.portfolio, userId: "usr_new"),
        options: .by(home.owner)
      )
    },
    Change("an administrator is removed", [.portfolio]) { home, _, stage in
      _ = try await stage.portfolios.removeAdmin(
        .init(portfolioId: home.portfolio, userId: home.admin),
        options: .by(home.owner)
      )
    },
    Change("another owner is added", [.portfolio]) { home, _, stage in
      _ = try await roles(stage).grant(
        .init(role: role("owner", "usr_new", on: home.portfolio)),
        options: .by(home.owner)
      )
    },
    Change("administrators are replaced", [.portfolio]) { home, _, stage in
      _ = try await stage.portfolios.update(
        .init(portfolioId: home.portfolio, administratorUserIds: ["usr_new"]),
        options: .by(home.owner)
      )
    },
    Change("a manager is added", [.property]) { home, _, stage in
      _ = try await stage.properties.addManager(
        .init(propertyId: home.property, userId: "usr_new"),
        options: .by(home.owner)
      )
    },
    Change("managers are replaced", [.property]) { home, _, stage in
      _ = try await stage.properties.update(
        .init(propertyId: home.property, managerUserIds: ["usr_new"]),
        options: .by(home.owner)
      )
    },
    Change("a manager is removed by the generic call", [.property]) { home, _, stage in
      _ = try await roles(stage).revoke(
        .init(entityId: home.property, role: "property_manager", userId: home.manager),
        options: .by(home.owner)
      )
    },
    Change("tenants of two units are added in one batch", [.unit, .other]) { home, other, stage in
      _ = try await roles(stage).batchGrant(
        .init(roles: [
          role("tenant", "usr_new", on: home.unit), role("tenant", "usr_new", on: other),
        ]),
        options: .by(home.owner)
      )
    },
    Change("a tenancy ends", [.unit]) { home, _, stage in
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.owner)
      )
    },
    Change("the window of a tenancy changes", [.unit]) { home, _, stage in
      _ = try await stage.units.addTenant(
        .init(
          unitId: home.unit,
          userId: home.tenant,
          validFrom: .init(milliseconds: TenancyStage.start + 3_600_000),
          replaceWindow: true
        ),
        options: .by(home.owner)
      )
    },
    Change("the account of a tenant is erased", [.unit]) { home, _, stage in
      _ = try await Tenancy_V1.ErasureClient(stage.channel).eraseUser(
        .init(userId: home.tenant, pseudonym: "del_tenant"),
        options: .byService("auth")
      )
    },
    Change("tenants are replaced", [.unit]) { home, _, stage in
      _ = try await stage.units.update(
        .init(unitId: home.unit, tenantUserIds: ["usr_new"]),
        options: .by(home.owner)
      )
    },
    Change("a device is assigned out of the property", [.unit]) { home, _, stage in
      _ = try await stage.units.assignDevice(
        .init(unitId: home.unit, deviceId: home.cellar),
        options: .by(home.owner)
      )
    },
    Change("a device is taken out of another unit", [.unit, .other]) { home, other, stage in
      _ = try await stage.units.assignDevice(
        .init(unitId: other, deviceId: home.door, take: true),
        options: .by(home.owner)
      )
    },
    Change("a device is moved by the generic call", [.unit, .other]) { home, other, stage in
      _ = try await entities(stage).move(
        .init(entityId: home.door, parentId: other),
        options: .by(home.owner)
      )
    },
    Change("a device leaves its unit", [.unit]) { home, _, stage in
      _ = try await stage.units.unassignDevice(
        .init(unitId: home.unit, deviceId: home.door),
        options: .by(home.owner)
      )
    },
    Change("devices are replaced", [.unit]) { home, _, stage in
      _ = try await stage.units.update(
        .init(unitId: home.unit, deviceIds: [home.cellar]),
        options: .by(home.owner)
      )
    },
    Change("a device is registered in a unit", [.unit]) { home, _, stage in
      _ = try await stage.devices.register(
        .init(propertyId: home.property, unitId: home.unit, name: "New", type: "light"),
        options: .by(home.owner)
      )
    },
    Change("a device is created by the generic call", [.other]) { home, other, stage in
      _ = try await entities(stage).create(
        .init(entity: .init(type: "device", parentId: other, name: "New")),
        options: .by(home.owner)
      )
    },
    Change("a device is deleted", [.unit]) { home, _, stage in
      _ = try await stage.devices.delete(.init(deviceId: home.door), options: .by(home.owner))
    },
    Change("common areas are replaced", [.unit]) { home, _, stage in
      _ = try await stage.units.update(
        .init(unitId: home.unit, commonAreaDevices: .init(deviceIds: [home.gate, home.cellar])),
        options: .by(home.owner)
      )
    },
    Change("a common area is assigned to another unit", [.unit, .other]) { home, other, stage in
      _ = try await stage.units.assignDevice(
        .init(unitId: other, deviceId: home.gate),
        options: .by(home.owner)
      )
    },
    Change("a common area is deleted", [.unit]) { home, _, stage in
      _ = try await stage.devices.delete(.init(deviceId: home.gate), options: .by(home.owner))
    },
  ]

  @Test("Each change of a list moves revision and time of what shows it, and of nothing else")
  func lists_changed_moveTheirObjects() async throws {
    try await TenancyStage.run { stage in
      for (index, change) in Self.changes.enumerated() {
        let home = try await Building(stage, name: "home\(index)")
        let other = try await stage.units.create(
          .init(propertyId: home.property, name: "Other"),
          options: .by(home.manager)
        ).id
        var before: [Object: Shown] = [:]
        for object in Object.allCases { before[object] = try await object.get(home, other, stage) }
        stage.clock.advance(1)
        try await change.make(home, other, stage)
        for object in Object.allCases {
          let (old, new) = (before[object], try await object.get(home, other, stage))
          guard change.changes.contains(object) else {
            #expect(new == old, "\(object) though \(change.testDescription)")
            continue
          }
          let what = "\(object) when \(change.testDescription)"
          #expect(new.list != old?.list, "\(what)")
          #expect(new.revision != old?.revision, "\(what)")
          #expect(new.updated == .init(milliseconds: stage.clock.now), "\(what)")
          let stale = try await refusal {
            try await object.rename(home, other, expecting: old?.revision ?? "", stage)
          }
          #expect(stale == Refusal(.aborted, "REVISION_MISMATCH"), "\(what)")
          let fresh = try await refusal {
            try await object.rename(home, other, expecting: new.revision, stage)
          }
          #expect(fresh == nil, "\(what)")
        }
      }
    }
  }

  @Test("Of two who replace a list with what they saw, the second one is refused")
  func lists_replacedTwice_areKept() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let seen = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      let first = try await stage.units.update(
        .init(
          unitId: home.unit,
          expectedRevision: seen.revision,
          tenantUserIds: seen.tenantUserIds + ["usr_ada"]
        ),
        options: .by(home.manager)
      )
      // The answer shows the revision that the change has made.
      let now = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(now == first)
      #expect(now.revision != seen.revision)
      let second = try await refusal {
        try await stage.units.update(
          .init(
            unitId: home.unit,
            expectedRevision: seen.revision,
            tenantUserIds: seen.tenantUserIds + ["usr_bob"]
          ),
          options: .by(home.manager)
        )
      }
      #expect(second == Refusal(.aborted, "REVISION_MISMATCH"))
      let kept = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(kept == first)
    }
  }

  @Test("What is created or changed with lists is answered as it is read afterwards")
  func answers_haveTheRevisionOfTheirLists() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      let portfolio = try await stage.portfolios.create(
        .init(name: "Two", administratorUserIds: ["usr_ada"]),
        options: owner
      )
      #expect(
        try await stage.portfolios.get(.init(portfolioId: portfolio.id), options: owner)
          == portfolio
      )
      let property = try await stage.properties.create(
        .init(portfolioId: home.portfolio, name: "Two", managerUserIds: ["usr_ada"]),
        options: owner
      )
      #expect(
        try await stage.properties.get(.init(propertyId: property.id), options: owner) == property
      )
      let unit = try await stage.units.create(
        .init(
          propertyId: home.property,
          name: "Two",
          tenantUserIds: ["usr_ada"],
          deviceIds: [home.cellar],
          commonAreaDeviceIds: [home.gate]
        ),
        options: owner
      )
      #expect(try await stage.units.get(.init(unitId: unit.id), options: owner) == unit)
      let root = try await Self.entities(stage).create(
        .init(entity: .init(type: "portfolio", name: "Three")),
        options: owner
      )
      #expect(try await Self.entities(stage).get(.init(entityId: root.id), options: owner) == root)
      let devices = try await stage.units.update(
        .init(unitId: unit.id, name: "Three", deviceIds: []),
        options: owner
      )
      #expect(try await stage.units.get(.init(unitId: unit.id), options: owner) == devices)
    }
  }

  @Test("A list that stays as it is moves nothing, nor does a pass that its device does not show")
  func lists_unchanged_moveNothing() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let owner = CallOptions.by(home.owner)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: owner)
      let door = try await stage.devices.get(.init(deviceId: home.door), options: owner)
      stage.clock.advance(1)
      var same = try await stage.units.update(
        .init(
          unitId: home.unit,
          commonAreaDevices: .init(deviceIds: unit.commonAreaDeviceIds),
          tenantUserIds: unit.tenantUserIds,
          deviceIds: unit.deviceIds
        ),
        options: owner
      )
      // Names are no part of the unit, and come when AuthService has told them.
      same.tenants = unit.tenants
      #expect(same == unit)
      _ = try await stage.units.addTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: owner
      )
      _ = try await stage.guests.revoke(.init(passId: home.pass), options: owner)
      var after = try await stage.units.get(.init(unitId: home.unit), options: owner)
      after.tenants = unit.tenants
      #expect(after == unit)
      #expect(try await stage.devices.get(.init(deviceId: home.door), options: owner) == door)
    }
  }

  @Test("Of many who replace the list that they all saw, one succeeds")
  func lists_replacedByMany_changeOnce() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let seen = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      let outcomes = try await withThrowingTaskGroup(of: Refusal?.self) { group in
        for index in 0..<32 {
          group.addTask {
            try await refusal {
              try await stage.units.update(
                .init(
                  unitId: home.unit,
                  expectedRevision: seen.revision,
                  tenantUserIds: ["usr_\(index)"]
                ),
                options: .by(home.manager)
              )
            }
          }
        }
        return try await group.reduce(into: [Refusal?]()) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == nil } == 1)
      #expect(outcomes.count { $0 == Refusal(.aborted, "REVISION_MISMATCH") } == 31)
      let unit = try await stage.units.get(.init(unitId: home.unit), options: .by(home.manager))
      #expect(unit.tenantUserIds.count == 1)
    }
  }
}
