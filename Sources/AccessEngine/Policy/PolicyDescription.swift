/// The actions a policy allows each role, by name: for people who read it, and for comparing two policies.
package struct PolicyDescription: Sendable {
  /// The roles, in the order of the policy.
  package let roles: [Role]
  /// The entities and members that count against a limit, in the order of the policy's types.
  package let limits: [Limit]

  /// Entities of a type, or members, that count against a limit.
  package struct Limit: Hashable, Sendable {
    /// A type; nil for members of the holder.
    package let type: String?
    /// The name of the limit.
    package let limit: String
    /// The type of those that have it.
    package let holderType: String

    /// The part that stays the same whatever the limit is: `horse`, or `member of organization`.
    package var counted: String { type ?? "member of \(holderType)" }

    /// `maxHorses of its organization`.
    package var outline: String { type == nil ? limit : "\(limit) of its \(holderType)" }
  }

  /// A role, and all that it grants.
  package struct Role: Hashable, Sendable {
    package let name: String
    /// Types that it can be held on.
    package let heldOn: [String]
    /// Types below those that it applies to.
    package let reaches: [String]
    /// How much of an entity it shows; empty where there are no access levels.
    package let accessLevel: String
    /// Further notes, such as that it always has an end.
    package let notes: [String]
    /// The actions it allows, in the order of types and actions.
    package let grants: [Grant]
  }

  /// An action that a role allows on entities of a type.
  package struct Grant: Hashable, Sendable {
    package let type: String
    package let action: String
    /// The link through which it reaches them; nil for those that it is held on or reaches from above.
    package let link: String?
    /// The conditions besides the role: `online = true`.
    package let conditions: [String]
    /// The rules that forbid it: `night_shift for guest`.
    package let denies: [String]
    /// The parameters of an operation: `celsius number 5 to 35 °C`.
    package let parameters: [String]

    /// ` if online = true, unless night`; empty without conditions.
    package var rules: String {
      let needed = conditions.isEmpty ? "" : " if \(conditions.joined(separator: " and "))"
      return denies.isEmpty ? needed : "\(needed), unless \(denies.joined(separator: " or "))"
    }
  }

  /// Describes a policy.
  package init(_ policy: Policy) {
    roles = policy.roles.indices.map { Self.role(RoleID(index: UInt8($0)), of: policy) }
    limits = policy.types.flatMap { type in
      let members = policy.limit(ofMembersOf: type.name).map {
        Limit(type: nil, limit: $0.name, holderType: $0.holderType)
      }
      let entities = policy.limit(counting: type.name).map {
        Limit(type: type.name, limit: $0.name, holderType: $0.holderType)
      }
      return [members, entities].compactMap { $0 }
    }
  }

  private static func role(_ id: RoleID, of policy: Policy) -> Role {
    let role = policy[id]
    let level = policy.shownType(to: role).map {
      policy.accessLevelName(role.accessLevel, of: $0)
    }
    return Role(
      name: role.name,
      heldOn: policy.names(of: role.heldOn),
      reaches: policy.names(of: role.inheritsTo),
      accessLevel: level ?? "",
      notes: notes(of: role),
      grants: policy.types.indices.flatMap { type in
        grants(of: id, on: EntityTypeID(index: UInt8(type)), policy)
      }
    )
  }

  private static func notes(of role: Policy.Role) -> [String] {
    var notes: [String] = []
    if role.isWindowRequired {
      let days = role.windowMax == .max ? nil : role.windowMax / 86_400_000
      notes.append(days.map { "for at most \($0) days" } ?? "for a time")
    }
    if role.isRecurringRequired { notes.append("at certain hours") }
    if role.isLent { notes.append("lent") }
    if role.outlivesLender { notes.append("outlives its lender") }
    if role.isOneKept { notes.append("the last one stays") }
    return notes
  }

  private static func grants(
    of role: RoleID,
    on type: EntityTypeID,
    _ policy: Policy
  ) -> [Grant] {
    var grants: [Grant] = []
    for place in policy.actions.indices {
      let action = ActionID(index: UInt16(place))
      guard let rule = policy.rule(of: action, on: type) else { continue }
      var ways: [String?] = []
      if policy.reaches(role, type), rule.grants.contains(role) { ways.append(nil) }
      for (link, roles) in rule.linkGrants.enumerated() where roles.contains(role) {
        if policy.reaches(role, type, through: link) { ways.append(policy.links[link].name) }
      }
      let stepUps = rule.stepUpGrants.filter { $0.roles.contains(role) }.map {
        [policy.text(of: .stepUp($0.stepUp), on: type)]
      }
      let isReached = policy.reaches(role, type)
      let all =
        ways.map { (link: $0, stepUp: [String]()) }
        + (isReached ? stepUps : []).map { (link: nil, stepUp: $0) }
      grants += all.map { way in
        let conditions = rule.conditions.map { policy.text(of: $0, on: type) }
        return Grant(
          type: policy[type].name,
          action: policy[action],
          link: way.link,
          conditions: way.stepUp + conditions.filter { !way.stepUp.contains($0) },
          denies: rule.denies.map { policy.text(of: $0, on: type) },
          parameters: rule.operation?.parameters.map(\.outline) ?? []
        )
      }
    }
    return grants
  }
}

