extension Forest {
  /// What a list of accessible entities is asked for.
  struct ListQuery: Sendable {
    var subject: String
    var action: ActionID
    var type: EntityTypeID
    var context: DecisionContext
    var now: Int64
    /// Only what lies below this entity, or is it.
    var within: UInt32? = nil
    /// Only what has this coded value of an attribute.
    var attribute: (slot: Int, code: UInt8)? = nil
  }

  /// All entities of a type on which a subject may do an action, each once, in no order.
  ///
  /// Starts from the subject's associations, so that it costs what there is to see and not what
  /// there is; checks single entities only where rules or conditions of the action ask for it.
  func listAccessible(_ query: ListQuery) -> [UInt32] {
    guard let subject = subjects.find(query.subject), !query.context.isSuspended,
      !suspended.contains(subject), let rule = policy.rule(of: query.action, on: query.type)
    else { return [] }
    var visit = Visit(query: query, isEachChecked: !rule.conditions.isEmpty || !rule.denies.isEmpty)
    var next = associations.head(subject: subject)
    while next != 0 {
      let row = associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      guard row.validFrom <= query.now, row.validUntil > query.now else { continue }
      if rule.grants.contains(row.role) {
        let reachesBelow = policy[row.role].inheritsTo.contains(query.type)
        collect(from: row.entity, isBelow: reachesBelow, subject: subject, &visit)
      }
      for edge in linksFrom[row.entity] ?? []
      where rule.linkGrants[Int(edge.link.index)].contains(row.role)
        && policy[row.role].throughLinks[Int(edge.link.index)]
      {
        collect(from: edge.entity, isBelow: false, subject: subject, &visit)
      }
    }
    return visit.found
  }

  /// The children of an entity on which a subject may do an action, sorted by identifier.
  func listChildren(of parent: UInt32, _ query: ListQuery) -> [UInt32] {
    let subject = subjects.find(query.subject)
    var found: [UInt32] = []
    var child = nodes[Int(parent)].firstChild
    while child != Self.none {
      if type(child) == query.type {
        let decision = decide(
          subject: subject,
          action: query.action,
          entity: child,
          context: query.context,
          now: query.now
        )
        if decision.isAllowed { found.append(child) }
      }
      child = nodes[Int(child)].nextSibling
    }
    return found.sorted { entities.isOrdered($0, before: $1) }
  }

  private struct Visit {
    let query: ListQuery
    /// Whether a role is not enough for this action.
    let isEachChecked: Bool
    var found: [UInt32] = []
    /// Entities of the type that were looked at.
    var seen: Set<UInt32> = []
    /// Entities whose whole subtree was looked at.
    var roots: Set<UInt32> = []
  }

  private func collect(from root: UInt32, isBelow: Bool, subject: UInt32, _ visit: inout Visit) {
    guard isBelow else {
      take(root, subject: subject, &visit)
      return
    }
    // A filter below the root narrows the walk to itself; one that lies elsewhere leaves nothing
    // but what the walk from a lower root finds.
    var start = root
    if let within = visit.query.within, isEntity(within, within: root) { start = within }
    guard visit.roots.insert(start).inserted else { return }
    take(start, subject: subject, &visit)
    var pending = [start]
    while let entity = pending.popLast() {
      var child = nodes[Int(entity)].firstChild
      while child != Self.none {
        take(child, subject: subject, &visit)
        if typesBelow[Int(type(child).index)].contains(visit.query.type),
          nodes[Int(child)].firstChild != Self.none, !visit.roots.contains(child)
        {
          pending.append(child)
        }
        child = nodes[Int(child)].nextSibling
      }
    }
  }

  private func take(_ entity: UInt32, subject: UInt32, _ visit: inout Visit) {
    let query = visit.query
    guard type(entity) == query.type, visit.seen.insert(entity).inserted else { return }
    if let within = query.within, !isEntity(entity, within: within) { return }
    if let attribute = query.attribute, code(entity, slot: attribute.slot) != attribute.code {
      return
    }
    if visit.isEachChecked {
      let decision = decide(
        subject: subject,
        action: query.action,
        entity: entity,
        context: query.context,
        now: query.now
      )
      guard decision.isAllowed else { return }
    }
    visit.found.append(entity)
  }

  /// Every action that a subject may do on an entity, in the order of the policy.
  func listActions(
    subject: UInt32?,
    entity: UInt32,
    context: DecisionContext,
    now: Int64
  ) -> (actions: [ActionID], validUntil: Int64) {
    var allowed: [ActionID] = []
    var validUntil = now + Decision.lifetimeMax
    for index in policy.actions.indices {
      let action = ActionID(index: UInt16(index))
      guard policy.rule(of: action, on: type(entity)) != nil else { continue }
      let decision = decide(
        subject: subject,
        action: action,
        entity: entity,
        context: context,
        now: now
      )
      validUntil = min(validUntil, decision.validUntil)
      if decision.isAllowed { allowed.append(action) }
    }
    return (allowed, validUntil)
  }
}

extension Forest {
  /// Rows of the associations of a subject.
  func associationRows(subject: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    var next = associations.head(subject: subject)
    while next != 0 {
      rows.append(next - 1)
      next = associations.rows[Int(next - 1)].nextOfSubject
    }
    return rows
  }

  /// Rows of the associations on an entity.
  func associationRows(entity: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    var next = associations.head(entity: entity)
    while next != 0 {
      rows.append(next - 1)
      next = associations.rows[Int(next - 1)].nextOfEntity
    }
    return rows
  }
}
