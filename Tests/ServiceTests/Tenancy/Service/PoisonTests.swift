import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import TenancyService

@Suite("Rows that no program of ours wrote")
struct PoisonTests {
  /// Changes the store of `folder` behind the service's back.
  private func poison(
    _ folder: TestFolder,
    _ statements: [(String, [SQLValue])]
  ) async throws {
    let database = try await Database.open(
      DatabaseConfiguration(
        path: folder.path("store"),
        applicationID: TenancySchema.applicationID
      ),
      migrations: TenancySchema.migrations
    )
    try await database.write { tx in
      for (sql, values) in statements {
        let count = try tx.rowsChanged(by: sql, values: values)
        #expect(count > 0, "\(sql)")
      }
    }
    await database.close()
  }

  private func unlock(
    _ stage: TenancyStage,
    _ user: String,
    _ device: String
  ) async throws
    -> Refusal?
  {
    try await refusal {
      try await stage.devices.operate(
        .init(deviceId: device, operation: "unlock"),
        options: .by(user)
      )
    }
  }

  @Test("A role, a link and attributes that mean nothing give nothing, and all else goes on")
  func store_withUnknownWords_failsClosedForThem() async throws {
    let folder = try TestFolder()
    var built: Building?
    try await TenancyStage.run(in: folder) { built = try await Building($0, name: "home") }
    let home = try #require(built)
    try await poison(
      folder,
      [
        ("UPDATE association SET role = 'emperor' WHERE user_id = ?", [.text(home.tenant)]),
        ("UPDATE entity_link SET link = 'tunnel'", []),
        ("UPDATE entity SET attributes = '{\"online\":' WHERE id = ?", [.text(home.door)]),
        ("UPDATE entity SET attributes = '[1]' WHERE id = ?", [.text(home.cellar)]),
      ]
    )
    try await TenancyStage.run(in: folder) { stage in
      #expect(try await unlock(stage, home.tenant, home.door) == Refusal(.notFound, "NOT_FOUND"))
      #expect(try await unlock(stage, home.tenant, home.gate) == Refusal(.notFound, "NOT_FOUND"))
      // Whether it is online is not known any more, so it is not operated, but it can be looked at.
      #expect(try await unlock(stage, home.owner, home.door)?.code == .failedPrecondition)
      #expect(try await unlock(stage, home.owner, home.gate) == nil)
      let devices = try await stage.devices.list(.init(), options: .by(home.owner)).devices
      #expect(devices.count == 3)
      // To set what is missing mends it, except for its kind, which nobody can change.
      _ = try await stage.devices.update(
        .init(
          deviceId: home.door,
          attributes: .init(fields: [
            "online": .init(kind: .boolValue(true)),
            "remote_operation_enabled": .init(kind: .boolValue(true)),
          ])
        ),
        options: .by(home.manager)
      )
      let refused = try await unlock(stage, home.owner, home.door)
      #expect(refused == Refusal(.failedPrecondition, "OPERATION_NOT_SUPPORTED"))
    }
  }

  @Test("A device that an older version left under the system is found and given a home again")
  func store_withDeviceUnderTheSystem_canBeMended() async throws {
    let folder = try TestFolder()
    var built: Building?
    try await TenancyStage.run(in: folder) { built = try await Building($0, name: "home") }
    let home = try #require(built)
    try await poison(
      folder,
      [
        (
          "UPDATE entity SET parent_id = 'sys_root', root_id = id WHERE id IN (?, ?)",
          [.text(home.cellar), .text(home.gate)]
        )
      ]
    )
    try await TenancyStage.run(in: folder) { stage in
      let superAdmin = CallOptions.by("usr_super")
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      func stranded(_ options: CallOptions) async throws -> [String] {
        try await stage.entities.list(
          .init(type: "device", parentId: "sys_root"),
          options: options
        ).entities.map(\.id)
      }
      #expect(Set(try await stranded(superAdmin)) == [home.cellar, home.gate])
      #expect(try await stranded(.by(home.owner)) == [])
      #expect(try await unlock(stage, home.owner, home.cellar) == Refusal(.notFound, "NOT_FOUND"))
      for (device, parent) in [(home.cellar, home.property), (home.gate, home.unit)] {
        let moved = try await stage.entities.move(
          .init(entityId: device, parentId: parent),
          options: superAdmin
        )
        #expect(moved.parentId == parent)
        #expect(try await unlock(stage, home.owner, device) == nil)
      }
      #expect(try await stranded(superAdmin) == [])
      // They belong to the portfolio again, and go with it.
      let gone = try await stage.portfolios.delete(
        .init(portfolioId: home.portfolio, cascade: true),
        options: .by(home.owner)
      )
      #expect(gone.deleted.first { $0.type == "device" }?.count == 3)
    }
  }

