import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import TenancyService

@Suite("What reports rest on")
struct ReportHistoryTests {
  /// Clubs and teams: a product that no Swift code knows, whose teams can change clubs.
  private static let clubs = """
    {
      "name": "clubs", "version": 1, "access_levels": ["all"],
      "self_service": {
        "enabled": true, "type": "club", "creator_role": "head", "administrator_role": "head"
      },
      "roles": {
        "head": {
          "on": ["club"], "inherits_to": ["team"], "granted_by": "club.lead", "keep_one": true
        },
        "player": { "on": ["team"], "granted_by": { "team": "team.lead" } }
      },
      "types": {
        "club": {
          "parents": ["system"], "prefix": "clb",
          "lifecycle": {
            "view": "club.lead", "delete": "club.lead", "report": "club.lead"
          },
          "actions": { "club.lead": { "roles": ["head"] }, "club.add": { "roles": ["head"] } }
        },
        "team": {
          "parents": ["club"], "prefix": "tea",
          "lifecycle": {
            "create": "club.add", "view": "team.lead", "move": "team.lead", "delete": "team.lead",
            "report": "team.lead"
          },
          "actions": { "team.lead": { "roles": ["head"] } }
        }
      },
      "assertions": {
        "entities": [{ "id": "blue", "type": "club" }],
        "associations": [{ "user": "ann", "role": "head", "on": "blue" }],
        "expect": [{ "who": "ann", "action": "club.lead", "on": "blue", "expect": "allow" }]
      }
    }
    """

  private static let minute: Int64 = 60_000

  private func create(
    _ type: String,
    _ name: String,
    under parent: String = "",
    _ stage: TenancyStage
  ) async throws -> String {
    try await stage.entities.create(
      .init(entity: .init(type: type, parentId: parent, name: name)),
      options: .by("usr_ann")
    ).id
  }

