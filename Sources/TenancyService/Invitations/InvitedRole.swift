/// A tenant-defined role as it was when somebody was invited to it.
///
/// An invitation names its role, and tenants can delete a role, make another one of that name, and change
/// what a role includes. The inviter has said yes to what there was.
enum InvitedRole {
  /// A definition as an invitation keeps it: the base and the actions.
  static func text(_ definition: RoleDefinitionRecord) -> String {
    ([definition.baseRole] + definition.actions).joined(separator: " ")
  }

  /// The role of the policy that a definition was a variant of.
  static func base(of kept: String) -> String { String(kept.prefix { $0 != " " }) }

  /// Whether a role gives nothing that it did not give when `kept` was; nil is the role of the policy.
  static func allows(_ definition: RoleDefinitionRecord?, invitedTo kept: String?) -> Bool {
    guard let definition, let kept else { return definition == nil && kept == nil }
    let actions = kept.split(separator: " ").dropFirst().map(String.init)
    return base(of: kept) == definition.baseRole && Set(definition.actions).isSubset(of: actions)
  }
}