extension Policy {
  /// Whether a role is held on entities of a type, or reaches them from above.
  func reaches(_ role: RoleID, _ type: EntityTypeID) -> Bool {
    self[role].heldOn.contains(type) || reaching[Int(type.index)].contains(role)
  }

  /// Whether a role reaches entities of a type through a link, by the place of the link.
  func reaches(_ role: RoleID, _ type: EntityTypeID, through link: Int) -> Bool {
    links[link].to == type && self[role].throughLinks[link]
  }

  /// The names of some types, in the order of the policy.
  package func names(of set: EntityTypeSet) -> [String] {
    types.indices.filter { set.contains(EntityTypeID(index: UInt8($0))) }.map { types[$0].name }
  }

  /// A type whose policy says what the role's access level is called.
  package func shownType(to role: Role) -> EntityTypeID? {
    types.indices.dropFirst().map { EntityTypeID(index: UInt8($0)) }.first {
      role.heldOn.contains($0) || role.inheritsTo.contains($0)
    }
  }

  fileprivate func text(of condition: Condition, on type: EntityTypeID) -> String {
    switch condition {
    case .attribute(let test, _): text(of: test, on: type)
    case .daily(let place): windows[place].window.text
    case .stepUp(let bit): "step-up \(stepUps[bit.trailingZeroBitCount])"
    case .feature(let bit): "feature \(features[bit.trailingZeroBitCount])"
    }
  }

  fileprivate func text(of deny: Deny, on type: EntityTypeID) -> String {
    let roles = deny.roles.map { " for \($0.roles.map { self[$0].name }.joined(separator: ", "))" }
    let tests = deny.tests.map { text(of: $0, on: type) }.joined(separator: " and ")
    return deny.name + (roles ?? "") + (tests.isEmpty ? "" : " while \(tests)")
  }

  private func text(of test: AttributeTest, on type: EntityTypeID) -> String {
    let attribute = self[type].attributes.first { $0.slot == test.slot }
    let values = attribute?.texts(ofCodes: test.codes) ?? []
    return "\(attribute?.name ?? "") = \(values.joined(separator: " or "))"
  }
}

extension Policy.Parameter {
  /// `celsius number 5 to 35 °C`; optional ones end with `?` or their default.
  fileprivate var outline: String {
    let ending =
      switch defaultValue {
      case nil: isRequired ? "" : "?"
      case .text(let text): " = \(text)"
      case .integer(let number): " = \(number)"
      case .number(let number): " = \(number)"
      case .boolean(let flag): " = \(flag)"
      }
    return "\(name) \(kind.outline)\(unit.isEmpty ? "" : " \(unit)")\(ending)"
  }
}

extension RecurringWindow {
  /// `monday, tuesday 08:00 to 18:00 Europe/Berlin`.
  fileprivate var text: String {
    let days = self.days == .all ? "daily" : self.days.names.joined(separator: ", ")
    return "\(days) \(Self.timeOfDay(from)) to \(Self.timeOfDay(until)) \(timeZone)"
  }
}
