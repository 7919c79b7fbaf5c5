internal import PackedTables

extension Forest {
  /// The one decision procedure: walks from the entity to the system and gathers the subject's roles.
  ///
  /// Nearer associations are named before farther ones, then the role that comes first in the
  /// policy, then the one that lasts longest. The reason follows `ReasonCode.precedence`. Allocates
  /// nothing; costs one probe a level, and for targets of links as many as the fewer of links and the
  /// subject's associations.
  func decide(
    subject: UInt32?,
    action: ActionID,
    entity: UInt32?,
    context: DecisionContext,
    now: Int64
  ) -> Decision {
    guard !context.isSuspended, !isSuspended(subject) else {
      return denied(.subjectSuspended, now: now)
    }
    guard let entity, nodes[Int(entity)].isAlive else { return denied(.entityUnknown, now: now) }
    var search = RoleSearch(now: now)
    return decide(
      subject: subject,
      action: action,
      entity: entity,
      context: context,
      search: &search
    )
  }

  /// The same for an entity that is there and a subject that is not suspended; leaves in `search` what was
  /// looked at.
  func decide(
    subject: UInt32?,
    action: ActionID,
    entity: UInt32,
    context: DecisionContext,
    search: inout RoleSearch
  ) -> Decision {
    let type = type(entity)
    let context = context.scope == nil ? context : self.context(context, on: entity)
    (search.action, search.type) = (action, type)
    // Copying a rule counts up its users, and the processor reads nothing ahead over that: what is far
    // away in memory is gathered first.
    let grants = policy.grants(of: action, on: type, for: context)
    if let subject {
      gather(subject, on: entity, from: type, action: action, grants: grants, into: &search)
    }
    // An action that entities of this type do not know is granted by no role.
    let rule = policy.rule(of: action, on: type) ?? .nothing
    let reason = reason(of: rule, for: subject, on: entity, context: context, search: &search)
    return Decision(
      reason: reason,
      association: search.found?.association,
      role: search.found?.role,
      via: search.found?.entity,
      sufficientRoles: grants,
      isKnown: search.isReached,
      heldRoles: search.held,
      validUntil: min(search.edge, search.now + Decision.lifetimeMax),
      revision: revision
    )
  }

  /// A context as it counts on an entity: step-ups for another part of the tree are none here.
  func context(_ context: DecisionContext, on entity: UInt32) -> DecisionContext {
    guard let scope = context.scope, !isEntity(entity, within: scope) else { return context }
    return context.withoutStepUps
  }

  /// Whether a subject may do nothing at all.
  package func isSuspended(_ subject: String) -> Bool { isSuspended(subjects.find(subject)) }

  func isSuspended(_ subject: UInt32?) -> Bool {
    guard let subject, !suspended.isEmpty else { return false }
    return suspended.contains(subject)
  }

  private func reason(
    of rule: Policy.ActionRule,
    for subject: UInt32?,
    on entity: UInt32,
    context: DecisionContext,
    search: inout RoleSearch
  ) -> ReasonCode {
    if isDenied(by: rule, on: entity, held: search.held) { return .deniedByRule }
    guard search.found == nil else {
      return conditions(of: rule, on: entity, context: context, search: &search)
    }
    let isGrantedWithStepUp = rule.stepUpGrants.contains { grant in
      !grant.roles.intersection(search.held).isEmpty
        && !context.hasStepUp(grant.stepUp, for: search.action, policy)
    }
    if isGrantedWithStepUp { return .stepUpRequired }
    if let reason = search.reasonOfReaching { return reason }
    let roles = subject.map { associations.roles(subject: $0) } ?? .none
    return roles.intersection(rule.anyGrants).isEmpty ? .noAssociation : .outOfScope
  }

  private func gather(
    _ subject: UInt32,
    on entity: UInt32,
    from type: EntityTypeID,
    action: ActionID,
    grants: RoleSet,
    into search: inout RoleSearch
  ) {
    if !linksTo.isEmpty, let edges = linksTo[entity] {
      let linkGrants = policy.rule(of: action, on: type)?.linkGrants ?? []
      followLinks(edges, subject: subject, linkGrants: linkGrants, into: &search)
    }
    let reaching = policy.reaching[Int(type.index)]
    // Most subjects have few associations. Their entities lie together, and their rows are looked at
    // only when one of those is the entity or above it.
    if let few = associations.fewEntities(subject: subject) {
      guard isAny(of: few, above: entity) else { return }
      var next = associations.head(subject: subject)
      while next != 0 {
        let row = associations.rows[Int(next - 1)]
        if let level = level(of: row.entity, above: entity),
          level == 0 || reaching.contains(row.role)
        {
          examine(row, number: next - 1, level: level, grants: grants, into: &search)
        }
        next = row.nextOfSubject
      }
      return
    }
    let all = RoleSet(bits: .max)
    look(at: entity, level: 0, for: subject, reaching: all, grants: grants, &search)
    var current = entity
    var level = 1
    while current != Self.system {
      current = nodes[Int(current)].parent
      level += 1
      look(
        at: current,
        level: level,
        for: subject,
        reaching: reaching,
        grants: grants,
        &search
      )
    }
  }

  /// Whether one of some entities is the entity or above it.
  private func isAny(of few: SIMD4<UInt32>, above entity: UInt32) -> Bool {
    var current = entity
    while true {
      if any(few .== SIMD4(repeating: current)) { return true }
      guard current != Self.system else { return false }
      current = nodes[Int(current)].parent
    }
  }

  /// How far an entity is above another one; nil when it is not above it.
  ///
  /// 1 is for links.
  private func level(of ancestor: UInt32, above entity: UInt32) -> Int? {
    guard ancestor != entity else { return 0 }
    var current = entity
    var level = 1
    while current != Self.system {
      current = nodes[Int(current)].parent
      level += 1
      if current == ancestor { return level }
    }
    return nil
  }

