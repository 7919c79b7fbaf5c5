import PeerContracts
import TenancyContracts
import PackedTables
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import AccessEngine
@testable import TenancyService

@Suite("The product's scenarios, over the wire")
struct ScenarioTests {
  @Test("Owner, manager, tenant and guest do what they may and are refused the rest with a reason")
  func roles_doTheirWork() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      // Everyone sees what is theirs, and only that.
      for (user, portfolios, properties, units, devices) in [
        (home.owner, 1, 1, 1, 3), (home.admin, 1, 1, 1, 3), (home.manager, 0, 1, 1, 3),
        (home.tenant, 0, 0, 1, 2), (home.guest, 0, 0, 0, 1), ("usr_stranger", 0, 0, 0, 0),
      ] {
        let options = CallOptions.by(user)
        let found = [
          try await stage.portfolios.list(.init(), options: options).portfolios.count,
          try await stage.properties.list(.init(), options: options).properties.count,
          try await stage.units.list(.init(), options: options).units.count,
          try await stage.devices.list(.init(), options: options).devices.count,
        ]
        #expect(found == [portfolios, properties, units, devices], "\(user)")
      }
      let unlock = { (user: String, device: String) in
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: device, operation: "unlock"),
            options: .by(user)
          )
        }
      }
      for user in [home.owner, home.admin, home.manager, home.tenant, home.guest] {
        #expect(try await unlock(user, home.door) == nil, "\(user)")
      }
      #expect(try await unlock(home.tenant, home.gate) == nil)
      #expect(try await unlock(home.tenant, home.cellar) == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await unlock("usr_stranger", home.door) == Refusal(.notFound, "NOT_FOUND"))
      let refused1 = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "change_settings"),
          options: .by(home.tenant)
        )
      }
      #expect(refused1 == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
    }
  }

  @Test("A guest gets in from the first instant of the window until just before its last")
  func guest_windowEdges_areExact() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let pass = try await stage.guests.grant(
        .init(
          userId: "usr_visitor",
          deviceIds: [home.door],
          validFrom: .init(milliseconds: TenancyStage.start + 1000),
          validUntil: .init(milliseconds: TenancyStage.start + 2000)
        ),
        options: .by(home.tenant)
      )
      #expect(pass.passes.count == 1)
      let unlock = {
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: "unlock"),
            options: .by("usr_visitor")
          )
        }
      }
      stage.clock.advance(999)
      #expect(try await unlock() == Refusal(.permissionDenied, "NOT_YET_VALID"))
      let early = try await stage.permissions.check(
        .init(subjectId: "usr_visitor", action: "device.unlock", entityId: home.door),
        options: .byService("entitlement")
      )
      #expect(early.reason == .notYetValid)
      #expect(early.validUntil?.milliseconds == TenancyStage.start + 1000)
      stage.clock.advance(1)
      #expect(try await unlock() == nil)
      stage.clock.advance(999)
      #expect(try await unlock() == nil)
      stage.clock.advance(1)
      #expect(try await unlock() == Refusal(.permissionDenied, "EXPIRED"))
      // All four attempts are in the history, newest first, with who, what and why.
      let history = try await stage.devices.listHistory(
        .init(deviceId: home.door),
        options: .by(home.manager)
      )
      #expect(history.records.map(\.reason) == ["EXPIRED", "ALLOWED", "ALLOWED", "NOT_YET_VALID"])
      #expect(history.records.map(\.succeeded) == [false, true, true, false])
      #expect(history.records.allSatisfy { $0.userId == "usr_visitor" })
    }
  }

  @Test("A device that is offline or not to be operated from afar says so, and its record too")
  func operate_unfitDevice_isFailedPrecondition() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let set = { (name: String, value: Bool) in
        try await home.set(name, value, stage)
      }
      let lock = {
        try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: "lock"),
            options: .by(home.tenant)
          )
        }
      }
      try await set("remote_operation_enabled", false)
      #expect(try await lock() == Refusal(.failedPrecondition, "REMOTE_OPERATION_DISABLED"))
      try await set("online", false)
      #expect(try await lock() == Refusal(.failedPrecondition, "DEVICE_OFFLINE"))
      try await set("online", true)
      try await set("remote_operation_enabled", true)
      #expect(try await lock() == nil)
      let device = try await stage.devices.get(
        .init(deviceId: home.door),
        options: .by(home.tenant)
      )
      #expect(device.desiredState == "locked")
    }
  }

  @Test("Settings are changed under the same conditions as the device is operated")
  func changeSettings_unfitDevice_isFailedPrecondition() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let attributes = { (name: String, value: Bool) in
        var attribute = Google_Protobuf.Value()
        attribute.kind = .boolValue(value)
        return Google_Protobuf.Struct(fields: [name: attribute])
      }
      let change = {
        try await refusal {
          try await stage.devices.operate(
            .init(
              deviceId: home.door,
              operation: "change_settings",
              parameters: attributes("remote_operation_enabled", true)
            ),
            options: .by(home.manager)
          )
        }
      }
      for (name, reason) in [
        ("remote_operation_enabled", "REMOTE_OPERATION_DISABLED"), ("online", "DEVICE_OFFLINE"),
      ] {
        for value in [false, true] {
          try await home.set(name, value, stage)
          let expected = value ? nil : Refusal(.failedPrecondition, reason)
          #expect(try await change() == expected, "\(name) \(value)")
        }
      }
    }
  }

  @Test("Of two owners who remove each other at the same time, one stays")
  func removeAdmin_concurrently_keepsOneOwner() async throws {
    try await TenancyStage.run { stage in
      for round in 0..<20 {
        let (first, second) = ("usr_first\(round)", "usr_second\(round)")
        let id = try await stage.portfolios.create(.init(name: "p"), options: .by(first)).id
        _ = try await stage.portfolios.addAdmin(
          .init(portfolioId: id, userId: second, role: "owner"),
          options: .by(first)
        )
        async let one = refusal {
          try await stage.portfolios.removeAdmin(
            .init(portfolioId: id, userId: second, role: "owner"),
            options: .by(first)
          )
        }
        async let other = refusal {
          try await stage.portfolios.removeAdmin(
            .init(portfolioId: id, userId: first, role: "owner"),
            options: .by(second)
          )
        }
        let refusals = try await [one, other]
        #expect(refusals.count { $0 == nil } == 1, "\(refusals)")
        #expect(try await stage.service.owners(of: id).count == 1)
      }
      let id = try await stage.portfolios.create(.init(name: "p"), options: .by("usr_one")).id
      let refused2 = try await refusal {
        try await stage.portfolios.removeAdmin(
          .init(portfolioId: id, userId: "usr_one"),
          options: .by("usr_one")
        )
      }
      #expect(refused2 == Refusal(.failedPrecondition, "LAST_OWNER"))
    }
  }

  @Test("What has something in it is only deleted with it; a dry run says what would go")
  func delete_withDependents_needsCascade() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let delete = { (cascade: Bool, devices: Bool, dryRun: Bool) in
        try await stage.properties.delete(
          .init(
            propertyId: home.property,
            cascade: cascade,
            deleteDevices: devices,
            dryRun: dryRun
          ),
          options: .by(home.owner)
        )
      }
      let dependents = try await refusal { try await delete(false, false, false) }
      #expect(dependents == Refusal(.failedPrecondition, "HAS_DEPENDENTS"))
      let dry = try await delete(true, false, true)
      #expect(
        dry.deleted.map { "\($0.count) \($0.type)" } == [
          "2 association", "3 device", "1 guest_pass", "1 property", "1 unit",
        ]
      )
      #expect(dry.unassignedDevices == 0 && dry.devicesMovedTo.isEmpty)
      let done = try await delete(true, false, false)
      #expect(done.deleted == dry.deleted)
      #expect(done.unassignedDevices == 0)
      // Devices go with the tree that they were in.
      #expect(try await stage.service.entityCount == 1)
      for user in [home.owner, home.manager, home.tenant, home.guest] {
        #expect(
          try await refusal {
            try await stage.devices.get(.init(deviceId: home.door), options: .by(user))
          } == Refusal(.notFound, "NOT_FOUND")
        )
      }
      #expect(try await stage.orphanCount() == 0)
      _ = try await stage.portfolios.delete(
        .init(portfolioId: home.portfolio),
        options: .by(home.owner)
      )
      #expect(try await stage.service.entityCount == 0)
      #expect(try await stage.orphanCount() == 0)
    }
  }

  @Test("A request that is sent again gets the same answer, and another one under its key none")
  func idempotencyKey_repeats() async throws {
    try await TenancyStage.run { stage in
      let request = Tenancy_V1.CreatePortfolioRequest(name: "once", idempotencyKey: "k1")
      let first = try await stage.portfolios.create(request, options: .by("usr_a"))
      let second = try await stage.portfolios.create(request, options: .by("usr_a"))
      #expect(first == second)
      let other = Tenancy_V1.CreatePortfolioRequest(name: "twice", idempotencyKey: "k1")
      let reused = try await refusal {
        try await stage.portfolios.create(other, options: .by("usr_a"))
      }
      #expect(reused == Refusal(.alreadyExists, "IDEMPOTENCY_KEY_REUSED"))
      // The key of one caller is nothing to another.
      let foreign = try await stage.portfolios.create(other, options: .by("usr_b"))
      #expect(foreign.id != first.id)
      // Deleting twice under a key answers twice, though the right went with the portfolio.
      let delete = Tenancy_V1.DeletePortfolioRequest(portfolioId: first.id, idempotencyKey: "k2")
      let gone = try await stage.portfolios.delete(delete, options: .by("usr_a"))
      let again = try await stage.portfolios.delete(delete, options: .by("usr_a"))
      #expect(again == gone)
    }
  }

  @Test("Users who do not exist cannot get roles, and without AuthService nobody gets any")
  func users_areValidated() async throws {
    try await TenancyStage.run { stage in
      let unknown = try await refusal {
        try await stage.portfolios.create(
          .init(name: "p", administratorUserIds: ["usr_missing"]),
          options: .by("usr_a")
        )
      }
      #expect(unknown == Refusal(.invalidArgument, "USER_UNKNOWN"))
    }
    try await TenancyStage.run(usersAreDown: true) { stage in
      let id = try await stage.portfolios.create(.init(name: "p"), options: .by("usr_a")).id
      let refused4 = try await refusal {
        try await stage.portfolios.addAdmin(
          .init(portfolioId: id, userId: "usr_b"),
          options: .by("usr_a")
        )
      }
      #expect(refused4 == Refusal(.unavailable, "AUTH_UNAVAILABLE"))
    }
  }

  @Test("What was written is there after a restart, and tokens from before it still count")
  func restart_keepsEverything() async throws {
    let folder = try TestFolder()
    var revision = ""
    var id = ""
    try await TenancyStage.run(in: folder) { stage in
      let home = try await Building(stage, name: "home")
      id = home.door
      revision = try await stage.devices.get(.init(deviceId: id), options: .by(home.owner)).revision
    }
    let (door, token) = (id, revision)
    try await TenancyStage.run(in: folder) { stage in
      let device = try await stage.devices.get(
        .init(deviceId: door, atLeastRevision: token),
        options: .by("usr_home_tenant")
      )
      #expect(device.revision == token)
      #expect(try await stage.service.entityCount == 6)
    }
  }
}

