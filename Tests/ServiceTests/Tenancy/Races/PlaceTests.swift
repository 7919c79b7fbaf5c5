import Foundation
import PackedTables
import RPCKit
import RPCKitTesting
import ServiceKit

import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Whatever writes an entity, and with whomever at once: parents are those of the policy, nothing is too
/// deep, and there is no circle.
@Suite("Places of entities")
struct PlaceTests {
  /// A store and an engine that follows it, under a policy whose networks lie within each other.
  private struct Stage: Sendable {
    let database: Database
    let engine: PermissionEngine
    let policy: Policy

    /// Has all trees in memory.
    func loadTrees() async throws {
      let metrics = MetricRegistry()
      let store = ServiceStore(
        database,
        of: "tenancy",
        identifiers: IdentifierFactory(clock: ManualClock(), random: SystemRandomSource()),
        metrics: metrics
      )
      let loader = TreeLoader(store, engine, UTCOnly(), smallCountMax: .max, metrics: metrics)
      _ = try await loader.load([.everything])
    }

    static func run(_ body: (Stage) async throws -> Void) async throws {
      let folder = try TestFolder()
      let configuration = DatabaseConfiguration(
        path: folder.path("store"),
        applicationID: TenancySchema.applicationID
      )
      let database = try await Database.open(configuration, migrations: TenancySchema.migrations)
      let policy = try Policy.load([UInt8](LibraryPolicy.text.utf8))
      let forest = try await database.read { tx in
        try ForestLoader.load(policy, TimeZoneFiles(), tx)
      }
      let engine = PermissionEngine(forest)
      try await database.attach(engine, after: engine.revision)
      let stage = Stage(database: database, engine: engine, policy: policy)
      try await body(stage)
      // What a start would find: a forest, each entity of it below the system.
      let loaded = try await database.read { tx in
        try ForestLoader.load(policy, TimeZoneFiles(), tx)
      }
      try await stage.loadTrees()
      #expect(loaded.entityCount == engine.peek { $0.entityCount })
      engine.end()
      await database.close()
    }

    /// Makes an entity; why it was refused, if it was.
    func add(_ id: String, _ type: String, under parent: String) async -> String? {
      await reason { tx in
        let record = EntityRecord(
          id: id,
          type: type,
          parentID: parent,
          rootID: try root(of: id, under: parent, tx),
          name: id,
          now: 0
        )
        _ = try EntityTable.put(record, insteadOf: nil, policy, in: tx)
      }
    }

    /// Moves an entity; why it was refused, if it was.
    func move(_ id: String, under parent: String) async -> String? {
      await reason { tx in
        guard let before = try EntityTable.all([id], in: tx).first else {
          throw TenancyError.notFound
        }
        var after = before
        after.parentID = parent
        after.rootID = try root(of: id, under: parent, tx)
        if after.rootID != before.rootID {
          try EntityTable.setRoot(after.rootID, below: id, in: tx)
        }
        _ = try EntityTable.put(after, insteadOf: before, policy, in: tx)
      }
    }

    /// The root of an entity that is put under a parent.
    private func root(
      of id: String,
      under parent: String,
      _ tx: borrowing WriteTransaction
    ) throws -> String {
      guard parent != Forest.systemIdentifier else { return id }
      return try EntityTable.all([parent], in: tx).first?.rootID ?? id
    }

    private func reason(
      _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
    ) async -> String? {
      do {
        try await database.write { tx in try body(tx) }
        return nil
      } catch {
        return (error as? RPCError)?.errorInfo?.reason ?? "\(error)"
      }
    }
  }

  @Test("A parent that the policy does not allow is refused, for new entities and for moves")
  func parents_notAllowed_areRefused() async throws {
    try await Stage.run { stage in
      #expect(await stage.add("branch", "branch", under: "sys_root") == "PARENT_NOT_ALLOWED")
      #expect(await stage.add("net", "network", under: "sys_root") == nil)
      #expect(await stage.add("branch", "branch", under: "net") == nil)
      #expect(await stage.add("shelf", "shelf", under: "net") == "PARENT_NOT_ALLOWED")
      #expect(await stage.move("branch", under: "sys_root") == "PARENT_NOT_ALLOWED")
      #expect(await stage.move("net", under: "branch") == "PARENT_NOT_ALLOWED")
      #expect(await stage.add("other", "branch", under: "nowhere") == "NOT_FOUND")
    }
  }

