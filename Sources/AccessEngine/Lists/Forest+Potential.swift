internal import PackedTables

extension Forest {
  /// The actions that a subject would have on a new entity of a type.
  package struct Potential: Sendable {
    package let type: EntityTypeID
    /// The roles that would reach it.
    package let roles: RoleSet
    /// The actions that would be allowed, in the order of the policy; never none.
    package let actions: [ActionID]
  }

  /// The actions that a subject would have on new entities below one, for each type of which there can be some.
  package struct Potentials: Sendable {
    package fileprivate(set) var types: [Potential] = []
    /// Until when this is so, in milliseconds since 1970.
    package fileprivate(set) var validUntil: Int64
    /// The holder whose features must be known before this is more than a guess.
    package fileprivate(set) var missing: FeatureHolder?
  }

  /// The actions that a subject would have on new entities below one: by the roles that it has now on that one and
  /// above it, with the features of its holder, and with the defaults of attributes.
  ///
  /// The creator of an entity may get a role on it besides; that and links are not in this.
  package func potentials(
    of id: String,
    below top: String,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource
  ) -> Potentials {
    var found = Potentials(validUntil: now + Decision.lifetimeMax)
    guard let top = entity(top), let subject = subject(id), !isSuspended(subject),
      !context.isSuspended
    else { return found }
    let rows = openRows(of: subject, onOrAbove: top, now: now)
    guard !rows.isEmpty else { return found }
    let context = self.context(context, on: top)
    var known: KnownFeatures?
    for index in policy.types.indices {
      let type = EntityTypeID(index: UInt8(index))
      guard typesBelow[Int(self.type(top).index)].contains(type) else { continue }
      let reaching = rows.filter { policy.roles[Int($0.role.index)].inheritsTo.contains(type) }
      guard !reaching.isEmpty else { continue }
      var draft = NewEntity(type: type, codes: policy[type].codes([:]), context: context)
      if needsFeatures(type), isHeld(type, asBelow: self.type(top)),
        let holder = featureHolder(of: top)
      {
        let features = known ?? features.features(of: holder, now: now)
        known = features
        switch features {
        case .known(let names, let until):
          draft.context.features |= policy.featureBits(names)
          found.validUntil = min(found.validUntil, until)
        case .missing: found.missing = holder
        }
      }
      let (potential, edge) = potential(draft, by: reaching, now: now)
      found.validUntil = min(found.validUntil, edge)
      if !potential.actions.isEmpty { found.types.append(potential) }
    }
    return found
  }

  /// An entity that does not exist.
  private struct NewEntity {
    let type: EntityTypeID
    /// The coded defaults of its attributes.
    let codes: [UInt8]
    var context: DecisionContext

    func passes(_ test: Policy.AttributeTest) -> Bool { test.passes(codes[test.slot]) }
  }

  /// The associations of a subject on an entity or above it that count now.
  private func openRows(
    of subject: UInt32,
    onOrAbove entity: UInt32,
    now: Int64
  ) -> [AssociationTable.Row] {
    associationRows(subject: subject).map { associations.rows[Int($0)] }.filter { row in
      associations.state(of: row, at: now).isOpen && isEntity(entity, within: row.entity)
    }
  }

  /// Whether an action on a type asks for a feature.
  private func needsFeatures(_ type: EntityTypeID) -> Bool {
    policy.actions.indices.contains { index in
      policy.rule(of: ActionID(index: UInt16(index)), on: type)?.conditions
        .contains { $0.reason == .featureNotAvailable } == true
    }
  }

  /// Whether a new entity of a type can have the features of what it is below: no holder of its own has to be
  /// between the two.
  private func isHeld(
    _ type: EntityTypeID,
    asBelow top: EntityTypeID,
    through path: EntityTypeSet = EntityTypeSet()
  ) -> Bool {
    guard policy[type].featureHolder == nil else { return false }
    let parents = policy[type].parents
    if parents.contains(top) { return true }
    // Types can contain one another.
    var path = path
    path.insert(type)
    return policy.types.indices.contains { index in
      let parent = EntityTypeID(index: UInt8(index))
      return parents.contains(parent) && !path.contains(parent)
        && typesBelow[Int(top.index)].contains(parent)
        && isHeld(parent, asBelow: top, through: path)
    }
  }

  private func potential(
    _ draft: NewEntity,
    by rows: [AssociationTable.Row],
    now: Int64
  ) -> (Potential, edge: Int64) {
    var search = RoleSearch(now: now)
    var held = RoleSet.none
    for row in rows { held.insert(row.role) }
    var actions: [ActionID] = []
    for index in policy.actions.indices {
      let action = ActionID(index: UInt16(index))
      let grants = policy.grants(of: action, on: draft.type, for: draft.context)
      guard let rule = policy.rule(of: action, on: draft.type),
        rows.contains(where: { isGranting($0, action, on: draft.type, grants) })
      else { continue }
      search.action = action
      var isAllowed = !rule.denies.contains { deny in
        deny.roles.map { !$0.intersection(held).isEmpty } != false
          && deny.tests.allSatisfy(draft.passes)
      }
      for condition in rule.conditions where !holds(condition, on: draft, &search) {
        isAllowed = false
      }
      if isAllowed { actions.append(action) }
    }
    return (Potential(type: draft.type, roles: held, actions: actions), search.edge)
  }

  private func holds(
    _ condition: Policy.Condition,
    on draft: NewEntity,
    _ search: inout RoleSearch
  ) -> Bool {
    switch condition {
    case .attribute(let test, _): draft.passes(test)
    case .stepUp(let bit): draft.context.hasStepUp(bit, for: search.action, policy)
    case .feature(let bit): draft.context.features & bit != 0
    case .daily(let place): search.isInside(policy.windows[place])
    }
  }
}
