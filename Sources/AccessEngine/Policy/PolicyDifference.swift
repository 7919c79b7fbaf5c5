/// The actions that roles may do under one policy and not under another, or under other conditions.
package struct PolicyDifference: Sendable {
  /// Roles that are new, gone, or held on other types, reach others, or show another level.
  package let roles: [RoleChange]
  /// Pairs of a role and an action that are new, gone, or have other conditions.
  package let grants: [GrantChange]
  /// Entities and members that count against a limit now, no longer, or against another one.
  package let limits: [LimitChange]

  package var isEmpty: Bool { roles.isEmpty && grants.isEmpty && limits.isEmpty }

  /// The change of a role; nil is a role that is not there.
  package struct RoleChange: Sendable {
    package let name: String
    package let before: PolicyDescription.Role?
    package let after: PolicyDescription.Role?
  }

  /// The change of an action that a role allows; nil is one that it does not allow.
  package struct GrantChange: Sendable {
    package let role: String
    package let before: PolicyDescription.Grant?
    package let after: PolicyDescription.Grant?

    /// The one that is there, the later one if both are.
    package var grant: PolicyDescription.Grant? { after ?? before }
  }

  /// The change of the limit that something counts against; nil is no limit.
  package struct LimitChange: Sendable {
    /// As in `PolicyDescription.Limit`.
    package let counted: String
    package let before: PolicyDescription.Limit?
    package let after: PolicyDescription.Limit?
  }

  /// The part of a grant that stays the same whatever its conditions are.
  private struct Key: Hashable {
    let role: String
    let type: String
    let action: String
    let link: String?
  }

  /// Compares two policies; operators, who may do everything under both, are left out.
  package init(from before: Policy, to after: Policy) {
    let (old, new) = (Self.roles(of: before), Self.roles(of: after))
    roles = Self.names(old.map(\.name), new.map(\.name)).compactMap { name in
      let change = RoleChange(
        name: name,
        before: old.first { $0.name == name },
        after: new.first { $0.name == name }
      )
      return change.before?.outline == change.after?.outline ? nil : change
    }
    let (had, has) = (Self.grants(old), Self.grants(new))
    let (oldGrants, newGrants) = (Self.byKey(had), Self.byKey(has))
    grants = Self.names(had.map(\.key), has.map(\.key)).compactMap { key in
      let (before, after) = (oldGrants[key], newGrants[key])
      return before == after ? nil : GrantChange(role: key.role, before: before, after: after)
    }
    let (oldLimits, newLimits) = (
      PolicyDescription(before).limits, PolicyDescription(after).limits
    )
    limits = Self.names(oldLimits.map(\.counted), newLimits.map(\.counted)).compactMap { counted in
      let change = LimitChange(
        counted: counted,
        before: oldLimits.first { $0.counted == counted },
        after: newLimits.first { $0.counted == counted }
      )
      return change.before == change.after ? nil : change
    }
  }

  private static func roles(of policy: Policy) -> [PolicyDescription.Role] {
    PolicyDescription(policy).roles.filter { !Policy.builtInRoles.contains($0.name) }
  }

  private static func grants(
    _ roles: [PolicyDescription.Role]
  ) -> [(key: Key, grant: PolicyDescription.Grant)] {
    roles.flatMap { role in
      role.grants.map {
        (Key(role: role.name, type: $0.type, action: $0.action, link: $0.link), $0)
      }
    }
  }

  private static func byKey(
    _ grants: [(key: Key, grant: PolicyDescription.Grant)]
  ) -> [Key: PolicyDescription.Grant] {
    Dictionary(grants.map { ($0.key, $0.grant) }, uniquingKeysWith: { first, _ in first })
  }

  /// Those of the later policy in its order, then those that are gone.
  private static func names<Name: Hashable>(_ old: [Name], _ new: [Name]) -> [Name] {
    let known = Set(new)
    return new + old.filter { !known.contains($0) }
  }
}

extension PolicyDescription.Role {
  /// Where it is held, what it reaches, and how much it shows.
  package var outline: String {
    var parts = ["held on \(heldOn.joined(separator: ", "))"]
    if !reaches.isEmpty { parts.append("reaches \(reaches.joined(separator: ", "))") }
    if !accessLevel.isEmpty { parts.append("shows \(accessLevel)") }
    return (parts + notes).joined(separator: "; ")
  }
}
