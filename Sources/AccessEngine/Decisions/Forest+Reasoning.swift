internal import PackedTables

extension Forest {
  /// Decides as `decide` does, and says all that it looked at; nil for an entity that is not there.
  package func reasoning(
    subject id: String,
    action: ActionID,
    entity entityID: String,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> Reasoning? {
    guard let entity = entity(entityID) else { return nil }
    let subject = subject(id)
    var search = RoleSearch(now: now)
    search.trail = []
    let plain = decide(
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      search: &search
    )
    let decision = settle(
      plain,
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      now: now,
      features
    )
    if decision.reason == .outOfScope || decision.reason == .noAssociation { lack(rolesOf: id) }
    let known = self.known(features, of: entity, now: now)
    let rule = policy.rule(of: action, on: type(entity)) ?? .nothing
    var proven = self.context(context, on: entity)
    proven.features |= policy.featureBits(known.names)
    let roles = roles(search.trail ?? [], decision, now: now)
    let denies = rule.denies.map { describe($0, on: entity, held: plain.heldRoles) }
    // Conditions are for whom a role grants the action and no rule forbids it.
    let isOpen = plain.association != nil && !denies.contains(where: \.applies)
    let needsFeatures = rule.conditions.contains { $0.reason == .featureNotAvailable }
    return Reasoning(
      explanation: explanation(of: decision, on: entity),
      isSuspended: isSuspended(subject),
      isReached: plain.isKnown,
      roles: decision.reason == .outOfScope
        ? elsewhere(subject, rule.anyGrants, now: now)
        : Array(roles.prefix(Reasoning.roleCountMax)),
      omittedRoleCount: max(0, roles.count - Reasoning.roleCountMax),
      denies: denies,
      conditions: describe(missing(of: rule, plain), on: entity, proven, isOpen: true, now: now)
        + describe(rule.conditions, on: entity, proven, isOpen: isOpen, now: now),
      missing: needsFeatures ? known.missing : nil
    )
  }

  /// The features of an entity's holder, or the holder when they are not known.
  private func known(
    _ features: any FeatureSource,
    of entity: UInt32,
    now: Int64
  ) -> (names: [String], missing: FeatureHolder?) {
    guard let holder = featureHolder(of: entity) else { return ([], nil) }
    return switch features.features(of: holder, now: now) {
    case .known(let names, _): (names, nil)
    case .missing: ([], holder)
    }
  }

  // MARK: Roles

  /// The associations that were looked at, those that matter most first while there are too many, then
  /// nearest first.
  private func roles(
    _ trail: [RoleSearch.Examined],
    _ decision: Decision,
    now: Int64
  ) -> [Reasoning.Role] {
    let weighed = trail.map { one -> (role: Reasoning.Role, level: Int, weight: Int) in
      let reach: Reasoning.Reach =
        one.link.map { .link(policy[$0].name) } ?? (one.level == 0 ? .own : .above(one.level - 1))
      let role = role(
        one.association,
        reach,
        isGranting: one.isGranting,
        isDecisive: one.association == decision.association && one.isGranting,
        now: now
      )
      let weight =
        switch role.window {
        case .open: role.isDecisive ? 0 : 1
        case .notYet, .closed: 2
        case .over: 3
        }
      return (role, one.level, weight)
    }
    let kept = weighed.sorted {
      ($0.weight, $0.level, $0.role.associationID) < ($1.weight, $1.level, $1.role.associationID)
    }
    let first = kept.prefix(Reasoning.roleCountMax).sorted {
      ($0.level, $0.weight, $0.role.associationID) < ($1.level, $1.weight, $1.role.associationID)
    }
    return (first + kept.dropFirst(Reasoning.roleCountMax)).map(\.role)
  }

  private func role(
    _ association: UInt32,
    _ reach: Reasoning.Reach,
    isGranting: Bool,
    isDecisive: Bool,
    now: Int64
  ) -> Reasoning.Role {
    let row = associations.rows[Int(association)]
    return Reasoning.Role(
      associationID: associations.identifier(of: association),
      role: name(of: row.role),
      customRole: variantName(ofAssociation: association),
      entityID: entities.text(row.entity),
      entityType: policy.types[Int(type(row.entity).index)].name,
      reach: reach,
      validFrom: row.validFrom == .min ? nil : row.validFrom,
      validUntil: row.validUntil == .max ? nil : row.validUntil,
      recurring: associations.window(of: row),
      window: window(of: row, now: now),
      isGranting: isGranting,
      isDecisive: isDecisive
    )
  }

  private func window(of row: AssociationTable.Row, now: Int64) -> Reasoning.Window {
    if row.validFrom > now { return .notYet }
    if row.validUntil <= now { return .over }
    return associations.state(of: row, at: now).isOpen ? .open : .closed
  }

  /// Roles that would grant the action if they were held here.
  private func elsewhere(
    _ subject: UInt32?,
    _ grants: RoleSet,
    now: Int64
  ) -> [Reasoning.Role] {
    guard let subject else { return [] }
    let rows = associationRows(subject: subject).filter {
      grants.contains(associations.rows[Int($0)].role)
    }
    return rows.prefix(Reasoning.roleCountMax).map {
      role($0, .elsewhere, isGranting: false, isDecisive: false, now: now)
    }
  }

  // MARK: Rules and conditions

  private func describe(_ deny: Policy.Deny, on entity: UInt32, held: RoleSet) -> Reasoning.Deny {
    Reasoning.Deny(
      name: deny.name,
      roles: deny.roles?.roles.map { name(of: $0) } ?? [],
      applies: applies(deny, on: entity, held: held),
      accessLevel: deny.tests.compactMap { attribute($0, on: entity)?.accessLevel }.max() ?? 0
    )
  }

  /// The step-ups by which a role would grant an action, if no role grants it without one.
  private func missing(of rule: Policy.ActionRule, _ decision: Decision) -> [Policy.Condition] {
    guard decision.reason == .stepUpRequired, decision.association == nil else { return [] }
    return rule.stepUpGrants.filter { !$0.roles.intersection(decision.heldRoles).isEmpty }
      .map { .stepUp($0.stepUp) }
  }

  private func describe(
    _ conditions: [Policy.Condition],
    on entity: UInt32,
    _ context: DecisionContext,
    isOpen: Bool,
    now: Int64
  ) -> [Reasoning.Condition] {
    var search = RoleSearch(now: now)
    var isOpen = isOpen
    return conditions.map { condition in
      let holds = holds(condition, on: entity, context: context, search: &search)
      let (kind, level) = describe(condition, on: entity)
      let isDecisive = isOpen && !holds
      if isDecisive { isOpen = false }
      return Reasoning.Condition(
        kind: kind,
        holds: holds,
        otherwise: condition.reason,
        isDecisive: isDecisive,
        accessLevel: level
      )
    }
  }

  private func describe(
    _ condition: Policy.Condition,
    on entity: UInt32
  ) -> (kind: Reasoning.Condition.Kind, accessLevel: Int) {
    switch condition {
    case .attribute(let test, _):
      let attribute = attribute(test, on: entity)
      let values = attribute?.texts(ofCodes: test.codes) ?? []
      return (.attribute(attribute?.name ?? "", values: values), attribute?.accessLevel ?? 0)
    case .daily(let place): return (.daily(policy.windows[place].window), 0)
    case .stepUp(let bit): return (.stepUp(policy.stepUps[bit.trailingZeroBitCount]), 0)
    case .feature(let bit): return (.feature(policy.features[bit.trailingZeroBitCount]), 0)
    }
  }

  private func attribute(_ test: Policy.AttributeTest, on entity: UInt32) -> Attribute? {
    policy[type(entity)].attributes.first { $0.slot == test.slot }
  }
}
