import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("A device's history when strangers try the device")
struct StrangersInHistoryTests {
  private func unlock(_ home: Building, by user: String, _ stage: TenancyStage) async throws {
    _ = try await refusal {
      try await stage.devices.operate(
        .init(deviceId: home.door, operation: "unlock"),
        options: .by(user)
      )
    }
  }

  private func history(
    _ home: Building,
    _ stage: TenancyStage
  ) async throws
    -> [Tenancy_V1.AccessRecord]
  {
    try await stage.devices.listHistory(
      .init(deviceId: home.door, pageSize: 1000),
      options: .by(home.manager)
    ).records
  }

  @Test("Of each stranger the newest ten attempts stay, of all together the newest hundred")
  func strangers_manyAttempts_areBounded() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      try await unlock(home, by: home.tenant, stage)
      for _ in 0..<25 {
        stage.clock.advance(1)
        try await unlock(home, by: "usr_stranger", stage)
      }
      let ofOne = try await history(home, stage).filter { $0.userId == "usr_stranger" }
      let start = TenancyStage.start
      #expect(ofOne.map { $0.time?.milliseconds } == (16...25).reversed().map { start + $0 })
      #expect(ofOne.allSatisfy { !$0.succeeded && $0.reason == "NO_ASSOCIATION" })
      for number in 0..<12 {
        for _ in 0..<10 {
          stage.clock.advance(1)
          try await unlock(home, by: "usr_stranger\(number)", stage)
        }
      }
      stage.clock.advance(1)
      try await unlock(home, by: home.guest, stage)
      let records = try await history(home, stage)
      #expect(records.first?.userId == home.guest && records.last?.userId == home.tenant)
      let strangers = records.dropFirst().dropLast()
      #expect(strangers.count == 100)
      #expect(Set(strangers.map(\.userId)) == Set((2..<12).map { "usr_stranger\($0)" }))
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains("gatehouse_tenancy_history_dropped_total 45\n"))
    }
  }

  @Test("Whoever has a role has a place in the history, however often it is refused")
  func members_manyRefusals_stay() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      for _ in 0..<30 {
        _ = try await refusal {
          try await stage.devices.operate(
            .init(deviceId: home.door, operation: "turn_on"),
            options: .by(home.guest)
          )
        }
      }
      #expect(
        try await history(home, stage).map(\.reason).count { $0 == "ROLE_LACKS_ACTION" } == 30
      )
    }
  }

  @Test("A pass that is over and a suspension leave no more than a stranger's place")
  func formerMembers_manyRefusals_areBounded() async throws {
    try await TenancyStage.run { stage in
      _ = try await stage.associations.grantSuperAdmin(
        .init(userId: "usr_super"),
        options: .byService("auth")
      )
      let home = try await Building(stage, name: "home")
      _ = try await stage.subjects.suspend(.init(userId: home.tenant), options: .by("usr_super"))
      stage.clock.advance(3_600_000)
      for _ in 0..<15 {
        try await unlock(home, by: home.guest, stage)
        try await unlock(home, by: home.tenant, stage)
      }
      let reasons = try await history(home, stage).map(\.reason)
      #expect(reasons.count { $0 == "EXPIRED" } == 10)
      #expect(reasons.count { $0 == "SUBJECT_SUSPENDED" } == 10)
    }
  }

  @Test(
    "A store of before keeps the attempts that it has",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_fromSecondVersion() async throws {
    let folder = try TestFolder()
    let old = try await Database.open(
      DatabaseConfiguration(path: folder.path("store"), applicationID: TenancySchema.applicationID),
      migrations: Array(TenancySchema.migrations.prefix(2))
    )
    try await old.write { tx in
      try tx.execute(
        """
        INSERT INTO entity VALUES
          ('prt_old', 'portfolio', 'sys_root', 'prt_old', 'Old', '{}', '', 1, 0, 0),
          ('dev_old', 'device', 'prt_old', 'prt_old', 'Old', '{}', '', 2, 0, 0)
        """
      )
      try tx.execute(
        """
        INSERT INTO association VALUES
          ('asc_old', 'usr_old', 'prt_old', 'owner', NULL, NULL, '', 0, 3)
        """
      )
      for number in 10..<40 {
        try tx.execute(
          "INSERT INTO access_record VALUES (?, 'dev_old', 'usr_a', 'unlock', 0, 'EXPIRED', '', ?)",
          .text("acr_\(number)"),
          .integer(number)
        )
      }
    }
    await old.close()
    try await TenancyStage.run(in: folder) { stage in
      _ = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: "dev_old", operation: "unlock"),
          options: .by("usr_a")
        )
      }
      let records = try await stage.devices.listHistory(
        .init(deviceId: "dev_old", pageSize: 100),
        options: .by("usr_old")
      ).records
      #expect(records.count == 31)
      #expect(records.first?.reason == "NO_ASSOCIATION")
    }
  }
}
