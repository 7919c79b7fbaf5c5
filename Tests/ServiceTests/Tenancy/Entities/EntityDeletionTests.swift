import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("What a deletion ends elsewhere", .timeLimit(.minutes(5)))
struct EntityDeletionTests {
  private static let owner = "usr_olga"
  private static let member = "usr_mia"

  private func delete(
    _ id: String,
    isDryRun: Bool = false,
    key: String = "",
    by user: String = owner,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.DeleteEntityResponse {
    try await stage.entities.delete(
      .init(entityId: id, cascade: true, dryRun: isDryRun, idempotencyKey: key),
      options: .by(user)
    )
  }

  private func deletion(
    _ id: String,
    by user: String = owner,
    _ stage: TenancyStage
  ) async throws -> Tenancy_V1.EntityDeletion {
    try await stage.entities.getDeletion(.init(deletionId: id), options: .by(user))
  }

  @Test(
    "EntitlementService is told of the tree that went and of no other, and its users stay",
    arguments: DeletableTree.allCases
  )
  func delete_tree_endsItsHoldersAlone(tree: DeletableTree) async throws {
    let holders = ScriptedHolders()
    try await TenancyStage.run(policy: PolicyFile.bytes(tree.policy), holders: holders) { stage in
      let gone = try await tree.build(stage, owner: Self.owner, member: Self.member)
      let kept = try await tree.build(stage, owner: Self.owner, member: Self.member)
      let invitation = try await stage.invitations.create(
        .init(entityId: gone.root, role: tree.memberRole),
        // Roles of a family take its PIN.
        options: .by(Self.owner, acr: "pin")
      )
      // What is only looked at, or refused, ends nothing.
      let dry = try await delete(gone.root, isDryRun: true, stage)
      #expect(dry.holderCount == UInt64(gone.holders.count) && dry.deletionId.isEmpty)
      let refused = try await refusal {
        try await stage.entities.delete(.init(entityId: gone.root), options: .by(Self.owner))
      }
      #expect(refused == Refusal(.failedPrecondition, "HAS_DEPENDENTS"))
      let denied = try await refusal { try await delete(gone.root, by: Self.member, stage) }
      #expect(denied == Refusal(.permissionDenied, "ROLE_LACKS_ACTION"))
      let untouched = try await stage.waitingHolders()
      #expect(untouched == [])

      let done = try await delete(gone.root, key: "once", stage)
      #expect(done.holderCount == UInt64(gone.holders.count))
      #expect(done.endedRoleCount == UInt64(gone.roleCount))
      let repeated = try await delete(gone.root, key: "once", stage)
      #expect(repeated == done)
      let waiting = try await stage.waitingHolders()
      #expect(waiting == gone.holders)
      let begun = try await deletion(done.deletionId, stage)
      #expect(begun.entityId == gone.root && begun.entityType == tree.rawValue)
      #expect(begun.holderCount == UInt64(gone.holders.count) && begun.endedHolderCount == 0)
      #expect(begun.deletedAt?.milliseconds == TenancyStage.start && begun.finishedAt == nil)

      stage.clock.advance(500)
      await stage.endHolders()
      await stage.endHolders()
      #expect(holders.ended.count == gone.holders.count && Set(holders.ended) == gone.holders)
      let ended = try await deletion(done.deletionId, stage)
      #expect(ended.endedHolderCount == ended.holderCount)
      #expect(ended.finishedAt?.milliseconds == TenancyStage.start + 500)

      // Both keep what they have on the other tree, and nothing on the one that went.
      for user in [Self.owner, Self.member] {
        let held = try await stage.associations.listByUser(.init(), options: .by(user))
        #expect(held.associations.map(\.entityId) == [kept.root], "\(user)")
        let view = try await stage.reason(user, "\(tree.rawValue).view", kept.root)
        #expect(view == .allowed, "\(user)")
      }
      let late = try await refusal {
        try await stage.invitations.accept(.init(code: invitation.code), options: .by("usr_ina"))
      }
      #expect(late?.code == .notFound)
    }
  }

  @Test("A deletion is nobody's business but of whoever deleted")
  func getDeletion_ofOthers_isNotFound() async throws {
    try await TenancyStage.run(holders: ScriptedHolders()) { stage in
      let tree = try await DeletableTree.portfolio.build(
        stage,
        owner: Self.owner,
        member: Self.member
      )
      let done = try await stage.portfolios.delete(
        .init(portfolioId: tree.root, cascade: true),
        options: .by(Self.owner)
      )
      #expect(done.holderCount == 1)
      let own = try await deletion(done.deletionId, stage)
      #expect(own.id == done.deletionId && own.entityType == "portfolio")
      let notFound = Refusal(.notFound, "NOT_FOUND")
      let foreign = try await refusal {
        try await deletion(done.deletionId, by: Self.member, stage)
      }
      #expect(foreign == notFound)
      let unknown = try await refusal { try await deletion("edl_unknown", stage) }
      #expect(unknown == notFound)
    }
  }

  @Test("What can have neither a subscription nor points is not told of")
  func delete_withoutHolders_isNotTold() async throws {
    try await TenancyStage.run(holders: ScriptedHolders()) { stage in
      let home = try await Building(stage, name: "a")
      for id in [home.door, home.unit] {
        let done = try await delete(id, by: home.owner, stage)
        #expect(done.holderCount == 0 && done.deletionId.isEmpty)
      }
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [])
    }
    // A child alone takes its points along.
    try await TenancyStage.run(policy: PolicyFile.bytes("family"), holders: ScriptedHolders()) {
      stage in
      let home = try await FamilyHome(stage, organizer: "usr_ora")
      let done = try await delete(home.ann, by: "usr_ora", stage)
      #expect(done.holderCount == 1)
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [home.ann])
    }
  }

  @Test("Without EntitlementService there is nobody to tell")
  func delete_withoutEntitlementService_isComplete() async throws {
    try await TenancyStage.run { stage in
      let tree = try await DeletableTree.portfolio.build(
        stage,
        owner: Self.owner,
        member: Self.member
      )
      let done = try await delete(tree.root, stage)
      #expect(done.holderCount == 0 && done.deletionId.isEmpty)
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [])
    }
  }

  @Test("While EntitlementService is down it is tried again, later each time, and after a restart")
  func end_whileDown_isTriedAgain() async throws {
    let (folder, holders) = (try TestFolder(), ScriptedHolders())
    holders.fail { .refused }
    var id = ""
    try await TenancyStage.run(in: folder, holders: holders) { stage in
      let tree = try await DeletableTree.portfolio.build(
        stage,
        owner: Self.owner,
        member: Self.member
      )
      id = try await delete(tree.root, stage).deletionId
      for attempt in 1...5 {
        await stage.endHolders()
        #expect(holders.attemptCount == attempt)
        let pause = Backoff(HolderEndings.pauses).longest(after: Int64(attempt - 1))
        stage.clock.advance(pause * 3 / 4 - 1)
        await stage.endHolders()
        #expect(holders.attemptCount == attempt)
        stage.clock.advance(pause / 4 + 1)
      }
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [tree.root])
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains("gatehouse_tenancy_ended_holders_waiting 1\n"))
      #expect(
        metrics.contains("gatehouse_tenancy_ended_holders_total{outcome=\"postponed\"} 5\n")
      )
    }
    holders.fail(nil)
    try await TenancyStage.run(in: folder, holders: holders) { stage in
      // The clock of this stage begins where that of the first did.
      stage.clock.advance(HolderEndings.pauses.upperBound)
      await stage.endHolders()
      let ended = try await deletion(id, stage)
      #expect(ended.finishedAt != nil && ended.endedHolderCount == 1)
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains("gatehouse_tenancy_ended_holders_waiting 0\n"))
      #expect(metrics.contains("gatehouse_tenancy_ended_holders_total{outcome=\"ended\"} 1\n"))
    }
  }

  @Test("Each user lists their own deletions, page by page, with names of what went")
  func listDeletions_haveTheCallersAlone() async throws {
    try await TenancyStage.run(holders: ScriptedHolders()) { stage in
      var ids: [String] = []
      for _ in 0..<3 {
        let tree = try await DeletableTree.portfolio.build(
          stage,
          owner: Self.owner,
          member: Self.member
        )
        ids.append(try await delete(tree.root, stage).deletionId)
        if ids.count == 1 { await stage.endHolders() }
        stage.clock.advance(1)
      }
      let listed = try await stage.entities.listDeletions(.init(), options: .by(Self.owner))
      #expect(listed.deletions.map(\.id) == ids.reversed())
      #expect(listed.deletions.map { $0.finishedAt == nil } == [true, true, false])
      #expect(listed.deletions.map(\.endedHolderCount) == [0, 0, 1])
      for one in listed.deletions {
        let alone = try await deletion(one.id, stage)
        #expect(alone == one && one.deletedBy == Self.owner && !one.entityName.isEmpty)
      }
      let others = try await stage.entities.listDeletions(.init(), options: .by(Self.member))
      #expect(others.deletions.isEmpty)
      let first = try await stage.entities.listDeletions(
        .init(pageSize: 1),
        options: .by(Self.owner)
      )
      let borrowed = try await refusal {
        try await stage.entities.listDeletions(
          .init(pageSize: 1, pageToken: first.nextPageToken),
          options: .by(Self.member)
        )
      }
      #expect(borrowed?.code == .invalidArgument)
      try await ListProbe.check("-deletedAt", "deleted_at") { sortBy, size, page, token in
        let page = try await stage.entities.listDeletions(
          .init(pageSize: size, pageToken: token, page: page, sortBy: sortBy),
          options: .by(Self.owner)
        )
        return (page.deletions.map(\.id), page.nextPageToken)
      }
    }
  }

  @Test("Operators list everybody's deletions, those under way or those done, and are recorded")
  func listAllDeletions_haveEverybodys() async throws {
    try await TenancyStage.run(holders: ScriptedHolders()) { stage in
      try await stage.makeOperator("usr_boss")
      var ids: [String] = []
      for user in [Self.owner, Self.member, Self.owner] {
        let tree = try await DeletableTree.portfolio.build(stage, owner: user, member: "usr_max")
        ids.append(try await delete(tree.root, by: user, stage).deletionId)
        if ids.count == 1 { await stage.endHolders() }
        stage.clock.advance(1)
      }
      func listed(
        _ request: Tenancy_V1.ListAllEntityDeletionsRequest
      ) async throws -> [Tenancy_V1.EntityDeletion] {
        try await stage.entities.listAllDeletions(request, options: .by("usr_boss")).deletions
      }
      let open = try await listed(.init())
      #expect(open.map(\.id) == [ids[2], ids[1]])
      #expect(open.map(\.deletedBy) == [Self.owner, Self.member])
      #expect(try await listed(.init(finished: true)).map(\.id) == [ids[0]])
      for id in ids { #expect(try await listed(.init(deletionId: id)).map(\.id) == [id]) }
      #expect(try await listed(.init(deletionId: "edl_unknown")).isEmpty)
      let refused = try await refusal {
        try await stage.entities.listAllDeletions(.init(), options: .by(Self.owner))
      }
      #expect(refused?.code == .permissionDenied)
      let readCount = try await stage.service.core.store.read { tx in
        try tx.first("SELECT count(*) FROM audit_log WHERE action = 'entity.list_deletions'") {
          $0.integer(0)
        }
      }
      #expect(readCount == 6)
    }
  }

  @Test("Deletions are forgotten 90 days after they were complete, and not before")
  func purge_forgetsOldDeletions() async throws {
    try await TenancyStage.run(holders: ScriptedHolders()) { stage in
      var ids: [String] = []
      for _ in 0..<2 {
        let tree = try await DeletableTree.portfolio.build(
          stage,
          owner: Self.owner,
          member: Self.member
        )
        ids.append(try await delete(tree.root, stage).deletionId)
        if ids.count == 1 { await stage.endHolders() }
      }
      let end = TenancyStage.start + TombstoneTable.lifetime
      try await stage.service.purge(now: end)
      let known = try await deletion(ids[0], stage)
      #expect(known.finishedAt != nil)
      try await stage.service.purge(now: end + 1)
      let forgotten = try await refusal { try await deletion(ids[0], stage) }
      #expect(forgotten == Refusal(.notFound, "NOT_FOUND"))
      let waiting = try await deletion(ids[1], stage)
      #expect(waiting.finishedAt == nil)
    }
  }

  @Test(
    "What older versions have deleted is ended after the upgrade",
    .disabled(if: TestServer.isUsed, "released migrations are of SQLite")
  )
  func migration_queuesWhatWasDeleted() async throws {
    let folder = try TestFolder()
    let configuration = DatabaseConfiguration(
      path: folder.path("store"),
      applicationID: TenancySchema.applicationID
    )
    let old = try await Database.open(
      configuration,
      migrations: TenancySchema.migrations.filter { $0.version < 14 },
      clock: ManualClock(TenancyStage.start)
    )
    try await old.write { tx in
      for (id, type, parent) in [
        ("fam_old", "family", "sys_root"), ("chd_old", "child", "fam_old"),
        ("unt_old", "unit", "prp_old"),
      ] {
        try tx.execute(
          "INSERT INTO tombstone (id, type, root_id, deleted_at, parent_id) VALUES (?, ?, ?, ?, ?)",
          .text(id),
          .text(type),
          .text("fam_old"),
          .integer(TenancyStage.start),
          .text(parent)
        )
      }
    }
    await old.close()
    let holders = ScriptedHolders()
    try await TenancyStage.run(
      policy: PolicyFile.bytes("family"),
      in: folder,
      holders: holders
    ) { stage in
      await stage.endHolders()
      #expect(Set(holders.ended) == ["fam_old", "chd_old"])
      let waiting = try await stage.waitingHolders()
      #expect(waiting == [])
    }
  }
}
