internal import AccessEngine
internal import ServiceKit

/// The rule by which a role on entities of a type is given, by the policy.
struct GivingRule {
  private let policy: Policy
  private let type: EntityTypeID
  private let action: String
  private let rule: Policy.ActionRule

  /// Nil when the policy names no action that grants the role, and no other one is given.
  init?(of role: String, on type: String, by action: String? = nil, _ policy: Policy) {
    guard let action = action ?? policy.granting(role, on: type),
      let type = policy.type(named: type),
      let rule = policy.action(named: action).flatMap({ policy.rule(of: $0, on: type) })
    else { return nil }
    (self.policy, self.type, self.action, self.rule) = (policy, type, action, rule)
  }

  /// Whether an association lets its user give the role on an entity, whenever it counts; `definitions` are
  /// the tenant-defined roles.
  func isMet(
    by association: AssociationRecord,
    on entityID: String,
    _ reach: EntityReach,
    own definitions: [RoleDefinitionRecord]
  ) -> Bool {
    guard let role = policy.role(named: association.role) else { return false }
    let definition = definitions.first {
      association.variant.isEmpty ? $0.name == association.role : $0.id == association.variant
    }
    let includes = definition.map { $0.actions.contains(action) }
    if includes ?? (association.variant.isEmpty && rule.grants.contains(role)),
      reach.path.contains(association.entityID)
    {
      if association.entityID == entityID { return true }
      if policy[role].inheritsTo.contains(type) { return true }
    }
    return reach.links.contains { link in
      guard link.from == association.entityID, let id = policy.link(named: link.name) else {
        return false
      }
      let place = Int(id.index)
      return includes != false && rule.linkGrants[place].contains(role)
        && policy[role].throughLinks[place]
    }
  }
}
