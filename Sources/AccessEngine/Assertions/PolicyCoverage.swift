/// How much of policies their assertions say something about.
package struct PolicyCoverage: Sendable {
  /// How many assertions there are; all of them hold.
  package let assertionCount: Int
  /// All pairs, in the order of types, actions and roles.
  package let pairs: [Pair]
  /// Pairs that no assertion touches.
  package var untouched: [Pair] { pairs.filter { !$0.isTouched } }

  /// A role that reaches entities of a type, and an action on those.
  package struct Pair: Hashable, Sendable {
    package let role: String
    package let action: String
    package let type: String
    /// Whether the role grants the action, conditions aside.
    package let isGranted: Bool
    /// Whether an assertion asks about the action for a user who has the role on the entity.
    package let isTouched: Bool
  }

  /// Loads policies as `Policy.load` does, and looks at what their assertions ask.
  ///
  /// Operators are left out: they may do everything whatever a policy says.
  package static func load(
    _ sources: [PolicySource],
    zones: any TimeZoneSource
  ) throws(PolicyError) -> PolicyCoverage {
    guard !sources.isEmpty else { throw PolicyError([]) }
    let (policy, assertions) = try PolicyAssertions.load(sources, zones: zones)
    return PolicyCoverage(of: policy, assertions)
  }

  /// Looks at what assertions of a policy ask.
  init(of policy: Policy, _ assertions: [PolicyAssertions]) {
    let decided = assertions.flatMap { $0.decisions(policy) }
    var touched: Set<Touch> = []
    for one in decided {
      guard let type = one.type else { continue }
      for role in one.decision.heldRoles.roles {
        touched.insert(Touch(role: role, action: one.action, type: type))
      }
    }
    (assertionCount, pairs) = (decided.count, Self.pairs(of: policy, touched))
  }

  private struct Touch: Hashable {
    let role: RoleID
    let action: ActionID
    let type: EntityTypeID
  }

  private static func pairs(of policy: Policy, _ touched: Set<Touch>) -> [Pair] {
    var pairs: [Pair] = []
    for type in policy.types.indices.map({ EntityTypeID(index: UInt8($0)) }) {
      for action in policy.actions.indices.map({ ActionID(index: UInt16($0)) }) {
        guard let rule = policy.rule(of: action, on: type) else { continue }
        for role in policy.roles.indices.map({ RoleID(index: UInt8($0)) })
        where !Policy.builtInRoles.contains(policy[role].name) {
          let links = policy.links.indices.filter { policy.reaches(role, type, through: $0) }
          let isReached = policy.reaches(role, type)
          guard isReached || !links.isEmpty else { continue }
          let isGranted =
            isReached && rule.directGrants.contains(role)
            || links.contains { rule.linkGrants[$0].contains(role) }
          let touch = Touch(role: role, action: action, type: type)
          pairs.append(
            Pair(
              role: policy[role].name,
              action: policy[action],
              type: policy[type].name,
              isGranted: isGranted,
              isTouched: touched.contains(touch)
            )
          )
        }
      }
    }
    return pairs
  }
}