  @Test("A name of ten megabytes spoils the answers that it is in, and no others")
  func store_withAHugeName_answersTheRest() async throws {
    let folder = try TestFolder()
    var built: Building?
    try await TenancyStage.run(in: folder) { built = try await Building($0, name: "home") }
    let home = try #require(built)
    let name = String(repeating: "x", count: 10 << 20)
    try await poison(
      folder,
      [("UPDATE entity SET name = ? WHERE id = ?", [.text(name), .text(home.cellar)])]
    )
    try await TenancyStage.run(in: folder) { stage in
      let owner = CallOptions.by(home.owner)
      for _ in 0..<3 {
        let get = try await refusal {
          try await stage.devices.get(.init(deviceId: home.cellar), options: owner)
        }
        #expect(get != nil)
        #expect(try await unlock(stage, home.owner, home.gate) == nil)
        #expect(
          try await stage.devices.get(.init(deviceId: home.gate), options: owner).id == home.gate
        )
      }
      // Its permissions do not hang on its name, and it can be given another.
      let decision = try await stage.permissions.check(
        .init(action: "device.unlock", entityId: home.cellar),
        options: owner
      )
      #expect(decision.allowed)
      _ = try await stage.devices.update(
        .init(deviceId: home.cellar, name: "Cellar"),
        options: owner
      )
      #expect(try await stage.devices.list(.init(), options: owner).devices.count == 3)
    }
  }

  @Test(
    "What we never write and cannot go on with spoils what rests on its tree, and no other tree",
    arguments: [
      ("UPDATE association SET valid_until = 'soon'", "valid_until holds text"),
      ("UPDATE association SET valid_from = x'00'", "valid_from holds bytes"),
      ("UPDATE association SET role = x'74656e616e74'", "role holds bytes"),
      ("UPDATE entity SET name = x'ff00' WHERE type = 'device'", "name holds bytes"),
      ("UPDATE entity SET attributes = x'7b7d' WHERE type = 'unit'", "attributes holds bytes"),
      ("UPDATE entity SET revision = 'many' WHERE type = 'unit'", "revision holds text"),
      ("UPDATE entity SET parent_id = NULL WHERE type = 'device'", "has no parent"),
      ("UPDATE entity SET parent_id = id WHERE type = 'property'", "below itself"),
    ]
    // A server refuses values of another type than the column's.
    .filter { !TestServer.isUsed || !$0.1.contains(" holds ") }
  )
  func store_withWhatCannotBe_answersOtherTrees(statement: String, words: String) async throws {
    let folder = try TestFolder()
    var built: Building?
    try await TenancyStage.run(in: folder) { built = try await Building($0, name: "home") }
    let home = try #require(built)
    try await poison(folder, [(statement, [])])
    try await TenancyStage.run(in: folder) { stage in
      let damage = await #expect(throws: StoreError.self) {
        let policy = stage.service.engine.policy
        _ = try await stage.service.database.read { tx in
          try TreeReader.read(home.portfolio, policy, in: tx)
        }
      }
      #expect(damage?.description.contains(words) == true, "\(damage?.description ?? "")")
      let refused = await #expect(throws: RPCError.self) {
        try await stage.permissions.check(
          .init(action: "property.view", entityId: home.property),
          options: .by(home.owner)
        )
      }
      #expect(refused?.code == .internal)
      let other = try await Building(stage, name: "other")
      let decision = try await stage.permissions.check(
        .init(action: "property.view", entityId: other.property),
        options: .by(other.owner)
      )
      #expect(decision.allowed)
    }
  }
}
