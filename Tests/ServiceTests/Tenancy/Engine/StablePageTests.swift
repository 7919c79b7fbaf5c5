import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Pages of a list, with changes between the steps that make one page and between two pages.
@Suite("Pages while the forest changes")
struct StablePageTests {
  /// One list, page by page, whose forest the test changes.
  private struct Pager {
    let engine: PermissionEngine
    let query: Forest.ListQuery
    let sortsByName: Bool
    private var cursor: [String]?
    private var revision: Int64 = 0

    init(_ estate: DeviceEstate, sortsByName: Bool) throws {
      engine = PermissionEngine(estate.forest)
      query = try estate.query()
      self.sortsByName = sortsByName
    }

    mutating func apply(_ change: ForestChange) {
      revision += 1
      engine.apply([.init(change: change, revision: revision)])
    }

    /// The next page, and whether there is one more; `between` happens after each step and before the
    /// end.
    mutating func page(
      limit: Int,
      stepCount: Int = .max,
      _ between: (inout Pager) throws -> Void
    ) throws -> (ids: [String], hasMore: Bool) {
      let (cursor, query, sortsByName) = (cursor, query, sortsByName)
      while true {
        let id = try #require(
          engine.open { forest in
            let page = PageSelection(limit: limit, sortsByName: sortsByName, after: cursor)
            return AccessWalk(query, .page(page), forest)
          }
        )
        while case .more = engine.slice(id, stepCount: stepCount) { try between(&self) }
        try between(&self)
        let found = try engine.ended(id) { walk, forest -> (ids: [String], cursor: [String]?) in
          guard case .page(let page) = walk.purpose else { return ([], nil) }
          var ids: [String] = []
          for entry in page.page { ids.append(forest.entities.text(entry.entity)) }
          return (ids, page.cursor(forest))
        }
        guard let found else { continue }
        self.cursor = found.cursor
        return (found.ids, found.cursor != nil)
      }
    }
  }

  @Test(
    "The next page begins where the last one ended, not where its last object was moved by a name"
  )
  func page_lastOneRenamedMeanwhile_losesNothing() throws {
    for name in ["zzz", "a"] {
      let estate = try DeviceEstate(deviceCount: 10)
      var pager = try Pager(estate, sortsByName: true)
      let first = try pager.page(limit: 5) { pager in
        pager.apply(.putEntity(estate.row("dev_4", "device", under: "prp_4", name: name)))
      }
      let second = try pager.page(limit: 20) { _ in }
      #expect(first.ids == (0..<5).map { "dev_\($0)" })
      #expect(first.hasMore && !second.hasMore)
      let others = second.ids.filter { $0 != "dev_4" }
      #expect(others == (5..<10).map { "dev_\($0)" }, "after a new name \(name)")
    }
  }

  @Test("A page from which something was deleted while it was made is not the last one")
  func page_oneDeletedMeanwhile_goesOn() throws {
    let estate = try DeviceEstate(deviceCount: 10)
    var pager = try Pager(estate, sortsByName: true)
    let first = try pager.page(limit: 5) { $0.apply(.removeEntity("dev_4")) }
    #expect(first.ids == (0..<4).map { "dev_\($0)" })
    let second = try pager.page(limit: 20) { _ in }
    #expect(second.ids == (5..<10).map { "dev_\($0)" })
  }

  @Test("When nothing is left of a page, the list goes on with what the caller still sees")
  func page_allOutOfSight_beginsAgain() throws {
    var estate = try DeviceEstate(deviceCount: 30)
    estate.forest.apply(.putAssociation(estate.association("property_manager", on: "prp_5")))
    var pager = try Pager(estate, sortsByName: false)
    var hasLost = false
    let page = try pager.page(limit: 2) { pager in
      if !hasLost { pager.apply(.removeAssociation("asc_prt_1")) }
      hasLost = true
    }
    // dev_0 and dev_1 were found, in other properties.
    #expect(page.ids == ["dev_11", "dev_17"])
    #expect(page.hasMore)
    #expect(try pager.page(limit: 9) { _ in }.ids == ["dev_23", "dev_29", "dev_5"])
  }

  @Test(
    "Over all pages, what nobody touches and the caller sees all the time is there exactly once",
    arguments: [true, false],
    1...24
  )
  func pages_whileEverythingElseChanges_haveWhatStaysOnce(sortsByName: Bool, seed: Int) throws {
    var estate = try DeviceEstate(deviceCount: 240)
    for property in 0..<3 {
      let manager = estate.association("property_manager", on: "prp_\(property)")
      estate.forest.apply(.putAssociation(manager))
    }
    // The first three properties are in sight even while the portfolio is not, and even numbers stay.
    let stays = (0..<240).filter { $0 % 6 < 3 && $0 % 2 == 0 }.map { "dev_\($0)" }
    var world = ChangingDevices(estate, touchable: (0..<240).filter { $0 % 2 == 1 }, seed: seed)
    var pager = try Pager(estate, sortsByName: sortsByName)
    var found: [String] = []
    while true {
      let page = try pager.page(
        limit: Int.random(in: 1...20, using: &world.generator),
        stepCount: Int.random(in: 1...60, using: &world.generator)
      ) { pager in
        for _ in 0..<Int.random(in: 0...3, using: &world.generator) { pager.apply(world.change()) }
      }
      found += page.ids
      try #require(found.count < 5000, "the list does not end")
      guard page.hasMore else { break }
    }
    let counts = Dictionary(grouping: found) { $0 }.mapValues(\.count)
    let wrong = stays.filter { counts[$0] != 1 }.map { "\($0): \(counts[$0] ?? 0)" }
    #expect(wrong == [], "not on the list once")
    // By identifiers, nothing that happens can bring an object to another page.
    if !sortsByName { #expect(found == Set(found).sorted()) }
  }
}

/// Changes at random of some devices, and of the role by which the rest is in sight.
private struct ChangingDevices {
  let estate: DeviceEstate
  var touchable: [String]
  var generator: SeededGenerator
  private var isOwner = true
  private var next = 1000

  init(_ estate: DeviceEstate, touchable: [Int], seed: Int) {
    self.estate = estate
    self.touchable = touchable.map { "dev_\($0)" }
    generator = SeededGenerator(state: UInt64(seed))
  }

  mutating func change() -> ForestChange {
    let property = estate.property(of: Int.random(in: 0..<6, using: &generator))
    guard let victim = touchable.randomElement(using: &generator) else { return add(to: property) }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<6:
      let name = "name of dev_\(Int.random(in: 0..<300, using: &generator))"
      return .putEntity(estate.row(victim, "device", under: property, name: name))
    case 6, 7:
      touchable.removeAll { $0 == victim }
      return .removeEntity(victim)
    case 8, 9, 10: return add(to: property)
    default:
      isOwner.toggle()
      return isOwner
        ? .putAssociation(estate.association("owner", on: "prt_1"))
        : .removeAssociation("asc_prt_1")
    }
  }

  private mutating func add(to property: String) -> ForestChange {
    next += 1
    touchable.append("dev_\(next)")
    return .putEntity(estate.row("dev_\(next)", "device", under: property))
  }
}