extension TenancyService {
  /// Has all trees in memory from here on.
  func loadTrees() async throws {
    _ = try await core.loader.load([.everything])
  }

  /// Entities in memory, once all trees are there.
  var entityCount: Int {
    get async throws {
      try await loadTrees()
      return engine.peek { $0.entityCount }
    }
  }

  /// Owners of a portfolio, as decisions see them.
  func owners(of portfolio: String) async throws -> [String] {
    try await loadTrees()
    return engine.peek { forest in
      guard let entity = forest.entity(portfolio) else { return [] }
      return forest.associationRows(entity: entity).compactMap { number in
        let row = forest.associations.rows[Int(number)]
        return forest.policy[row.role].name == "owner" ? forest.subjects.text(row.subject) : nil
      }
    }
  }
}

extension TenancyStage {
  /// Rows that refer to something that is not there.
  func orphanCount() async throws -> Int64 {
    try await service.database.read { tx in
      try tx.first(
        """
        SELECT (SELECT count(*) FROM entity e WHERE e.parent_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM entity p WHERE p.id = e.parent_id))
          + (SELECT count(*) FROM association a
            WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = a.entity_id))
          + (SELECT count(*) FROM entity_link l
            WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = l.from_id)
              OR NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = l.to_id))
        """
      ) { $0.integer(0) } ?? -1
    }
  }
}
