import PeerContracts
import RPCKit
import ServiceKit
import TenancyContracts
import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

/// Features that are the same for every holder.
private struct SameFeatures: FeatureSource {
  let known: KnownFeatures

  func features(of holder: FeatureHolder, now: Int64) -> KnownFeatures { known }
  func limit(_ name: String, of holder: FeatureHolder) -> KnownLimit { .known(.max) }
  func fetch(_ holder: FeatureHolder) async throws {}
}

@Suite("A part of the store decides as all of it does")
struct PartAgreementTests {
  /// Questions for each policy and seed; more with `PART_AGREEMENT_COUNT`.
  private static let questionCount =
    ProcessEnvironment.variables["PART_AGREEMENT_COUNT"].flatMap { Int($0) } ?? 500

  /// A question, and all that its answer depends on besides the store.
  private struct Question: Sendable {
    let check: PermissionCheck
    let context: CheckContext
    let now: Int64
  }

  /// An answer of one of the two forests.
  private struct Answer: Sendable {
    var decision = Tenancy_V1.Decision()
    var kind = ""
    var holder: FeatureHolder?
    var heldRoles = RoleSet.none
    var actions: Tenancy_V1.EntityActions?

    init(_ question: Question, _ forest: borrowing Forest) {
      let (check, context, now) = (question.check, question.context, question.now)
      switch forest.decide(check, context, now: now, into: &decision) {
      case .decided(let revision): kind = "decided at \(revision)"
      case .missing(let holder): self.holder = holder
      case .actionUnknown: kind = "unknown"
      }
      guard let action = forest.policy.action(named: check.action) else { return }
      heldRoles =
        forest.decide(
          subject: check.subject,
          action: action,
          entity: check.entity,
          context: forest.context(context.assurance),
          now: now
        ).heldRoles
      actions = forest.actions(of: check.subject, on: check.entity, context, now: now).message
    }
  }

