import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Trees come into memory when something is asked about them.
@Suite
struct TreeLoaderTests {
  @Test("A start has no tree in memory, and a question loads the one that it is about")
  func start_loadsTreesOnDemand() async throws {
    let folder = try TestFolder()
    var built: [Building] = []
    try await TenancyStage.run(in: folder) { stage in
      built = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
    }
    let homes = built
    try await TenancyStage.run(in: folder, treeByteCountMax: .max) { stage in
      let engine = stage.service.engine
      #expect(engine.peek { $0.heldRoots } == [])
      let decision = try await stage.permissions.check(
        .init(action: "device.view", entityId: homes[0].door),
        options: .by(homes[0].owner)
      )
      #expect(decision.allowed)
      #expect(engine.peek { $0.heldRoots } == [homes[0].portfolio])
      // A list of everything that somebody sees loads the trees of their roles.
      let listed = try await stage.devices.list(.init(), options: .by(homes[1].owner)).devices
      #expect(listed.count == 3)
      #expect(Set(engine.peek { $0.heldRoots }) == Set(homes.map(\.portfolio)))
    }
  }

  @Test("An identifier of nothing loads nothing, and is looked up once")
  func unknownEntity_loadsNothing() async throws {
    try await TenancyStage.run { stage in
      let engine = stage.service.engine
      let lacking = #expect(throws: RPCError.self) {
        try engine.read { $0.entity("prt_nothing") == nil }
      }
      #expect(lacking?.reason == "ENTITIES_UNAVAILABLE" && lacking?.code == .unavailable)
      let decision = try await stage.permissions.check(
        .init(action: "portfolio.view", entityId: "prt_nothing"),
        options: .by("usr_a")
      )
      #expect(decision.reason == .entityUnknown)
      #expect(engine.peek { $0.heldRoots } == [])
      #expect(try engine.read { $0.entity("prt_nothing") == nil })
    }
  }

  @Test("Many who ask about one tree at once all get their answer")
  func manyAtOnce_allAnswered() async throws {
    try await TenancyStage.run { stage in
      let home = try await Building(stage, name: "a")
      stage.service.engine.release(root: home.portfolio)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<64 {
          group.addTask {
            try await stage.permissions.check(
              .init(action: "device.view", entityId: home.door),
              options: .by(home.owner)
            ).allowed
          }
        }
        for try await isAllowed in group { #expect(isAllowed) }
      }
    }
  }

  @Test("A denial tells roles elsewhere from none, whatever is in memory")
  func denial_restsOnAllRoles() async throws {
    try await TenancyStage.run { stage in
      let homes = [try await Building(stage, name: "a"), try await Building(stage, name: "b")]
      for home in homes { stage.service.engine.release(root: home.portfolio) }
      let reason = { (user: String) in
        try await stage.permissions.check(
          .init(subjectId: user, action: "device.view", entityId: homes[0].door),
          options: .byService("entitlement")
        ).reason
      }
      #expect(try await reason("usr_nobody") == .noAssociation)
      #expect(try await reason(homes[1].owner) == .outOfScope)
    }
  }
}

/// Changes that come while a tree is read.
@Suite
struct TreeRowsTests {
  private func row(_ id: String, below parent: String, name: String = "") -> EntityRow {
    EntityRow(id: id, type: EntityTypeID(index: 1), parent: parent, name: name, codes: [])
  }

  private func tree() -> TreeRows {
    TreeRows(root: "a", revision: 1, entities: [row("a", below: "sys_root"), row("b", below: "a")])
  }

  @Test("What was made, changed and deleted in it is followed, and nothing of other trees")
  func change_inside_isFollowed() {
    var tree = tree()
    tree.apply(.putEntity(row("c", below: "b")))
    tree.apply(.putEntity(row("b", below: "a", name: "new")))
    tree.apply(.putEntity(row("x", below: "other")))
    tree.apply(.removeEntity("c"))
    #expect(Set(tree.entities.keys) == ["a", "b"])
    #expect(tree.entities["b"]?.name == "new")
    #expect(!tree.isOvertaken)
  }

  @Test("Each entity comes after the one above it, whatever has changed since they were sorted")
  func order_followsChanges() {
    var tree = tree()
    var unrooted = tree.sort()
    #expect(unrooted == nil)
    let isDownwards = { (rows: [EntityRow]) in
      let ids = rows.map(\.id)
      return Set(ids).count == ids.count
        && rows.allSatisfy { row in
          row.id == "a"
            || (ids.firstIndex(of: row.parent) ?? .max) < (ids.firstIndex(of: row.id) ?? -1)
        }
    }
    tree.apply(.putEntity(row("c", below: "b")))
    tree.apply(.putEntity(row("d", below: "c")))
    #expect(tree.entitiesInOrder.map(\.id) == ["a", "b", "c", "d"])
    // One that moves below a newer one, and one that comes back there.
    tree.apply(.leaving("b"))
    tree.apply(.removeEntity("d"))
    tree.apply(.removeEntity("c"))
    tree.apply(.putEntity(row("e", below: "a")))
    tree.apply(.putEntity(row("b", below: "e")))
    tree.apply(.putEntity(row("c", below: "b")))
    #expect(tree.entitiesInOrder.count == 4 && isDownwards(tree.entitiesInOrder))
    var returning = self.tree()
    unrooted = returning.sort()
    #expect(unrooted == nil)
    returning.apply(.removeEntity("b"))
    returning.apply(.putEntity(row("f", below: "a")))
    returning.apply(.putEntity(row("b", below: "f")))
    #expect(returning.entitiesInOrder.count == 3 && isDownwards(returning.entitiesInOrder))
  }

  @Test("A move inside of it is followed; one into it or out of it means to read it again")
  func move_acrossTrees_overtakes() {
    var inside = tree()
    inside.apply(.putEntity(row("c", below: "a")))
    inside.apply(.leaving("c"))
    inside.apply(.putEntity(row("c", below: "b")))
    #expect(inside.entities["c"]?.parent == "b" && !inside.isOvertaken)
    var coming = tree()
    coming.apply(.leaving("x"))
    coming.apply(.putEntity(row("x", below: "b")))
    #expect(coming.isOvertaken)
    var going = tree()
    going.apply(.leaving("b"))
    going.apply(.putEntity(row("b", below: "other")))
    #expect(going.isOvertaken)
    var sinking = tree()
    sinking.apply(.leaving("a"))
    sinking.apply(.putEntity(row("a", below: "other")))
    #expect(sinking.isOvertaken)
  }
}
