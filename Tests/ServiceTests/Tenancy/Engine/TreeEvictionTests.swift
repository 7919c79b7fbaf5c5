import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Trees leave memory when there are too many.
@Suite
struct TreeEvictionTests {
  /// Room for three buildings, which take about 2,300 bytes each.
  private static let byteCountMax = 8000

  /// A forest of so many trees, each of a root with one below it.
  private static func forest(_ count: Int) throws -> Forest {
    let policy = try Policy.load(PolicyFile.bytes("smart-home"), zones: TimeZoneFiles())
    var forest = Forest(partialUnder: policy, zones: TimeZoneFiles())
    let portfolio = try #require(policy.type(named: "portfolio"))
    let property = try #require(policy.type(named: "property"))
    for number in 0..<count {
      let rows = [("p\(number)", portfolio, "sys_root"), ("q\(number)", property, "p\(number)")]
      let entities = rows.map { id, type, parent in
        let codes = [UInt8](repeating: 0, count: policy[type].attributes.count(where: \.isCoded))
        return EntityRow(id: id, type: type, parent: parent, name: id, codes: codes)
      }
      let isHeld = forest.hold(TreeRows(root: "p\(number)", revision: 0, entities: entities))
      #expect(isHeld)
    }
    return forest
  }

  /// Lets go of the trees that the hand finds; returns them in order.
  private static func release(
    _ count: Int,
    of forest: inout Forest,
    pinned: Set<String> = []
  ) -> [String] {
    (0..<count).compactMap { _ in
      guard let root = forest.leastUsedRoot(isPinned: { pinned.contains($0) }) else { return nil }
      let identifier = forest.identifier(of: root)
      forest.release(identifier)
      return identifier
    }
  }

  @Test("A tree in use stays, whatever leaves")
  func used_stays() throws {
    var forest = try Self.forest(100)
    // The marks of their coming are gone after a turn.
    var released = Self.release(1, of: &forest)
    for _ in 0..<98 {
      // One of 32 questions is noted.
      let kept = released.first == "p7" ? "q8" : "q7"
      for _ in 0..<32 { #expect(forest.entity(kept) != nil) }
      released += Self.release(1, of: &forest)
    }
    #expect(Set(released).count == 99 && forest.treeCount == 1)
    #expect(forest.heldRoots == [released.first == "p7" ? "p8" : "p7"])
  }

  @Test("A pinned tree stays, and when all are pinned none leaves")
  func pinned_stays() throws {
    var forest = try Self.forest(5)
    #expect(Set(Self.release(9, of: &forest, pinned: ["p1", "p3"])) == ["p0", "p2", "p4"])
    #expect(Set(forest.heldRoots) == ["p1", "p3"])
    #expect(Self.release(1, of: &forest, pinned: ["p1", "p3"]) == [])
    #expect(Self.release(9, of: &forest).count == 2)
    #expect(forest.treeCount == 0 && forest.heldCount == 1)
    #expect(Self.release(1, of: &forest) == [])
  }

  @Test("The count of bytes follows what comes and goes")
  func byteCount_follows() throws {
    var forest = try Self.forest(0)
    let empty = forest.byteCount
    var full = try Self.forest(50)
    let one = try Self.forest(1).byteCount
    #expect(full.byteCount == empty + 50 * (one - empty))
    _ = Self.release(50, of: &full)
    #expect(full.byteCount == empty)
    let root = forest.leastUsedRoot { _ in false }
    #expect(root == nil)
  }

  @Test("Memory stays within its limit, and decisions are the same as before")
  func decisions_withinLimit_areRight() async throws {
    try await TenancyStage.run(treeByteCountMax: Self.byteCountMax) { stage in
      let engine = stage.service.engine
      var homes: [Building] = []
      for number in 0..<8 { homes.append(try await Building(stage, name: "h\(number)")) }
      for _ in 0..<3 {
        for home in homes {
          for (user, isAllowed) in [(home.tenant, true), (homes[0].owner, home.name == "h0")] {
            let decision = try await stage.permissions.check(
              .init(action: "device.view", entityId: home.door),
              options: .by(user)
            )
            #expect(decision.allowed == isAllowed)
          }
        }
      }
      let memory = engine.memory
      #expect(memory.byteCount <= Self.byteCountMax && memory.treeCount > 0)
      #expect(memory.releaseCount >= 20)
      let metrics = String(decoding: stage.metrics.render(), as: UTF8.self)
      #expect(metrics.contains("gatehouse_tenancy_tree_releases_total \(memory.releaseCount)"))
    }
  }

  @Test("A list over more trees than memory has room for is complete")
  func list_overMoreThanFits_isComplete() async throws {
    try await TenancyStage.run(treeByteCountMax: Self.byteCountMax) { stage in
      var ids: Set<String> = []
      for number in 0..<20 {
        ids.insert(
          try await stage.portfolios.create(.init(name: "p\(number)"), options: .by("usr_a")).id
        )
        _ = try await Building(stage, name: "h\(number)")
      }
      var (found, token): (Set<String>, String) = ([], "")
      repeat {
        let page = try await stage.portfolios.list(
          .init(pageSize: 7, pageToken: token),
          options: .by("usr_a")
        )
        found.formUnion(page.portfolios.map(\.id))
        token = page.nextPageToken
      } while !token.isEmpty
      #expect(found == ids)
      #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
      try await stage.makeOperator("usr_super")
      let all = try await stage.portfolios.list(.init(pageSize: 100), options: .by("usr_super"))
      #expect(all.portfolios.count == 40)
      #expect(stage.service.engine.memory.byteCount <= Self.byteCountMax)
    }
  }
}