  @Test("Roots of any policy have reports, and what moves is in each tree's for its time there")
  func report_ofMovedTree_isInBoth() async throws {
    try await TenancyStage.run(policy: [UInt8](Self.clubs.utf8)) { stage in
      let (blue, red) = (
        try await create("club", "Blue", stage), try await create("club", "Red", stage)
      )
      let team = try await create("team", "Juniors", under: blue, stage)
      _ = try await stage.roles.grant(
        .init(
          role: .init(
            entityId: team,
            role: "player",
            userId: "usr_pat",
            recurring: .init(
              days: ["monday"],
              from: "08:00",
              until: "18:00",
              timeZone: "Asia/Tokyo"
            )
          )
        ),
        options: .by("usr_ann")
      )
      stage.clock.advance(Self.minute)
      _ = try await stage.entities.move(
        .init(entityId: team, parentId: red),
        options: .by("usr_ann")
      )
      stage.clock.advance(Self.minute)
      // A team is the root of nothing.
      let refused = try await refusal { try await stage.report(on: team, by: "usr_ann") }
      #expect(refused == Refusal(.failedPrecondition, "NOT_ROOT"))
      func players(_ club: String) async throws -> [String] {
        let report = try await stage.report(on: club, by: "usr_ann")
        #expect(report.isSealed)
        #expect(
          report.lines.filter { $0[.role] == "player" }
            .allSatisfy { $0[.detail].hasSuffix(" monday 08:00-18:00 Asia/Tokyo") }
        )
        return report.texts(.access, .actor, .role, .object, .time, .until)
          .filter { $0.contains("player") }
      }
      func time(_ minutes: Int64) -> String {
        ReportLine.text(ofInstant: TenancyStage.start + minutes * Self.minute)
      }
      #expect(try await players(blue) == ["user:usr_pat player \(team) \(time(0)) \(time(1))"])
      #expect(try await players(red) == ["user:usr_pat player \(team) \(time(1)) "])
    }
  }

  @Test("A window that was changed is told as it was at each time, and what is to come is not told")
  func report_ofChangedWindow_saysBoth() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["compliancePack"], of: home.owner)
      stage.clock.advance(Self.minute)
      let end = TenancyStage.start + 10 * Self.minute
      _ = try await stage.guests.update(
        .init(passId: home.pass, validUntil: .init(milliseconds: end)),
        options: .by(home.tenant)
      )
      _ = try await stage.guests.grant(
        .init(
          userId: "usr_later",
          deviceIds: [home.door],
          validFrom: .init(milliseconds: end),
          validUntil: .init(milliseconds: end + 1)
        ),
        options: .by(home.tenant)
      )
      stage.clock.advance(Self.minute)
      let report = try await stage.report(on: home.portfolio, by: home.owner)
      func time(_ minutes: Int64) -> String {
        ReportLine.text(ofInstant: TenancyStage.start + minutes * Self.minute)
      }
      #expect(
        report.texts(.pass, .actor, .time, .until) == [
          "user:\(home.guest) \(time(0)) \(time(1))", "user:\(home.guest) \(time(1)) \(time(10))",
        ]
      )
      // That it was given is told all the same.
      #expect(report.texts(.change, .action).filter { $0 == "guest.add" }.count == 2)
    }
  }

  @Test("However many different refusals there are, an hour of a tree keeps a bounded number")
  func refusals_flooding_areBounded() async throws {
    try await TenancyStage.run { stage in
      let database = stage.service.database
      func counts(_ actor: String?) async throws -> (rows: Int64, refusals: Int64) {
        let found = try await database.read { tx in
          try tx.first(
            """
            SELECT count(*), coalesce(sum(count), 0) FROM refusal WHERE actor = coalesce(?, actor)
            """,
            .optionalText(actor)
          ) { [$0.integer(0), $0.integer(1)] }
        }
        return (found?[0] ?? -1, found?[1] ?? -1)
      }
      func flood(_ actors: [String]) async throws {
        try await database.write { tx in
          for actor in actors {
            for number in 0..<50 {
              let key = RefusalCount.Key(
                rootID: "prt_1",
                hour: 0,
                actor: actor,
                action: "device.view",
                object: "dev_\(number)",
                reason: "OUT_OF_SCOPE"
              )
              try RefusalTable.store(RefusalCount(key: key, at: 1), in: tx)
            }
          }
        }
      }
      try await flood(["user:usr_eve", "user:usr_eve"])
      // The others are one row more, which says how many they are.
      var found = try await counts("user:usr_eve")
      #expect(found.rows == Int64(RefusalCount.keyCountMax.ofActor) + 1)
      #expect(found.refusals == 100)
      try await flood((0..<100).map { "user:usr_\($0)" })
      found = try await counts(nil)
      #expect(found.refusals == 5100)
      #expect(found.rows <= Int64(RefusalCount.keyCountMax.ofTree) + 1)
      // Somebody new is still counted, by nobody's name.
      try await flood(["user:usr_new"])
      #expect(try await counts("user:usr_new").rows == 0)
      #expect(try await counts("").refusals > 0)
    }
  }

  @Test(
    "Refusals that wait to be stored are bounded, whoever is refused what, and none is forgotten"
  )
  func refusals_waiting_areBounded() async throws {
    try await TenancyStage.run { stage in
      let metrics = MetricRegistry()
      let tally = RefusalTally(
        engine: stage.service.engine,
        clock: stage.clock,
        metrics: metrics
      )
      func add(_ actor: String, _ object: String, tree: String = "prt_1") {
        let key = RefusalCount.Key(rootID: tree, hour: 0, actor: actor, object: object)
        tally.add([RefusalCount(key: key, at: 1)])
      }
      for number in 0..<100 { add("user:usr_eve", "dev_\(number)") }
      // The others are one more, which says how many they are.
      #expect(tally.waitingCount == RefusalTally.waitingCountMax.ofActor + 1)
      for number in 0..<10_000 { add("user:usr_\(number)", "dev_1") }
      #expect(tally.waitingCount <= RefusalTally.waitingCountMax.ofAll)
      let store = stage.service.core.store
      await tally.flush(store)
      #expect(tally.isEmpty)
      let stored = try await store.read { tx in
        try tx.first("SELECT sum(count) FROM refusal") { $0.integer(0) }
      }
      #expect(stored == 10_100)
      // Trees that nobody can name so many of: what has no room is counted as that.
      for number in 0..<10_000 { add("user:usr_eve", "dev_1", tree: "prt_\(number)") }
      #expect(tally.waitingCount == RefusalTally.waitingCountMax.ofAll)
      let dropped = 10_000 - RefusalTally.waitingCountMax.ofAll
      let text = String(decoding: metrics.render(), as: UTF8.self)
      #expect(text.contains("gatehouse_tenancy_report_refusals_dropped_total \(dropped)"))
    }
  }

  @Test(
    "Calls that are refused are counted by who, what, on what and why, also what nobody may know of"
  )
  func refusals_ofCalls_areTold() async throws {
    let entitlement = SmallEntitlementService()
    try await TenancyStage.run(entitlement: entitlement) { stage in
      let home = try await Building(stage, name: "home")
      entitlement.set(["compliancePack"], of: home.owner)
      for user in ["usr_stranger", "usr_stranger", home.guest] {
        _ = try await refusal {
          try await stage.units.get(.init(unitId: home.unit), options: .by(user))
        }
      }
      stage.clock.advance(1)
      let report = try await stage.report(on: home.portfolio, by: home.owner)
      #expect(
        report.texts(.refusal, .actor, .action, .object, .count).sorted() == [
          "user:\(home.guest) unit.view \(home.unit) 1",
          "user:usr_stranger unit.view \(home.unit) 2",
        ]
      )
    }
  }

  @Test("What was counted is stored when the service stops, and counting goes on after that")
  func refusals_acrossRestart_addUp() async throws {
    let folder = try TestFolder()
    var root = ""
    for _ in 0..<2 {
      let entitlement = SmallEntitlementService()
      entitlement.set(["compliancePack"], of: "usr_home_owner")
      let before = root
      root = try await refuseOnce(folder, entitlement, on: before)
    }
    let entitlement = SmallEntitlementService()
    entitlement.set(["compliancePack"], of: "usr_home_owner")
    let portfolio = root
    try await TenancyStage.run(in: folder, entitlement: entitlement) { stage in
      stage.clock.advance(1)
      let report = try await stage.report(on: portfolio, by: "usr_home_owner")
      #expect(
        report.texts(.refusal, .actor, .action, .count) == ["user:usr_eve portfolio.view 2"]
      )
    }
  }

  /// Refuses somebody a portfolio, which is made if there is none yet, and stops the service.
  private func refuseOnce(
    _ folder: TestFolder,
    _ entitlement: SmallEntitlementService,
    on portfolio: String
  ) async throws -> String {
    let made = Lock(portfolio)
    try await TenancyStage.run(in: folder, entitlement: entitlement) { stage in
      if portfolio.isEmpty {
        let home = try await Building(stage, name: "home")
        made.withLock { $0 = home.portfolio }
      }
      let id = made.withLock { $0 }
      let refused = try await refusal {
        try await stage.portfolios.get(.init(portfolioId: id), options: .by("usr_eve"))
      }
      #expect(refused == Refusal(.notFound, "NOT_FOUND"))
    }
    return made.withLock { $0 }
  }

  @Test(
    "A store of an older version knows who has roles, and says since when it knows everything",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_ofOlderStore_saysSinceWhen() async throws {
    let folder = try TestFolder()
    let clock = ManualClock(TenancyStage.start)
    let version = TenancySchema.migrations.firstIndex { $0.sql.contains("association_history") }
    let older = try #require(version)
    let configuration = DatabaseConfiguration(
      path: folder.path("store"),
      applicationID: TenancySchema.applicationID
    )
    let before = try await Database.open(
      configuration,
      migrations: Array(TenancySchema.migrations[..<older]),
      clock: clock
    )
    try await before.write(as: Author(.service("test"), requestID: "req_1")) { tx in
      try tx.execute(
        """
        INSERT INTO entity (id, type, parent_id, root_id, name, attributes, desired_state, revision,
          created_at, updated_at)
        VALUES ('prt_1', 'portfolio', 'sys_root', 'prt_1', 'Old', '{}', '', 1, 5, 5)
        """
      )
      try tx.execute(
        """
        INSERT INTO association (id, user_id, entity_id, role, granted_by, created_at, added)
        VALUES ('asc_1', 'usr_old', 'prt_1', 'owner', '', 5, 2)
        """
      )
      try tx.audit("portfolio.create", object: "prt_1", scope: "prt_1")
    }
    await before.close()
    let after = try await Database.open(
      configuration,
      migrations: TenancySchema.migrations,
      clock: clock
    )
    let (scope, roles) = try await after.read { tx in
      let scope = try ReportScope(rootID: "prt_1", type: "portfolio", interval: 0..<10, tx)
      let roles = try tx.query(AssociationState.columns, "")
      return (scope, roles)
    }
    await after.close()
    #expect(roles.map(\.userID) == ["usr_old"] && roles.map { $0.span(asOf: 10).from } == [5])
    #expect(roles.map(\.entityName) == ["Old"])
    #expect(scope.completeSince > 0 && scope.line[.detail].hasPrefix("complete since "))
  }

  @Test(
    "Of a store with two histories of roles nothing is lost, and nothing is there twice",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_ofTwoHistories_joinsThem() async throws {
    let folder = try TestFolder()
    let version = TenancySchema.migrations.firstIndex {
      $0.sql.contains("DROP TABLE past_association")
    }
    let older = try #require(version)
    let configuration = DatabaseConfiguration(
      path: folder.path("store"),
      applicationID: TenancySchema.applicationID
    )
    let before = try await Database.open(
      configuration,
      migrations: Array(TenancySchema.migrations[..<older])
    )
    try await before.write(as: Author(.service("test"), requestID: "req_1")) { tx in
      for statement in Self.twoHistories { try tx.execute(statement) }
    }
    await before.close()
    let after = try await Database.open(configuration, migrations: TenancySchema.migrations)
    let rows = try await after.read { tx in
      try tx.query(
        """
        SELECT association_id, root_id, variant, valid_until, began_at, ended_at
        FROM association_history ORDER BY association_id, began_at
        """
      ) { row in
        let numbers = [row.optionalInteger(3), row.integer(4), row.optionalInteger(5)]
        return "\(row.text(0)) \(row.text(1)) \(row.text(2)) "
          + numbers.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
      }
    }
    #expect(
      rows == [
        "asc_1   100 1 10", "asc_1   - 10 20", "asc_2 prt_1 rol_2 - 5 30",
        "asc_3 prt_1 rol_3 - 7 -",
      ]
    )
    // The state that counted at an instant is found, of whichever history it was.
    let held = try await after.read { tx in
      var held: [[String]] = []
      for instant: Int64 in [5, 15, 25, 30] {
        let found = try AssociationHistoryTable.all(
          ofUser: "usr_a",
          on: ["prt_1"],
          at: instant,
          in: tx
        )
        held.append(found.map { "\($0.associationID) \($0.validUntil ?? 0)" }.sorted())
      }
      return held
    }
    #expect(held == [["asc_1 100", "asc_2 0"], ["asc_1 0", "asc_2 0"], ["asc_2 0"], []])
    await after.close()
  }

  /// An association whose two states ended before compliance reports had a history, one that ended since,
  /// and one that is there still.
  private static let twoHistories = [
    """
    INSERT INTO entity (id, type, parent_id, root_id, name, attributes, desired_state, revision,
      created_at, updated_at)
    VALUES ('prt_1', 'portfolio', 'sys_root', 'prt_1', 'Home', '{}', '', 1, 1, 1)
    """,
    """
    INSERT INTO past_association (id, user_id, entity_id, role, valid_until, variant, created_at, ended_at)
    VALUES ('asc_1', 'usr_a', 'prt_1', 'guest', 100, '', 1, 10),
      ('asc_1', 'usr_a', 'prt_1', 'guest', NULL, '', 1, 20),
      ('asc_2', 'usr_a', 'prt_1', 'owner', NULL, 'rol_2', 5, 30)
    """,
    """
    INSERT INTO association (id, user_id, entity_id, role, granted_by, created_at, added, variant)
    VALUES ('asc_3', 'usr_b', 'prt_1', 'owner', '', 7, 2, 'rol_3')
    """,
    """
    INSERT INTO association_history (association_id, user_id, role, custom_role, entity_id, entity_type,
      entity_name, root_id, granted_by, began_at, ended_at)
    VALUES ('asc_2', 'usr_a', 'owner', 'Boss', 'prt_1', 'portfolio', 'Home', 'prt_1', '', 5, 30),
      ('asc_3', 'usr_b', 'owner', 'Boss', 'prt_1', 'portfolio', 'Home', 'prt_1', '', 7, NULL)
    """,
  ]

  @Test("What is purged while a report is read stops it, and is missing in later ones as they say")
  func purge_ofInterval_stopsReport() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "home")
      _ = try await stage.units.removeTenant(
        .init(unitId: home.unit, userId: home.tenant),
        options: .by(home.manager)
      )
      let database = stage.service.database
      let day: Int64 = 86_400_000
      stage.clock.advance(3 * day)
      let interval = 0..<stage.clock.now
      func scope() async throws -> ReportScope {
        try await database.read { tx in
          try ReportScope(rootID: home.portfolio, type: "portfolio", interval: interval, tx)
        }
      }
      let policy = stage.service.core.policy
      let reader = ReportReader(try await scope(), policy)
      #expect(reader.scope.line[.detail] == "complete")
      _ = try await database.read { tx in try reader.slice(at: .start, tx) }
      let until = TenancyStage.start + 2 * day
      #expect(try await database.purgeEndedRoles(before: until) > 0)
      #expect(try await database.purgeEndedRoles(before: until) == 0)
      #expect(try await database.purgeAuditLog(before: until) > 0)
      let error = await #expect(throws: RPCError.self) {
        try await database.read { tx in try reader.slice(at: .start, tx) }
      }
      #expect(error?.reason == "REPORT_INTERRUPTED")
      let later = ReportReader(try await scope(), policy)
      #expect(later.scope.completeSince >= until)
      let slice = try await database.read { tx in try later.slice(at: .start, tx) }
      // Those who still have their roles are known as before.
      let text = String(decoding: slice.bytes, as: UTF8.self)
      #expect(text.contains(home.owner) && !text.contains(home.tenant))
    }
  }
}