  /// Looks at what the subject holds on one entity.
  private func look(
    at entity: UInt32,
    level: Int,
    for subject: UInt32,
    reaching: RoleSet,
    grants: RoleSet,
    _ search: inout RoleSearch
  ) {
    var next = associations.head(subject: subject, entity: entity)
    while next != 0 {
      let row = associations.rows[Int(next - 1)]
      if reaching.contains(row.role) {
        examine(row, number: next - 1, level: level, grants: grants, into: &search)
      }
      next = row.nextOfPair
    }
  }

  /// Looks at the sources of links, which together are one level.
  private func followLinks(
    _ edges: [LinkEdge],
    subject: UInt32,
    linkGrants: [RoleSet],
    into search: inout RoleSearch
  ) {
    if edges.count <= associations.count(subject: subject) {
      for edge in edges {
        var next = associations.head(subject: subject, entity: edge.entity)
        while next != 0 {
          examine(next - 1, through: edge.link, linkGrants, into: &search)
          next = associations.rows[Int(next - 1)].nextOfPair
        }
      }
    } else {
      var next = associations.head(subject: subject)
      while next != 0 {
        let row = associations.rows[Int(next - 1)]
        for edge in edges[Self.range(of: row.entity, in: edges)] {
          examine(next - 1, through: edge.link, linkGrants, into: &search)
        }
        next = row.nextOfSubject
      }
    }
  }

  private func examine(
    _ number: UInt32,
    through link: LinkID,
    _ linkGrants: [RoleSet],
    into search: inout RoleSearch
  ) {
    let row = associations.rows[Int(number)]
    guard policy.roles[Int(row.role.index)].throughLinks[Int(link.index)] else { return }
    examine(
      row,
      number: number,
      level: 1,
      through: link,
      grants: linkGrants.isEmpty ? .none : linkGrants[Int(link.index)],
      into: &search
    )
  }

  /// Takes an association that reaches the entity into account; most have no recurring window and are of
  /// no tenant's own role.
  private func examine(
    _ row: AssociationTable.Row,
    number: UInt32,
    level: Int,
    through link: LinkID? = nil,
    grants: RoleSet,
    into search: inout RoleSearch
  ) {
    guard row.recurring | row.variant == 0 else {
      return examineSpecial(
        row,
        number: number,
        level: level,
        through: link,
        grants: grants,
        into: &search
      )
    }
    search.examine(
      row,
      number: number,
      level: level,
      through: link,
      isGranting: grants.contains(row.role)
    )
  }

  private func examineSpecial(
    _ row: AssociationTable.Row,
    number: UInt32,
    level: Int,
    through link: LinkID?,
    grants: RoleSet,
    into search: inout RoleSearch
  ) {
    let isGranting =
      link == nil
      ? self.isGranting(row, search.action, on: search.type, grants)
      : self.isGranting(row, search.action, throughLink: grants)
    var isClosed = false
    if row.recurring != 0 { isClosed = search.isClosed(row, associations.windows) }
    search.examine(
      row,
      number: number,
      level: level,
      through: link,
      isGranting: isGranting,
      isClosed: isClosed
    )
  }

  /// Where the edges of one entity are among edges sorted by entity.
  private static func range(of entity: UInt32, in edges: [LinkEdge]) -> Range<Int> {
    var (low, high) = (0, edges.count)
    while low < high {
      let middle = (low + high) / 2
      if edges[middle].entity < entity { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < edges.count, edges[end].entity == entity { end += 1 }
    return low..<end
  }

  private func isDenied(by rule: Policy.ActionRule, on entity: UInt32, held: RoleSet) -> Bool {
    for deny in rule.denies where applies(deny, on: entity, held: held) { return true }
    return false
  }

  /// Whether a rule forbids an action to a user who has some roles on an entity.
  func applies(_ deny: Policy.Deny, on entity: UInt32, held: RoleSet) -> Bool {
    if let roles = deny.roles, roles.intersection(held).isEmpty { return false }
    return deny.tests.allSatisfy { $0.passes(code(entity, slot: $0.slot)) }
  }

  /// The outcome of the conditions once a role grants the action.
  ///
  /// They are sorted by precedence, so that the first that fails is the reason. All are looked at,
  /// because each may bring an edge nearer.
  private func conditions(
    of rule: Policy.ActionRule,
    on entity: UInt32,
    context: DecisionContext,
    search: inout RoleSearch
  ) -> ReasonCode {
    var reason = ReasonCode.allowed
    for condition in rule.conditions {
      let holds = holds(condition, on: entity, context: context, search: &search)
      if !holds, reason == .allowed { reason = condition.reason }
    }
    return reason
  }

  /// Whether a condition holds; remembers when that changes by the clock.
  func holds(
    _ condition: Policy.Condition,
    on entity: UInt32,
    context: DecisionContext,
    search: inout RoleSearch
  ) -> Bool {
    switch condition {
    case .attribute(let test, _): test.passes(code(entity, slot: test.slot))
    case .stepUp(let bit): context.hasStepUp(bit, for: search.action, policy)
    case .feature(let bit): context.features & bit != 0
    case .daily(let place): search.isInside(policy.windows[place])
    }
  }

  private func denied(_ reason: ReasonCode, now: Int64) -> Decision {
    Decision(
      reason: reason,
      association: nil,
      role: nil,
      via: nil,
      sufficientRoles: .none,
      isKnown: false,
      heldRoles: .none,
      validUntil: now + Decision.lifetimeMax,
      revision: revision
    )
  }
}
