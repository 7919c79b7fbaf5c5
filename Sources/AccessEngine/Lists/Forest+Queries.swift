internal import PackedTables

extension Forest {
  /// A question for a list, in the words of callers; nil when the policy does not know them.
  package func query(
    _ action: String,
    on type: String,
    subject: String,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> ListQuery? {
    guard let action = policy.action(named: action), let type = policy.type(named: type) else {
      return nil
    }
    return ListQuery(
      subject: subject,
      action: action,
      type: type,
      context: context,
      now: now,
      features: features
    )
  }

  /// Whether a subject has no association at all, not even one whose time is over.
  package func holdsNothing(_ subject: String) -> Bool {
    lack(rolesOf: subject)
    return subjects.find(subject).map { associations.count(subject: $0) == 0 } ?? true
  }

  /// Whether memory is sure that a subject has no association at all; one of a tree that is not in memory may exist.
  package func isKnownToHoldNothing(_ subject: String) -> Bool {
    (residency?.isComplete(for: subject) ?? true) && holdsNothing(subject)
  }

  /// Whether a subject has a role on the system.
  func holdsOnSystem(_ subject: String) -> Bool {
    subjects.find(subject).map { associations.head(subject: $0, entity: Self.system) != 0 } ?? false
  }

  /// The lowest of the entities, if the others lie above it: below several that lie apart there is
  /// nothing, and no entity at all is no bound.
  package func deepest(_ ids: [String]) -> (entity: UInt32?, isSome: Bool)? {
    var lowest: UInt32?
    for id in ids {
      guard let entity = self.entity(id) else { return nil }
      if let current = lowest {
        if isEntity(entity, within: current) {
          lowest = entity
        } else if !isEntity(current, within: entity) {
          return nil
        }
      } else {
        lowest = entity
      }
    }
    return (lowest, lowest != nil)
  }

  /// Whether roles on the system reach everything of a list's type.
  ///
  /// Such a list rests on no tree: the store can give it.
  package func reachesEverything(_ query: ListQuery) -> Bool {
    guard query.within == nil, policy.rule(of: query.action, on: query.type) != nil,
      let subject = subjects.find(query.subject), !query.context.isSuspended,
      !suspended.contains(subject)
    else { return false }
    let grants = policy.grants(of: query.action, on: query.type, for: query.context)
    var next = associations.head(subject: subject, entity: Self.system)
    while next != 0 {
      let row = associations.rows[Int(next - 1)]
      next = row.nextOfPair
      if associations.state(of: row, at: query.now).isOpen,
        isGranting(row, query.action, on: query.type, grants),
        policy[row.role].inheritsTo.contains(query.type)
      {
        return true
      }
    }
    return false
  }

  /// Whether a list has to decide on each entity that roles reach.
  package func decidesOnEach(_ query: ListQuery) -> Bool {
    let rule = policy.rule(of: query.action, on: query.type)
    return rule.map { !$0.conditions.isEmpty || !$0.denies.isEmpty } == true
      || query.levelNeeded > 0 || query.context.scope != nil
  }

  /// Whether a list has an entity that its filters let pass, and whose features must be known to say so.
  package func lists(
    _ entity: UInt32,
    _ query: ListQuery
  ) -> (isListed: Bool, missing: FeatureHolder?) {
    let decision = decide(
      subject: subjects.find(query.subject),
      action: query.action,
      entity: entity,
      context: query.context,
      now: query.now,
      query.features
    )
    let missing = decision.lacksFeatures ? featureHolder(of: entity) : nil
    guard decision.isAllowed else { return (false, missing) }
    let isShown =
      query.filters.isEmpty || policy.accessLevel(of: decision.heldRoles) >= query.levelNeeded
    return (isShown, missing)
  }

  /// Adds what a subject has itself, on or below an entity if one is given, to a selection.
  package func offer(
    associationsOf subject: String,
    within: UInt32?,
    to selection: inout AssociationSelection
  ) {
    if within == nil || within == Self.system { lack(rolesOf: subject) }
    guard let subject = subjects.find(subject) else { return }
    for number in associationRows(subject: subject) {
      let entity = associations.rows[Int(number)].entity
      guard within.map({ isEntity(entity, within: $0) }) != false else { continue }
      selection.offer(row: number, self)
    }
  }
}

extension Forest.ListQuery {
  /// Narrows the list to entities whose attribute has one of some values, choices or flags; false when
  /// there is no such attribute, or one of them is none of its values.
  package mutating func takes(only values: [String], of name: String, _ policy: Policy) -> Bool {
    guard let attribute = policy[type].attributes.first(where: { $0.name == name }),
      let slot = attribute.slot
    else { return false }
    var codes: UInt64 = 0
    for value in values {
      guard let code = attribute.code(of: value) else { return false }
      codes |= 1 << UInt64(code)
    }
    filters.append(
      ListFilter(
        test: Policy.AttributeTest(slot: slot, codes: codes),
        accessLevel: attribute.accessLevel
      )
    )
    return true
  }
}
