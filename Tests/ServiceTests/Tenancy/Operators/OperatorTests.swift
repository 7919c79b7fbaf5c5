import PeerContracts
import TenancyContracts
import RPCKit
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Operators, and users who may do nothing")
struct OperatorTests {
  private static let auth = CallOptions.byService("auth")
  private static let gateway = CallOptions.byService("gateway")

  private func grant(_ user: String, _ stage: TenancyStage) async throws {
    _ = try await stage.associations.grantSuperAdmin(.init(userId: user), options: Self.auth)
  }

  private func reason(
    _ user: String,
    _ action: String,
    _ entity: String,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.Reason {
    try await stage.permissions.check(
      .init(subjectId: user, action: action, entityId: entity),
      options: Self.gateway
    ).reason
  }

  // MARK: super_admin

  @Test("Who is no operator any more is none at once, and those who watch are told")
  func revoke_takesEffect() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_one", stage)
      try await grant("usr_two", stage)
      var changes = stage.permissions.watchChanges(.init(), options: Self.gateway)
        .makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      let removed = try await stage.associations.revokeSuperAdmin(
        .init(userId: "usr_one"),
        options: Self.auth
      )
      #expect(removed.removed == 1)
      let change = try await changes.next()
      #expect(change?.kind == .subject && change?.subjectId == "usr_one")
      #expect(try await reason("usr_one", "system.administer", "sys_root", stage) == .noAssociation)
      #expect(try await reason("usr_two", "system.administer", "sys_root", stage) == .allowed)
      #expect(!stage.service.holds(.administration, "usr_one"))
      let again = try await stage.associations.revokeSuperAdmin(
        .init(userId: "usr_one"),
        options: Self.auth
      )
      #expect(again.removed == 0)
    }
  }

  @Test("The last operator stays, unless it is forced")
  func revoke_last_isRefused() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_one", stage)
      let last = try await refusal {
        try await stage.associations.revokeSuperAdmin(.init(userId: "usr_one"), options: Self.auth)
      }
      #expect(last == Refusal(.failedPrecondition, "LAST_SUPER_ADMIN"))
      #expect(stage.service.holds(.administration, "usr_one"))
      // Who is none is no reason to refuse.
      let none = try await stage.associations.revokeSuperAdmin(
        .init(userId: "usr_two"),
        options: Self.auth
      )
      #expect(none.removed == 0)
      let forced = try await stage.associations.revokeSuperAdmin(
        .init(userId: "usr_one", force: true),
        options: Self.auth
      )
      #expect(forced.removed == 1)
      #expect(!stage.service.holds(.administration, "usr_one"))
    }
  }

  @Test("Of two operators who are taken away at the same time one stays")
  func revoke_concurrent_leavesOne() async throws {
    try await TenancyStage.run { stage in
      for round in 0..<10 {
        let users = ["usr_a\(round)", "usr_b\(round)"]
        for user in users { try await grant(user, stage) }
        let results = try await withThrowingTaskGroup(of: Refusal?.self) { group in
          for user in users {
            group.addTask {
              try await refusal {
                try await stage.associations.revokeSuperAdmin(
                  .init(userId: user),
                  options: Self.auth
                )
              }
            }
          }
          return try await group.reduce(into: [Refusal?]()) { $0.append($1) }
        }
        #expect(results.compactMap { $0 } == [Refusal(.failedPrecondition, "LAST_SUPER_ADMIN")])
        for user in users {
          _ = try await stage.associations.revokeSuperAdmin(
            .init(userId: user, force: true),
            options: Self.auth
          )
        }
      }
    }
  }

  @Test("What happened to operators is in the audit log")
  func revoke_isAudited() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_one", stage)
      _ = try await stage.associations.revokeSuperAdmin(
        .init(userId: "usr_one", force: true),
        options: Self.auth
      )
      let actions = try await stage.service.database.read { tx in
        try tx.query("SELECT action FROM audit_log ORDER BY sequence") { $0.text(0) }
      }
      #expect(actions == ["super_admin.add", "super_admin.remove"])
    }
  }

  // MARK: Suspension

  @Test("A suspended user may do nothing, sees nothing, and is as before once resumed")
  func suspend_and_resume() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_super", stage)
      let home = try await Building(stage, name: "home")
      var changes = stage.permissions.watchChanges(.init(), options: Self.gateway)
        .makeAsyncIterator()
      #expect(try await changes.next()?.kind == .heartbeat)
      let suspension = try await stage.subjects.suspend(
        .init(userId: home.owner, note: "asked us to"),
        options: .by("usr_super")
      )
      #expect(suspension.suspendedBy == "usr_super")
      let change = try await changes.next()
      #expect(change?.kind == .subject && change?.subjectId == home.owner)
      #expect(
        try await reason(home.owner, "portfolio.view", home.portfolio, stage) == .subjectSuspended
      )
      let view = try await refusal {
        try await stage.portfolios.get(
          .init(portfolioId: home.portfolio),
          options: .by(home.owner)
        )
      }
      #expect(view == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
      let make = try await refusal {
        try await stage.portfolios.create(.init(name: "new"), options: .by(home.owner))
      }
      #expect(make == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
      let operated = try await refusal {
        try await stage.devices.operate(
          .init(deviceId: home.door, operation: "unlock"),
          options: .by(home.owner)
        )
      }
      #expect(operated == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
      let list = try await stage.devices.list(.init(), options: .by(home.owner))
      #expect(list.devices.isEmpty && list.totalSize == 0)
      // Nor of its own roles, which have the names of entities; by whichever call and service.
      for caller in [CallOptions.by(home.owner), .byService("auth")] {
        let roles = try await stage.associations.listByUser(
          .init(userId: home.owner),
          options: caller
        )
        #expect(roles.associations.isEmpty && roles.userSuspended && !roles.revision.isEmpty)
      }
      let own = try await stage.roles.listByUser(.init(), options: .by(home.owner))
      #expect(own.associations.isEmpty && own.userSuspended)
      // Operators see both: what is kept, and that it does not count.
      let kept = try await stage.associations.listByUser(
        .init(userId: home.owner),
        options: .by("usr_super")
      )
      #expect(kept.associations.map(\.entityId) == [home.portfolio] && kept.userSuspended)
      let listed = try await stage.subjects.listSuspended(.init(), options: .by("usr_super"))
      #expect(listed.suspensions == [suspension])
      let resumed = try await stage.subjects.resume(
        .init(userId: home.owner),
        options: .by("usr_super")
      )
      #expect(resumed.wasSuspended)
      let back = try await stage.roles.listByUser(.init(), options: .by(home.owner))
      #expect(back.associations.map(\.entityId) == [home.portfolio] && !back.userSuspended)
      #expect(try await reason(home.owner, "portfolio.view", home.portfolio, stage) == .allowed)
      let again = try await stage.subjects.resume(
        .init(userId: home.owner),
        options: .by("usr_super")
      )
      #expect(!again.wasSuspended)
    }
  }

  @Test("A suspension outlives a restart, and one more of the same user changes nothing")
  func suspend_survivesRestart() async throws {
    let folder = try TestFolder()
    var home: Building?
    try await TenancyStage.run(in: folder) { stage in
      try await grant("usr_super", stage)
      let building = try await Building(stage, name: "home")
      home = building
      let first = try await stage.subjects.suspend(
        .init(userId: building.tenant, note: "first"),
        options: .by("usr_super")
      )
      let second = try await stage.subjects.suspend(
        .init(userId: building.tenant, note: "second"),
        options: .by("usr_super")
      )
      #expect(first == second)
    }
    let building = try #require(home)
    try await TenancyStage.run(in: folder) { stage in
      let tenant = try await reason(building.tenant, "unit.view", building.unit, stage)
      #expect(tenant == .subjectSuspended)
      let manager = try await reason(building.manager, "unit.view", building.unit, stage)
      #expect(manager == .allowed)
    }
  }

  @Test("Only operators suspend, nobody itself, and a suspended operator lifts nothing")
  func suspend_refusals() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_one", stage)
      try await grant("usr_two", stage)
      let home = try await Building(stage, name: "home")
      let byOwner = try await refusal {
        try await stage.subjects.suspend(.init(userId: home.tenant), options: .by(home.owner))
      }
      #expect(byOwner?.code == .permissionDenied)
      let itself = try await refusal {
        try await stage.subjects.suspend(.init(userId: "usr_one"), options: .by("usr_one"))
      }
      #expect(itself?.code == .invalidArgument)
      let missing = try await refusal {
        try await stage.subjects.suspend(.init(userId: "usr_missing"), options: .by("usr_one"))
      }
      #expect(missing?.code == .invalidArgument)
      _ = try await stage.subjects.suspend(.init(userId: "usr_two"), options: .by("usr_one"))
      let bySuspended = try await refusal {
        try await stage.subjects.resume(.init(userId: "usr_two"), options: .by("usr_two"))
      }
      #expect(bySuspended == Refusal(.permissionDenied, "SUBJECT_SUSPENDED"))
      #expect(!stage.service.holds(.administration, "usr_two"))
      #expect(stage.service.holds(.administration, "usr_one"))
    }
  }

  @Test("Pages of suspensions are complete")
  func listSuspended_pages() async throws {
    try await TenancyStage.run { stage in
      try await grant("usr_super", stage)
      let users = (10..<23).map { "usr_\($0)" }
      for user in users.shuffled() {
        _ = try await stage.subjects.suspend(.init(userId: user), options: .by("usr_super"))
      }
      var found: [String] = []
      var request = Tenancy_V1.ListSuspendedRequest(pageSize: 5)
      repeat {
        let page = try await stage.subjects.listSuspended(request, options: .by("usr_super"))
        found += page.suspensions.map(\.userId)
        request.pageToken = page.nextPageToken
      } while !request.pageToken.isEmpty
      #expect(found == users)
      try await ListProbe.check("userId", "-user_id") { sortBy, size, page, token in
        let page = try await stage.subjects.listSuspended(
          .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: .by("usr_super")
        )
        return (page.suspensions.map(\.userId), page.nextPageToken)
      }
    }
  }

  @Test(
    "A store of before suspensions gets their table and keeps what it had",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_fromFirstVersion() async throws {
    let folder = try TestFolder()
    let old = try await Database.open(
      DatabaseConfiguration(path: folder.path("store"), applicationID: TenancySchema.applicationID),
      migrations: Array(TenancySchema.migrations.prefix(1))
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
          ('asc_old', 'usr_old', 'prt_old', 'owner', NULL, NULL, '', 0, 1)
        """
      )
    }
    await old.close()
    try await TenancyStage.run(in: folder) { stage in
      #expect(try await reason("usr_old", "portfolio.view", "prt_old", stage) == .allowed)
      try await grant("usr_super", stage)
      _ = try await stage.subjects.suspend(.init(userId: "usr_old"), options: .by("usr_super"))
      #expect(try await reason("usr_old", "portfolio.view", "prt_old", stage) == .subjectSuspended)
    }
  }
}
