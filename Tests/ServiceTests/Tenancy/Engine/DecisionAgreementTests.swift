import ServiceKit
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("The engine and a naive evaluator agree")
struct DecisionAgreementTests {
  static let policies: [(name: String, text: [UInt8])] = {
    [
      ("smart-home", (try? PolicyFile.bytes("smart-home")) ?? []),
      ("library", [UInt8](LibraryPolicy.text.utf8)),
      ("equestrian", (try? PolicyFile.bytes("equestrian")) ?? []),
      ("family", (try? PolicyFile.bytes("family")) ?? []),
    ]
  }()

  /// Decisions for each policy; the full count is 100,000, see docs/maintainers/testing.md.
  private static let decisionCount =
    ProcessEnvironment.variables["DECISION_AGREEMENT_COUNT"].flatMap { Int($0) } ?? 5_000

  @Test(
    "Random decisions have the same reason, role, lifetime, knowledge and visible attributes",
    arguments: 0...3,
    1...5
  )
  func decide_randomWorlds_agree(policyIndex: Int, seed: Int) throws {
    let policy = Self.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(seed))
    var (allowedCount, closedCount) = (0, 0)
    // What was shown of entities of each type.
    var shown: [String: Set<Set<String>>] = [:]
    let worldCount = max(1, Self.decisionCount / 5 / 200)
    for _ in 0..<worldCount {
      for _ in 0..<20 { world.change() }
      for _ in 0..<200 {
        let decision = try compareOne(&world, &shown)
        if decision.isAllowed { allowedCount += 1 }
        if decision.reason == .notYetValid { closedCount += 1 }
      }
    }
    // The comparison means little when nearly everything is denied, or no window ever closed.
    let count = worldCount * 200
    #expect((count / 10...count * 4 / 5).contains(allowedCount), "\(allowedCount) of \(count)")
    #expect(closedCount > count / 100, "\(closedCount) of \(count) were at the wrong time")
    let below = world.policy.roles.filter { !$0.heldOn.contains(.system) }
    if Set(below.map(\.accessLevel)).count > 1 {
      #expect(shown.values.contains { $0.count > 1 }, "everybody saw the same")
    }
  }

  /// The library, whose shelves are sorted at night in Berlin, but not at every weekend.
  private static let berlin: [UInt8] = {
    var text = LibraryPolicy.text
    text.replace(
      #"{ "from": "20:00", "until": "06:30" }"#,
      with: #"""
        {
          "from": "22:30", "until": "09:10", "days": ["sunday", "monday"],
          "time_zone": "Europe/Berlin"
        }
        """#
    )
    return [UInt8](text.utf8)
  }()

  /// The worlds are on a Monday from half past eight to half past nine by the clocks of Berlin.
  @Test(
    "So they do where a window is of certain days and by the clocks of a place",
    arguments: 6...8
  )
  func decide_zonedWindow_agree(seed: Int) throws {
    var world = try RandomWorld(policyText: Self.berlin, seed: UInt64(seed))
    var outside: Set<Bool> = []
    for _ in 0..<2_000 {
      let (user, id) = try Self.pair(&world)
      guard world.naive.entities[id]?.type == "shelf" else { continue }
      let now =
        RandomWorld.start + Int64.random(in: -1_800_000...1_800_000, using: &world.generator)
      let decision = world.forest.decide(
        subject: user,
        action: try #require(world.policy.action(named: "shelf.sort")),
        entity: id,
        context: .plain,
        now: now
      )
      let expected = world.naive.decide(user, "shelf.sort", id, stepUps: [], features: [], now: now)
      #expect(decision.reason.rawValue == expected.reason, "\(user) \(id) at \(now)")
      #expect(decision.validUntil == expected.validUntil, "\(user) \(id) at \(now)")
      if decision.association != nil { outside.insert(decision.reason == .deniedByRule) }
    }
    #expect(outside == [true, false], "only one side of the window was seen")
  }

  private func compareOne(
    _ world: inout RandomWorld,
    _ shown: inout [String: Set<Set<String>>]
  ) throws -> Decision {
    let (user, id) = try Self.pair(&world)
    let type = world.naive.entities[id]?.type ?? ""
    // Mostly actions of the type, sometimes of another; or what allows too little comes up.
    var actions = world.policy.actions
    if Int.random(in: 0..<10, using: &world.generator) > 0, !world.naive.actions(of: type).isEmpty {
      actions = world.naive.actions(of: type).keys.sorted()
    }
    let action = try #require(actions.randomElement(using: &world.generator))
    let now = RandomWorld.start + Int64.random(in: -1_200_000...1_800_000, using: &world.generator)
    let stepUps = Bool.random(using: &world.generator) ? world.policy.stepUps : []
    let isPaidFor = Int.random(in: 0..<3, using: &world.generator) > 0
    let features = isPaidFor ? world.policy.features : []
    let decision = world.forest.decide(
      subject: user,
      action: try #require(world.policy.action(named: action)),
      entity: id,
      context: world.policy.context(stepUps: stepUps, features: features),
      now: now
    )
    let explanation = world.forest.explanation(of: decision, on: nil)
    let expected = world.naive.decide(
      user,
      action,
      id,
      stepUps: stepUps,
      features: features,
      now: now
    )
    let actual = NaiveEvaluator.Answer(
      reason: explanation.reason.rawValue,
      role: explanation.role,
      via: expected.via == nil ? nil : explanation.viaEntityID,
      validUntil: explanation.validUntil,
      isKnown: decision.isKnown
    )
    #expect(actual == expected, "\(user) \(action) \(id) at \(now)")
    if let entity = world.forest.entity(id) {
      let level = world.policy.accessLevel(of: decision.heldRoles)
      let visible = world.policy[world.forest.type(entity)].attributes.filter {
        $0.accessLevel <= level
      }
      let names = Set(visible.map(\.name))
      #expect(
        names == world.naive.visibleAttributes(of: user, on: id, now: now),
        "\(user) \(id) at \(now)"
      )
      shown[type, default: []].insert(names)
    }
    return decision
  }

  /// Someone and something, mostly where an association reaches, or nearly all would be denied.
  static func pair(_ world: inout RandomWorld) throws -> (user: String, entity: String) {
    let isReached = Int.random(in: 0..<10, using: &world.generator) < 9
    if isReached, let association = world.naive.associations.randomElement(using: &world.generator)
    {
      let linked = world.naive.links.filter { $0.from == association.entity }.map(\.to)
      let below = world.entityIDs.filter { isWithin($0, association.entity, world.naive) }
      let entity = (below + linked).randomElement(using: &world.generator)
      return (association.user, try #require(entity))
    }
    let users = world.userIDs + ["usr_unknown"]
    let entities = world.entityIDs + ["ent_unknown"]
    return (
      try #require(users.randomElement(using: &world.generator)),
      try #require(entities.randomElement(using: &world.generator))
    )
  }

  @Test(
    "What is listed is what single decisions allow, nothing missing and nothing more",
    arguments: 0...3,
    11...13
  )
  func listAccessible_randomWorlds_equalsFilter(policyIndex: Int, seed: Int) throws {
    let policy = Self.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(seed))
    for _ in 0..<5 {
      for _ in 0..<20 { world.change() }
      for user in world.userIDs {
        try compareLists(&world, user: user)
      }
    }
  }

  private func compareLists(_ world: inout RandomWorld, user: String) throws {
    let index = UInt8.random(in: 0..<UInt8(world.policy.types.count), using: &world.generator)
    let type = EntityTypeID(index: index)
    let name = world.policy[type].name
    guard
      let action = world.naive.actions(of: name).keys.sorted().randomElement(
        using: &world.generator
      )
    else { return }
    let now = RandomWorld.start + Int64.random(in: -1_200_000...1_200_000, using: &world.generator)
    let within = try #require(world.entityIDs.randomElement(using: &world.generator))
    for filter in [nil, within] {
      let found = world.forest.listAccessible(
        Forest.ListQuery(
          subject: user,
          action: try #require(world.policy.action(named: action)),
          type: type,
          context: world.policy.context(
            stepUps: world.policy.stepUps,
            features: world.policy.features
          ),
          now: now,
          within: filter.flatMap { world.forest.entity($0) }
        )
      )
      let expected = world.entityIDs.filter { id in
        guard world.naive.entities[id]?.type == name else { return false }
        if let filter, !Self.isWithin(id, filter, world.naive) { return false }
        return world.naive.decide(
          user,
          action,
          id,
          stepUps: world.policy.stepUps,
          features: world.policy.features,
          now: now
        ).reason == "ALLOWED"
      }
      #expect(found.map { world.forest.entities.text($0) }.sorted() == expected.sorted())
    }
  }

  static func isWithin(_ id: String, _ ancestor: String, _ naive: NaiveEvaluator) -> Bool {
    if id == ancestor { return true }
    guard let parent = naive.entities[id]?.parent else { return false }
    return isWithin(parent, ancestor, naive)
  }

  @Test("The actions of a subject on an entity are those that single decisions allow")
  func listActions_randomWorld_equalsFilter() throws {
    var world = try RandomWorld(policyText: Self.policies[0].text, seed: 21)
    for _ in 0..<1_000 {
      let user = try #require(world.userIDs.randomElement(using: &world.generator))
      let id = try #require(world.entityIDs.randomElement(using: &world.generator))
      let listed = world.forest.listActions(
        subject: world.forest.subjects.find(user),
        entity: try #require(world.forest.entity(id)),
        context: .plain,
        now: RandomWorld.start
      )
      let type = try #require(world.naive.entities[id]?.type)
      let expected = world.naive.actions(of: type).keys.filter {
        world.naive.decide(user, $0, id, stepUps: [], features: [], now: RandomWorld.start).reason
          == "ALLOWED"
      }
      #expect(Set(listed.actions.map { world.policy[$0] }) == Set(expected))
    }
  }
}
