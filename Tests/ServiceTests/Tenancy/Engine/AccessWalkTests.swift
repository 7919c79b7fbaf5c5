import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("Lists while the forest changes")
struct AccessWalkTests {
  private static func page(_ walk: AccessWalk, _ forest: borrowing Forest) -> [String] {
    guard case .page(let selection) = walk.purpose else { return [] }
    var ids: [String] = []
    for entry in selection.page { ids.append(forest.entities.text(entry.entity)) }
    return ids
  }

  @Test(
    "What may be seen during the whole list is on it once; what comes and goes may be or not",
    arguments: 1...12
  )
  func walk_withChangesBetweenSteps_findsWhatStays(seed: Int) async throws {
    let estate = try DeviceEstate(deviceCount: 300)
    var generator = SeededGenerator(state: UInt64(seed))
    var alive = Set((0..<300).map { "dev_\($0)" })
    var stayed = alive
    let engine = PermissionEngine(estate.forest)
    let query = try estate.query()
    var revision: Int64 = 0
    var next = 300
    let id = try #require(
      engine.open { forest in
        AccessWalk(
          query,
          .page(PageSelection(limit: 1000, sortsByName: true, after: nil)),
          forest
        )
      }
    )
    // One step at a time, with something happening after each.
    while case .more = engine.slice(id, stepCount: 1) {
      revision += 1
      let victim = try #require(alive.sorted().randomElement(using: &generator))
      let property = "prp_\(Int.random(in: 0..<6, using: &generator))"
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        alive.remove(victim)
        stayed.remove(victim)
        engine.apply([.init(change: .removeEntity(victim), revision: revision)])
      case 1, 2:
        engine.apply([
          .init(
            change: .putEntity(estate.row(victim, "device", under: property)),
            revision: revision
          )
        ])
      default:
        engine.apply([
          .init(
            change: .putEntity(estate.row("dev_\(next)", "device", under: property)),
            revision: revision
          )
        ])
        alive.insert("dev_\(next)")
        next += 1
      }
      if alive.count < 60 { break }
    }
    while case .more = engine.slice(id) {}
    let found = try #require(
      try engine.ended(id) { walk, forest in Self.page(walk, forest) }
    )
    #expect(Set(found).count == found.count, "something is on the list twice")
    #expect(stayed.subtracting(found).isEmpty, "something that stayed is not on the list")
    #expect(Set(found).subtracting(alive).isEmpty, "something that is gone is on the list")
  }

  @Test("What moves within a list is on it once, and what leaves the filter is not")
  func walk_moves_staysWithinFilter() throws {
    let estate = try DeviceEstate(deviceCount: 60)
    let engine = PermissionEngine(estate.forest)
    let query = try estate.query(within: "prp_0")
    let id = try #require(
      engine.open { forest in
        AccessWalk(
          query,
          .page(PageSelection(limit: 100, sortsByName: false, after: nil)),
          forest
        )
      }
    )
    _ = engine.slice(id, stepCount: 3)
    engine.apply([
      .init(change: .putEntity(estate.row("dev_0", "device", under: "prp_1")), revision: 1)
    ])
    engine.apply([
      .init(change: .putEntity(estate.row("dev_1", "device", under: "prp_0")), revision: 2)
    ])
    while case .more = engine.slice(id) {}
    let found = try #require(try engine.ended(id) { walk, forest in Self.page(walk, forest) })
    let others = (0..<60).filter { $0 % 6 == 0 && $0 != 0 }.map { "dev_\($0)" }
    #expect(Set(found).isSuperset(of: others))
    #expect(Set(found).isSubset(of: others + ["dev_1", "dev_0"]))
  }

  @Test("What the place is linked to is on the list once, also when something moves meanwhile")
  func walk_linked_isFoundOnce() throws {
    var estate = try DeviceEstate(deviceCount: 60)
    let link = try #require(estate.policy.link(named: "common_area"))
    estate.forest.apply(.putEntity(estate.row("unt_1", "unit", under: "prp_0")))
    for device in ["dev_0", "dev_6", "dev_12"] {
      estate.forest.apply(.putLink(.init(link: link, from: "unt_1", to: device)))
    }
    estate.forest.apply(.putEntity(estate.row("dev_18", "device", under: "unt_1")))
    let engine = PermissionEngine(estate.forest)
    var linked = try estate.query(within: "unt_1")
    linked.link = link
    let query = linked
    let id = try #require(
      engine.open { forest in
        AccessWalk(
          query,
          .page(PageSelection(limit: 100, sortsByName: false, after: nil)),
          forest
        )
      }
    )
    _ = engine.slice(id, stepCount: 1)
    // One comes in from elsewhere, and one that was linked goes into the place, without its link.
    engine.apply([
      .init(change: .putEntity(estate.row("dev_24", "device", under: "unt_1")), revision: 1)
    ])
    engine.apply([
      .init(
        change: .removeLink(.init(link: link, from: "unt_1", to: "dev_12")),
        revision: 2
      )
    ])
    engine.apply([
      .init(change: .putEntity(estate.row("dev_12", "device", under: "unt_1")), revision: 3)
    ])
    while case .more = engine.slice(id) {}
    let found = try #require(try engine.ended(id) { walk, forest in Self.page(walk, forest) })
    #expect(found.sorted() == ["dev_0", "dev_12", "dev_18", "dev_24", "dev_6"])
  }

  @Test("Who loses the right while the list is made gets nothing of it")
  func walk_roleRemoved_showsNothing() throws {
    let estate = try DeviceEstate(deviceCount: 50)
    let engine = PermissionEngine(estate.forest)
    let query = try estate.query()
    let id = try #require(
      engine.open { forest in
        AccessWalk(query, .page(PageSelection(limit: 100, sortsByName: true, after: nil)), forest)
      }
    )
    _ = engine.slice(id, stepCount: 20)
    engine.apply([.init(change: .removeAssociation("asc_prt_1"), revision: 1)])
    while case .more = engine.slice(id) {}
    let found = try engine.ended(id) { walk, forest in Self.page(walk, forest) }
    #expect(found == [])
  }

  @Test("A list begins again when another policy comes into force")
  func walk_forestReplaced_beginsAgain() async throws {
    let estate = try DeviceEstate(deviceCount: 5000)
    let engine = PermissionEngine(estate.forest)
    let query = try estate.query()
    var starts = 0
    let found = try await engine.walk { forest -> AccessWalk? in
      starts += 1
      let walk = AccessWalk(
        query,
        .page(PageSelection(limit: 10, sortsByName: true, after: nil)),
        forest
      )
      return walk
    } finish: { walk, forest -> Int in
      guard case .page(let selection) = walk.purpose else { return 0 }
      return selection.total
    }
    #expect(found == 5000)
    #expect(starts == 1)
    let id = try #require(engine.open { AccessWalk(query, .all([]), $0) })
    _ = engine.slice(id)
    engine.adopt(estate.forest)
    #expect(engine.slice(id) == .done)
    #expect(try engine.ended(id) { _, _ in true } == nil)
  }

  @Test("A list looks at a bounded number of entities for each hold of the lock")
  func walk_largeEstate_isSliced() throws {
    let estate = try DeviceEstate(deviceCount: 5000)
    let engine = PermissionEngine(estate.forest)
    let query = try estate.query()
    let id = try #require(engine.open { AccessWalk(query, .all([]), $0) })
    var slices = 1
    while case .more = engine.slice(id) { slices += 1 }
    #expect(slices >= 5000 / PermissionEngine.sliceStepCount)
    let found = try engine.ended(id) { walk, _ -> Int in
      guard case .all(let found) = walk.purpose else { return 0 }
      return found.count
    }
    #expect(found == 5000)
  }

  @Test("Pages that are picked from any order are the sorted list, cut")
  func selection_randomOrder_isSortedPrefix() throws {
    let estate = try DeviceEstate(deviceCount: 500)
    var generator = SeededGenerator(state: 7)
    var devices = (0..<500).compactMap { estate.forest.entity("dev_\($0)") }
    devices.shuffle(using: &generator)
    var collected: [String] = []
    var cursor: [String]?
    while true {
      var selection = PageSelection(limit: 37, sortsByName: true, after: cursor)
      for device in devices { selection.offer(device, mayRepeat: false, estate.forest) }
      #expect(selection.total == 500)
      for entry in selection.page { collected.append(estate.forest.entities.text(entry.entity)) }
      guard selection.hasMore, let last = selection.page.last else { break }
      cursor = [last.name, estate.forest.entities.text(last.entity)]
    }
    #expect(collected == (0..<500).map { "dev_\($0)" }.sorted())
  }
}