  @Test("Sixteen levels are the most, counted with what a moved entity brings along")
  func depth_overLimit_isRefused() async throws {
    try await Stage.run { stage in
      for tree in ["a", "b"] {
        for level in 1...8 {
          let parent = level == 1 ? "sys_root" : "\(tree)\(level - 1)"
          #expect(await stage.add("\(tree)\(level)", "network", under: parent) == nil)
        }
      }
      #expect(await stage.add("b9", "network", under: "b8") == nil)
      // Nine levels below eight.
      #expect(await stage.move("b1", under: "a8") == "TOO_DEEP")
      #expect(await stage.move("b2", under: "a8") == nil)
      #expect(await stage.add("b10", "network", under: "b9") == "TOO_DEEP")
      #expect(await stage.move("b1", under: "b9") == "TOO_DEEP")
    }
  }

  @Test("Nothing goes below itself")
  func moves_belowThemselves_areRefused() async throws {
    try await Stage.run { stage in
      for (id, parent) in [("a", "sys_root"), ("b", "a"), ("c", "b")] {
        #expect(await stage.add(id, "network", under: parent) == nil)
      }
      for target in ["a", "b", "c"] {
        #expect(await stage.move("a", under: target) == "WOULD_BE_CYCLE")
      }
    }
  }

  @Test("Of two that go below each other at once one is refused, in one commit or in several")
  func moves_belowEachOther_oneIsRefused() async throws {
    try await Stage.run { stage in
      for round in 0..<20 {
        let (a, b) = ("a\(round)", "b\(round)")
        for id in [a, b] { #expect(await stage.add(id, "network", under: "sys_root") == nil) }
        let hold = await WriterHold(stage.database)
        let first = await WriterHold.queue(in: stage.database) { await stage.move(a, under: b) }
        if round % 2 == 1 {
          // Ends the commit.
          _ = await WriterHold.queue(in: stage.database) {
            try? await stage.database.write { tx in try tx.relyOnEverything() }
          }
        }
        let second = await WriterHold.queue(in: stage.database) { await stage.move(b, under: a) }
        try await hold.end()
        #expect(await first.value == nil)
        #expect(await second.value == "WOULD_BE_CYCLE")
      }
    }
  }

  @Test("Moves of everybody at once leave a forest, at most sixteen levels deep")
  func moves_random_leaveAForest() async throws {
    let seed = SeededGenerator.seed("RACE_SEED")
    var random = SeededGenerator(state: seed)
    try await Stage.run { stage in
      let ids = (0..<40).map { "n\($0)" }
      for id in ids { #expect(await stage.add(id, "network", under: "sys_root") == nil) }
      var moves: [(id: String, parent: String)] = []
      for _ in 0..<1200 {
        let id = ids[Int(random.next() % 40)]
        moves.append((id, random.next() % 20 == 0 ? "sys_root" : ids[Int(random.next() % 40)]))
      }
      let reasons = await withTaskGroup(of: [String].self) { group in
        for writer in 0..<8 {
          let own = stride(from: writer, to: moves.count, by: 8).map { moves[$0] }
          group.addTask {
            var reasons: [String] = []
            for move in own {
              if let reason = await stage.move(move.id, under: move.parent) {
                reasons.append(reason)
              }
            }
            return reasons
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      #expect(Set(reasons).isSubset(of: ["WOULD_BE_CYCLE", "TOO_DEEP"]), "seed \(seed)")
      #expect(reasons.contains("WOULD_BE_CYCLE"), "seed \(seed)")
      try await stage.loadTrees()
      let unrooted = stage.engine.peek { $0.unrootedEntity }
      #expect(unrooted == nil, "seed \(seed)")
    }
  }
}

extension Forest {
  /// An entity from which no walk of at most `depthMax` steps leads to the system; nil when there is
  /// none.
  ///
  /// Of a forest that was loaded: everything else here goes up without looking, and would never end
  /// in a circle.
  fileprivate var unrootedEntity: String? {
    for index in 0..<nodes.count where nodes[index].isAlive && !isRooted(UInt32(index)) {
      return entities.text(UInt32(index))
    }
    return nil
  }

  private func isRooted(_ entity: UInt32) -> Bool {
    var current = entity
    for _ in 0...Self.depthMax {
      guard current != Self.system else { return true }
      guard current != Self.none, nodes[Int(current)].isAlive else { return false }
      current = nodes[Int(current)].parent
    }
    return false
  }
}