  @Test(
    "Random questions are answered alike, with guests, windows, links, rules, features and step-ups",
    arguments: 0...3,
    1...3
  )
  func part_randomWorlds_agrees(policyIndex: Int, seed: Int) async throws {
    let policy = DecisionAgreementTests.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(100 + seed))
    let stored = try await StoredWorld.open()
    var (seen, elsewhereCount): ([Tenancy_V1.Reason: Int], Int) = ([:], 0)
    for _ in 0..<max(1, Self.questionCount / 100) {
      for _ in 0..<20 { world.change() }
      try await stored.put(world)
      let questions = try (0..<100).map { _ in try Self.question(&world) }
      for (question, pair) in zip(questions, try await answers(questions, stored, world.policy)) {
        Self.compare(question, whole: pair.whole, part: pair.part, world)
        seen[pair.part.decision.reason, default: 0] += 1
        if pair.part.decision.reason == .outOfScope { elsewhereCount += 1 }
      }
    }
    await stored.database.close()
    // The comparison means little when nearly everything comes out the same.
    #expect(seen[.allowed, default: 0] > Self.questionCount / 20, "\(seen)")
    #expect(seen.count > 4 && elsewhereCount > 0, "\(seen)")
  }

  /// Both answers to each question, of one snapshot.
  private func answers(
    _ questions: [Question],
    _ stored: StoredWorld,
    _ policy: Policy
  ) async throws -> [(whole: Answer, part: Answer)] {
    try await stored.database.read { tx in
      let whole = try ForestLoader.load(policy, TimeZoneFiles(), tx)
      return try questions.map { question in
        let asked = PartQuestion([question.check])
        let part = try PartReader.forest(for: asked, policy, TimeZoneFiles(), in: tx)
        return (Answer(question, whole), Answer(question, try #require(part)))
      }
    }
  }

  @Test("Many questions at once are answered by one part as each by its own", arguments: 0...3)
  func part_ofMany_agrees(policyIndex: Int) async throws {
    let policy = DecisionAgreementTests.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: 77)
    let stored = try await StoredWorld.open()
    try await stored.put(world)
    let questions = try (0..<60).map { _ in try Self.question(&world) }
    let pairs = try await stored.database.read { [policy = world.policy] tx in
      let whole = try ForestLoader.load(policy, TimeZoneFiles(), tx)
      let asked = PartQuestion(questions.map(\.check))
      let found = try PartReader.forest(for: asked, policy, TimeZoneFiles(), in: tx)
      let part = try #require(found)
      return questions.map { (Answer($0, whole), Answer($0, part)) }
    }
    for (question, pair) in zip(questions, pairs) {
      Self.compare(question, whole: pair.0, part: pair.1, world)
    }
    await stored.database.close()
  }

  private static func compare(
    _ question: Question,
    whole: Answer,
    part: Answer,
    _ world: RandomWorld
  ) {
    let check = question.check
    let hint: Comment = "\(check.subject) \(check.action) \(check.entity) at \(question.now)"
    var (expected, actual) = (whole.decision, part.decision)
    // Of two roles that are alike in everything that matters either may be named.
    let alike = [expected.associationId, actual.associationId].compactMap { id in
      world.naive.associations.first { $0.id == id }
    }
    if alike.count == 2, alike[0].id != alike[1].id, alike[0].role == alike[1].role,
      alike[0].until == alike[1].until,
      alike[0].entity == alike[1].entity || alike.allSatisfy({ isLinked($0.entity, check, world) })
    {
      for id in [\Tenancy_V1.Decision.associationId, \.viaEntityId] {
        actual[keyPath: id] = expected[keyPath: id]
      }
      (expected.details, actual.details) = (nil, nil)
    }
    #expect(actual == expected, hint)
    #expect(part.kind == whole.kind && part.holder == whole.holder, hint)
    #expect(part.heldRoles == whole.heldRoles, hint)
    #expect(part.actions == whole.actions, hint)
  }

  private static func isLinked(_ id: String, _ check: PermissionCheck, _ world: RandomWorld) -> Bool
  {
    world.naive.links.contains { $0.from == id && $0.to == check.entity }
  }

  // MARK: Questions

  private static func question(_ world: inout RandomWorld) throws -> Question {
    let (user, id) = try DecisionAgreementTests.pair(&world)
    let type = world.naive.entities[id]?.type ?? ""
    var actions = world.policy.actions
    if Int.random(in: 0..<10, using: &world.generator) > 0, !world.naive.actions(of: type).isEmpty {
      actions = world.naive.actions(of: type).keys.sorted()
    }
    return Question(
      check: PermissionCheck(
        subject: user,
        action: try #require(actions.randomElement(using: &world.generator)),
        entity: id,
        wantsAncestors: Bool.random(using: &world.generator)
      ),
      context: CheckContext(
        isUser: Bool.random(using: &world.generator),
        assurance: try assurance(&world, near: id),
        features: SameFeatures(known: features(&world))
      ),
      now: RandomWorld.start + Int64.random(in: -1_200_000...1_800_000, using: &world.generator)
    )
  }

  private static func features(_ world: inout RandomWorld) -> KnownFeatures {
    switch Int.random(in: 0..<4, using: &world.generator) {
    case 0: .missing
    case 1: .known([], until: .max)
    default: .known(world.policy.features, until: RandomWorld.start + 100_000)
    }
  }

  /// A proof, often for one object: the entity, one above it, another one, or one that is not there.
  private static func assurance(_ world: inout RandomWorld, near id: String) throws -> Assurance? {
    guard Int.random(in: 0..<5, using: &world.generator) > 0 else { return nil }
    var objects: [String?] = [nil, id, "ent_nothing", world.naive.entities[id]?.parent]
    objects.append(world.entityIDs.randomElement(using: &world.generator))
    let object = try #require(objects.randomElement(using: &world.generator))
    let isForAll = Bool.random(using: &world.generator)
    return Assurance(
      acr: try #require(Assurance.ladder.randomElement(using: &world.generator)),
      purpose: isForAll ? nil : world.policy.actions.randomElement(using: &world.generator),
      object: object,
      isRecent: Bool.random(using: &world.generator)
    )
  }
}
