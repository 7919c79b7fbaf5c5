import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// A hold on all loads of large trees, so that a test can ask while one goes on.
private struct LoadHold {
  private let loader: TreeLoader
  private let gate: Task<Void, Never>
  private let opening: AsyncStream<Void>.Continuation

  /// Loads of large trees that begin from here on wait.
  init(_ stage: TenancyStage) async throws {
    loader = try #require(stage.service.core.loader as? TreeLoader)
    let (opened, opening) = AsyncStream<Void>.makeStream()
    self.opening = opening
    gate = Task { for await _ in opened {} }
    await loader.holdLarge(until: gate)
  }

  /// What is being loaded behind answers.
  var behind: Set<Missing> { get async { await loader.behind } }

  /// Lets loads go.
  func end() { opening.finish() }
}

extension TreeLoader {
  fileprivate func holdLarge(until gate: Task<Void, Never>) { lastLarge = gate }
}

extension TenancyStage {
  /// The reads that calls have asked the store for.
  fileprivate var readCount: Int {
    let name = #"gatehouse_service_store_transactions_total{kind="read"} "#
    let lines = String(decoding: metrics.render(), as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? -1
  }

  fileprivate var heldRoots: Set<String> { Set(service.engine.peek { $0.heldRoots }) }

  fileprivate func check(
    _ action: String,
    _ entity: String,
    _ user: String,
    atLeast token: String = ""
  ) async throws -> Tenancy_V1.Decision {
    var decision = try await permissions.check(
      .init(
        subjectId: user,
        action: action,
        entityId: entity,
        atLeastRevision: token,
        forCache: true
      ),
      options: .byService("entitlement")
    )
    // It is another one each time.
    decision.revision = ""
    return decision
  }
}

/// Questions about a large tree are answered before it is in memory.
///
/// Here every tree is large.
@Suite
struct LargeTreeTests {
  @Test("A first question is answered while the tree is being read, which then answers alike")
  func firstQuestion_isAnsweredBeforeTheTree() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let home = try await Building(stage, name: "a")
      stage.service.engine.release(root: home.portfolio)
      let hold = try await LoadHold(stage)
      let ask = { () -> [Tenancy_V1.Decision] in
        var decisions: [Tenancy_V1.Decision] = []
        for user in [home.owner, home.manager, home.tenant, home.guest, "usr_nobody"] {
          for (action, entity) in [
            ("portfolio.view", home.portfolio), ("unit.view", home.unit),
            ("device.view", home.door), ("device.view", home.gate), ("device.view", home.cellar),
          ] { decisions.append(try await stage.check(action, entity, user)) }
        }
        return decisions
      }
      let before = try await ask()
      #expect(stage.heldRoots == [])
      #expect(await hold.behind == [.tree(of: home.portfolio)])
      #expect(Set(before.map(\.allowed)).count == 2)
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains("gatehouse_tenancy_tree_parts_total \(before.count)\n"))
      hold.end()
      #expect(await stage.eventually { stage.heldRoots == [home.portfolio] })
      #expect(try await ask() == before)
      #expect(await stage.eventually { await hold.behind == [] })
    }
  }

  @Test("A small tree is waited for, as its load takes no longer than a part of it")
  func smallTree_isLoaded() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 6) { stage in
      let home = try await Building(stage, name: "a")
      stage.service.engine.release(root: home.portfolio)
      #expect(try await stage.check("device.view", home.door, home.owner).allowed)
      #expect(stage.heldRoots == [home.portfolio])
    }
  }

  @Test("Lists and writes wait for the whole tree, and are right then")
  func listsAndWrites_wait() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let home = try await Building(stage, name: "a")
      stage.service.engine.release(root: home.portfolio)
      let hold = try await LoadHold(stage)
      #expect(try await stage.check("device.view", home.door, home.owner).allowed)
      async let listed = stage.devices.list(.init(), options: .by(home.owner))
      async let written = stage.devices.update(
        .init(deviceId: home.door, name: "Front"),
        options: .by(home.manager)
      )
      // Both wait for the same load as the question behind them, which is answered.
      #expect(try await stage.check("device.view", home.gate, home.owner).allowed)
      #expect(stage.heldRoots == [])
      hold.end()
      let (devices, door) = (try await listed.devices, try await written)
      #expect(devices.count == 3 && door.name == "Front")
    }
  }

  @Test("A question with a token sees what was committed, while the tree is being read and after")
  func token_isSeen() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let home = try await Building(stage, name: "a")
      let core = stage.service.core
      stage.service.engine.release(root: home.portfolio)
      let hold = try await LoadHold(stage)
      #expect(try await !stage.check("device.view", home.door, "usr_late").allowed)
      // As another program writes: what a tree is needed for waits here.
      for round in 0..<4 {
        let isGiven = round.isMultiple(of: 2)
        let revision = try await stage.service.database.write { [core] tx in
          try LateRole.set(isGiven, of: "usr_late", on: home.unit, core.policy, tx)
        }
        let token = core.tokens.token(revision: revision)
        let decision = try await stage.check("device.view", home.door, "usr_late", atLeast: token)
        #expect(decision.allowed == isGiven, "round \(round)")
        if round == 2 {
          hold.end()
          #expect(await stage.eventually { stage.heldRoots == [home.portfolio] })
        }
      }
    }
  }

  @Test("An identifier of nothing costs one read and loads nothing")
  func unknownEntity_costsOneRead() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      _ = try await Building(stage, name: "a")
      let before = stage.readCount
      for _ in 0..<3 {
        let decision = try await stage.check("device.view", "dev_nothing", "usr_a")
        #expect(decision.reason == .entityUnknown)
      }
      #expect(stage.readCount == before + 1)
    }
  }

  @Test("A denial tells roles in a large tree elsewhere from none, before that is in memory")
  func denial_restsOnRolesInLargeTrees() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      stage.service.engine.release(root: homes[1].portfolio)
      let hold = try await LoadHold(stage)
      let door = homes[0].door
      let reasons = [
        try await stage.check("device.view", door, homes[1].tenant).reason,
        try await stage.check("device.view", door, "usr_x").reason,
      ]
      #expect(reasons == [.outOfScope, .noAssociation])
      #expect(stage.heldRoots == [homes[0].portfolio])
      #expect(await hold.behind == [.trees(ofSubject: homes[1].tenant)])
      hold.end()
      #expect(await stage.eventually { stage.heldRoots.count == 2 })
    }
  }

  @Test("Batches and lists of actions are answered too, of trees in memory and others")
  func batches_areAnswered() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      let checks = homes.flatMap { home in
        [home.owner, home.tenant, homes[0].guest].map { user in
          Tenancy_V1.CheckRequest(subjectId: user, action: "device.view", entityId: home.door)
        }
      }
      let ask = {
        try await stage.permissions.batchCheck(
          .init(checks: checks),
          options: .byService("entitlement")
        ).decisions.map { decision in
          var decision = decision
          decision.revision = ""
          return decision
        }
      }
      let listActions = {
        try await stage.permissions.listActions(
          .init(subjectId: homes[1].tenant, entityIds: homes.map(\.door)),
          options: .byService("entitlement")
        ).entities
      }
      let (decisions, actions) = (try await ask(), try await listActions())
      stage.service.engine.release(root: homes[1].portfolio)
      let hold = try await LoadHold(stage)
      #expect(try await ask() == decisions)
      #expect(try await listActions() == actions)
      #expect(stage.heldRoots == [homes[0].portfolio])
      hold.end()
    }
  }

  @Test("However many ask, a tree is loaded once, and a second large one after it")
  func manyAtOnce_loadOnce() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      for home in homes { stage.service.engine.release(root: home.portfolio) }
      let hold = try await LoadHold(stage)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<64 {
          let home = homes[number % 2]
          let entity = [home.door, home.gate, home.cellar][number % 3]
          group.addTask { try await stage.check("device.view", entity, home.owner).allowed }
        }
        for try await isAllowed in group { #expect(isAllowed) }
      }
      #expect(await hold.behind == Set(homes.map { Missing.tree(of: $0.portfolio) }))
      hold.end()
      #expect(await stage.eventually { stage.heldRoots == Set(homes.map(\.portfolio)) })
    }
  }

  @Test("A tree that cannot be read is waited for from the second question on, which says so")
  func unreadableTree_isWaitedFor() async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let home = try await Building(stage, name: "a")
      stage.service.engine.release(root: home.portfolio)
      try await stage.service.database.write { tx in
        try tx.execute("UPDATE entity SET type = 'ship' WHERE id = ?", .text(home.cellar))
      }
      let hold = try await LoadHold(stage)
      #expect(try await stage.check("device.view", home.door, home.owner).allowed)
      hold.end()
      #expect(await stage.eventually { await hold.behind == [] })
      let refused = try await refusal {
        try await stage.check("device.view", home.door, home.owner)
      }
      #expect(refused?.code == .internal)
      try await stage.service.database.write { tx in
        try tx.execute("UPDATE entity SET type = 'device' WHERE id = ?", .text(home.cellar))
      }
      #expect(try await stage.check("device.view", home.door, home.owner).allowed)
      #expect(stage.heldRoots == [home.portfolio])
    }
  }

  /// The policy without the right of tenants to see their unit.
  private static func narrowPolicy() throws -> [UInt8] {
    try PolicyFile.changed(
      "smart-home",
      #""unit.view": { "roles": ["property_manager", "tenant", "guest"] }"#,
      #""unit.view": { "roles": ["property_manager", "guest"] }"#,
      asserting: """
        "entities": [{ "id": "a", "type": "portfolio" }],
        "associations": [{ "user": "ann", "role": "owner", "on": "a" }],
        "expect": [{ "who": "ann", "action": "portfolio.view", "on": "a", "expect": "allow" }]
        """
    )
  }

  @Test("A decision is by the policy of its revision, however often another one comes into force")
  func policyChange_decidesByRevision() async throws {
    let policies = [try Self.narrowPolicy(), try PolicyFile.bytes("smart-home")]
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      let home = try await Building(stage, name: "a")
      let core = stage.service.core
      stage.service.engine.release(root: home.portfolio)
      let hold = try await LoadHold(stage)
      var changes = [(revision: core.engine.basis.generation, isAllowed: true)]
      let isOver = Lock(false)
      let asking = Task {
        var seen: [(revision: Int64, isAllowed: Bool)] = []
        while !isOver.withLock({ $0 }) {
          let decision = try await stage.permissions.check(
            .init(subjectId: home.tenant, action: "unit.view", entityId: home.unit),
            options: .byService("entitlement")
          )
          let revision = try core.tokens.revision(token: decision.revision)
          seen.append((revision, decision.allowed))
        }
        return seen
      }
      for round in 0..<12 {
        try await stage.service.reload(policy: { policies[round % 2] })
        changes.append((core.engine.basis.generation, !round.isMultiple(of: 2)))
      }
      isOver.withLock { $0 = true }
      let seen = try await asking.value
      for one in seen {
        let last = changes.last { $0.revision <= one.revision }
        #expect(one.isAllowed == last?.isAllowed, "at \(one.revision), \(changes)")
      }
      #expect(Set(seen.map(\.isAllowed)).count == 2, "\(seen.count)")
      #expect(stage.heldRoots == [])
      hold.end()
    }
  }

  @Test(
    "While trees come and go and change, decisions are those of the whole store",
    arguments: 1...3
  )
  func randomChanges_decideAlike(seed: Int) async throws {
    try await TenancyStage.run(treeByteCountMax: .max, smallTreeCountMax: 0) { stage in
      var forest = try await StoredForest(stage, seed: UInt64(seed))
      let engine = stage.service.engine
      var generator = SeededGenerator(state: UInt64(seed))
      for _ in 0..<12 {
        try await forest.grow()
        if let deletion = try await forest.randomDeletion(), Bool.random(using: &generator) {
          _ = try? await forest.delete(deletion, isDryRun: false)
        }
        let policy = engine.policy
        let ids = try await forest.image().entities.keys.sorted()
        let whole = try await stage.service.database.read { tx in
          try ForestLoader.load(policy, TimeZoneFiles(), tx)
        }
        for _ in 0..<20 {
          for root in engine.peek({ $0.heldRoots }) where Bool.random(using: &generator) {
            engine.release(root: root)
          }
          let check = PermissionCheck(
            subject: try #require(StoredForest.userIDs.randomElement(using: &generator)),
            action: try #require(policy.actions.randomElement(using: &generator)),
            entity: try #require(ids.randomElement(using: &generator)),
            wantsAncestors: true
          )
          var expected = Tenancy_V1.Decision()
          let context = CheckContext(isUser: false, assurance: nil, features: NoFeatures())
          _ = whole.decide(check, context, now: TenancyStage.start, into: &expected)
          var decision = try await stage.check(check.action, check.entity, check.subject)
          // Of two roles that are alike either may be named.
          if decision.role == expected.role, decision.allowed {
            (decision.associationId, expected.associationId) = ("", "")
            (decision.viaEntityId, expected.viaEntityId) = ("", "")
          }
          #expect(decision == expected, "\(check)")
        }
      }
    }
  }
}
