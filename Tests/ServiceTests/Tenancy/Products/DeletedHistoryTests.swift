import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

/// What was done with a device can be read for a while after it was deleted, and then it is gone.
@Suite("Histories of deleted devices")
struct DeletedHistoryTests {
  private static let notFound = Refusal(.notFound, "NOT_FOUND")

  /// A building whose door and cellar were opened once each.
  private func used(_ stage: TenancyStage, name: String) async throws -> Building {
    let home = try await Building(stage, name: name)
    for device in [home.door, home.cellar] {
      _ = try await stage.devices.operate(
        .init(deviceId: device, operation: "unlock"),
        options: .by(home.manager)
      )
    }
    return home
  }

  private func history(
    _ device: String,
    by user: String,
    _ stage: TenancyStage
  ) async throws -> [String] {
    try await stage.devices.listHistory(.init(deviceId: device), options: .by(user)).records
      .map(\.operation)
  }

  private func rowCounts(_ stage: TenancyStage) async throws -> [Int64] {
    try await stage.service.database.read { tx in
      try ["tombstone", "access_record"].map { table in
        try tx.first("SELECT count(*) FROM \(table)") { $0.integer(0) } ?? -1
      }
    }
  }

  @Test(
    "Whoever may see the history of what the device was in can read it; nobody else learns of it"
  )
  func device_deleted_leavesHistory() async throws {
    try await TenancyStage.run { stage in
      let home = try await used(stage, name: "home")
      let other = try await Building(stage, name: "other")
      for device in [home.door, home.cellar] {
        _ = try await stage.devices.delete(.init(deviceId: device), options: .by(home.manager))
      }
      for user in [home.owner, home.admin, home.manager, home.tenant] {
        #expect(try await history(home.door, by: user, stage) == ["unlock"], "\(user)")
      }
      // The cellar was never the tenant's.
      #expect(try await history(home.cellar, by: home.manager, stage) == ["unlock"])
      for user in [home.tenant, home.guest, other.owner, "usr_stranger"] {
        #expect(
          try await refusal { try await history(home.cellar, by: user, stage) } == Self.notFound,
          "\(user)"
        )
      }
      // A tombstone of something else is none of a device.
      #expect(
        try await refusal { try await history(home.unit, by: home.owner, stage) } == Self.notFound
      )
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      _ = try await stage.subjects.suspend(
        .init(userId: home.manager),
        options: .by("usr_super")
      )
      #expect(
        try await refusal { try await history(home.door, by: home.manager, stage) }
          == Refusal(.permissionDenied, "SUBJECT_SUSPENDED")
      )
    }
  }

  @Test("After a cascade the next thing above that is still there counts, and without any nobody's")
  func cascade_leavesHistory() async throws {
    try await TenancyStage.run { stage in
      let home = try await used(stage, name: "home")
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      _ = try await stage.properties.delete(
        .init(propertyId: home.property, cascade: true),
        options: .by(home.owner)
      )
      for user in [home.owner, home.admin, "usr_super"] {
        #expect(try await history(home.door, by: user, stage) == ["unlock"], "\(user)")
      }
      for user in [home.manager, home.tenant] {
        #expect(
          try await refusal { try await history(home.door, by: user, stage) } == Self.notFound
        )
      }
      _ = try await stage.portfolios.delete(
        .init(portfolioId: home.portfolio),
        options: .by(home.owner)
      )
      for user in [home.owner, "usr_super"] {
        #expect(
          try await refusal { try await history(home.door, by: user, stage) } == Self.notFound
        )
      }
    }
  }

  @Test("After 90 days nothing is left of it, and what is there keeps its history")
  func purge_removesWhatIsOld() async throws {
    try await TenancyStage.run { stage in
      let home = try await used(stage, name: "home")
      _ = try await stage.devices.delete(.init(deviceId: home.door), options: .by(home.manager))
      let deletedAt = stage.clock.now
      try await stage.service.purge(now: deletedAt + TombstoneTable.lifetime)
      #expect(try await history(home.door, by: home.manager, stage) == ["unlock"])
      // Nobody has carried out what was asked of the one that is there, which its history says as well.
      #expect(try await rowCounts(stage) == [1, 3])
      try await stage.service.purge(now: deletedAt + TombstoneTable.lifetime + 1)
      #expect(try await rowCounts(stage) == [0, 2])
      #expect(
        try await refusal { try await history(home.door, by: home.manager, stage) }
          == Self.notFound
      )
      #expect(try await history(home.cellar, by: home.manager, stage) == ["unlock", "unlock"])
    }
  }

  @Test("A long history goes in portions, and its tombstone last")
  func purge_ofLongHistory_goesInPortions() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      let count = Database.purgeCountMax + 1
      try await stage.service.database.write { tx in
        for number in 0..<count {
          let record = AccessRecord(
            id: "acr_\(number)",
            deviceID: home.door,
            userID: home.tenant,
            operation: "unlock",
            succeeded: true,
            reason: "ALLOWED",
            role: "tenant",
            recordedAt: tx.now
          )
          try AccessTable.insert(record, in: tx)
        }
      }
      _ = try await stage.devices.delete(.init(deviceId: home.door), options: .by(home.manager))
      let (database, later) = (stage.service.database, stage.clock.now + 1)
      #expect(try await database.purgeTombstones(before: later) == Database.purgeCountMax)
      #expect(try await rowCounts(stage) == [1, 1])
      #expect(try await database.purgeTombstones(before: later) == 2)
      #expect(try await rowCounts(stage) == [0, 0])
      #expect(try await database.purgeTombstones(before: later) == 0)
    }
  }

  @Test(
    "What a store of before deleted is found by its root",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_fromThirdVersion() async throws {
    let folder = try TestFolder()
    let old = try await Database.open(
      DatabaseConfiguration(path: folder.path("store"), applicationID: TenancySchema.applicationID),
      migrations: Array(TenancySchema.migrations.prefix(3))
    )
    try await old.write { tx in
      try tx.execute(
        """
        INSERT INTO entity VALUES
          ('prt_old', 'portfolio', 'sys_root', 'prt_old', 'Old', '{}', '', 1, 0, 0)
        """
      )
      try tx.execute(
        """
        INSERT INTO association VALUES
          ('asc_old', 'usr_old', 'prt_old', 'owner', NULL, NULL, '', 0, 2)
        """
      )
      try tx.execute("INSERT INTO tombstone VALUES ('dev_old', 'device', 'prt_old', 3)")
      try tx.execute(
        """
        INSERT INTO access_record
        VALUES ('acr_old', 'dev_old', 'usr_a', 'unlock', 1, 'ALLOWED', 'tenant', 2, 0)
        """
      )
    }
    await old.close()
    try await TenancyStage.run(in: folder) { stage in
      let operations = try await history("dev_old", by: "usr_old", stage)
      #expect(operations == ["unlock"])
    }
  }
}
