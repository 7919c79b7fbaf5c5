internal import PackedTables

extension Forest {
  /// Where associations that grant an action on one entity can be held.
  package struct Granting: Sendable {
    /// The entity, those above it, the system among them, and the sources of its links.
    package let places: [String]
    /// The roles that grant it in any way, by name, variants of roles by theirs.
    package let roles: Set<String>
    /// Whether one of the roles can be held on the system.
    package let isForOperators: Bool
  }

  /// Where to look for everybody who may do an action to an entity; nil when it is not there.
  package func granting(_ action: ActionID, on id: String) -> Granting? {
    guard let entity = entity(id) else { return nil }
    var granting = policy.rule(of: action, on: type(entity))?.anyGrants ?? .none
    // Whether it is one of this tenant's, decisions will say.
    granting.formUnion(basesOfVariants(including: action))
    let roles = granting.roles
    // The system is above everything, and above itself there is nothing.
    let above = entity == Self.system ? [] : ancestors(of: id) + [Self.systemIdentifier]
    return Granting(
      places: [id] + above + linkSources(of: id),
      roles: Set(roles.map { name(of: $0) }),
      isForOperators: roles.contains { policy.roles[Int($0.index)].heldOn.contains(.system) }
    )
  }
}
