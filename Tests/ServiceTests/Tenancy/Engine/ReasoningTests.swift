import Testing

@testable import AccessEngine
@testable import ServiceTesting
@testable import TenancyService

@Suite("The reasoning behind decisions")
struct ReasoningTests {
  @Test(
    "Of random worlds it names what the naive evaluator sees, and leads to what was decided",
    arguments: [0, 1],
    51...52
  )
  func reasoning_randomWorlds_fitsDecision(policyIndex: Int, seed: Int) throws {
    let policy = DecisionAgreementTests.policies[policyIndex]
    var world = try RandomWorld(policyText: policy.text, seed: UInt64(seed))
    var reasons: Set<ReasonCode> = []
    for _ in 0..<10 {
      for _ in 0..<20 { world.change() }
      for _ in 0..<200 {
        let (user, id) = try DecisionAgreementTests.pair(&world)
        guard let type = world.naive.entities[id]?.type else { continue }
        let names = world.naive.actions(of: type).keys.sorted()
        guard let name = names.randomElement(using: &world.generator) else { continue }
        let stepUps = Bool.random(using: &world.generator) ? ["pin"] : []
        reasons.insert(try compare(user, name, id, stepUps, &world))
      }
    }
    #expect(reasons.count >= 5, "only \(reasons)")
  }

  private func compare(
    _ user: String,
    _ name: String,
    _ id: String,
    _ stepUps: [String],
    _ world: inout RandomWorld
  ) throws -> ReasonCode {
    let now = RandomWorld.start + Int64.random(in: -1_200_000...1_800_000, using: &world.generator)
    let action = try #require(world.policy.action(named: name))
    let context = world.policy.context(stepUps: stepUps, features: [])
    let reasoning = try #require(
      world.forest.reasoning(
        subject: user,
        action: action,
        entity: id,
        context: context,
        now: now,
        NoFeatures()
      )
    )
    let decision = world.forest.decide(
      subject: user,
      action: action,
      entity: id,
      context: context,
      now: now
    )
    let at: Comment = "\(user) \(name) \(id) at \(now)"
    #expect(reasoning.isSuspended == world.naive.suspended.contains(user))
    guard !reasoning.isSuspended else { return .subjectSuspended }
    #expect(reasoning.explanation.decision == decision, at)
    let reaching = world.naive.associations(of: user, reaching: id)
    if decision.reason == .outOfScope {
      #expect(reaching.isEmpty && !reasoning.roles.isEmpty, at)
      #expect(reasoning.roles.allSatisfy { $0.reach == .elsewhere }, at)
    } else {
      #expect(reasoning.roles.map(\.associationID).sorted() == reaching.map(\.id).sorted(), at)
    }
    for role in reasoning.roles {
      let association = world.naive.associations.first { $0.id == role.associationID }
      let isOpen = world.naive.counts(try #require(association), now: now)
      #expect((role.window == .open) == isOpen, at)
    }
    let decisive = reasoning.roles.filter(\.isDecisive)
    #expect(Set(decisive.map(\.associationID)).count == (decision.association == nil ? 0 : 1), at)
    #expect(decisive.allSatisfy { $0.isGranting && $0.window == .open }, at)
    expectConsistency(of: reasoning, decision, at)
    return decision.reason
  }

  /// One rule or one condition is the reason, or none when it is allowed.
  private func expectConsistency(of reasoning: Reasoning, _ decision: Decision, _ at: Comment) {
    let isForbidden = reasoning.denies.contains(where: \.applies)
    let failed = reasoning.conditions.filter { !$0.holds }
    let decisive = reasoning.conditions.filter(\.isDecisive)
    if isForbidden { #expect(decision.reason == .deniedByRule, at) }
    if decision.isAllowed { #expect(!isForbidden && failed.isEmpty, at) }
    if !isForbidden, decision.association != nil {
      #expect(decisive.count == (decision.isAllowed ? 0 : 1), at)
      #expect(decisive.allSatisfy { $0.otherwise == decision.reason }, at)
      #expect(failed.first?.isDecisive != false, at)
    } else {
      #expect(decisive.isEmpty, at)
    }
  }

  @Test("Of too many roles those that count are told of, and how many there are besides")
  func reasoning_manyRoles_keepsThoseThatCount() throws {
    var estate = try DeviceEstate(deviceCount: 6)
    let guest = try #require(estate.policy.role(named: "guest"))
    for number in 0..<250 {
      // All over but the last.
      estate.forest.apply(
        .putAssociation(
          AssociationRow(
            id: "asc_\(1000 + number)",
            subject: "usr_guest",
            role: guest,
            entity: "dev_1",
            validFrom: 0,
            validUntil: number == 249 ? 100_000 : 1_000
          )
        )
      )
    }
    let unlocking = try #require(estate.policy.action(named: "device.unlock"))
    let reasoning = try #require(
      estate.forest.reasoning(
        subject: "usr_guest",
        action: unlocking,
        entity: "dev_1",
        context: .plain,
        now: 50_000,
        NoFeatures()
      )
    )
    #expect(reasoning.roles.count == Reasoning.roleCountMax && reasoning.omittedRoleCount == 150)
    #expect(reasoning.roles.first?.associationID == "asc_1249")
    #expect(reasoning.roles.first?.isDecisive == true)
  }
}
