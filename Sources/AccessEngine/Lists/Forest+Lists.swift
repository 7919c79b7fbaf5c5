internal import PackedTables

/// Narrows a list to entities whose attribute has one of some values.
package struct ListFilter: Sendable {
  /// The attribute and its coded values.
  package let test: Policy.AttributeTest
  /// The access level that shows the attribute: anyone who has a lower one on an entity does not find it by
  /// what they cannot see.
  package let accessLevel: Int

  /// Whether an entity passes that need not be in memory.
  package func passes(_ entity: EntityRow) -> Bool { test.passes(entity.codes[test.slot]) }
}

extension Forest {
  /// A query for accessible entities.
  package struct ListQuery: Sendable {
    package var subject: String
    package var action: ActionID
    package var type: EntityTypeID
    package var context: DecisionContext
    package var now: Int64
    /// Only what lies below this entity, or is it.
    package var within: UInt32? = nil
    /// Besides, what `within` itself has this link to.
    package var link: LinkID? = nil
    /// Only what is directly below this entity.
    package var parent: UInt32? = nil
    /// Only what passes all of these.
    package var filters: [ListFilter] = []
    /// The source of features besides those of the context.
    package var features: any FeatureSource = NoFeatures()

    /// The access level that shows all that the filters look at.
    package var levelNeeded: Int { filters.map(\.accessLevel).max() ?? 0 }
  }

  /// All entities of a type on which a subject may do an action, each once, in no order.
  func listAccessible(_ query: ListQuery) -> [UInt32] {
    var walk = AccessWalk(query, .all([]), self)
    while !walk.advance(.max, self) {}
    guard case .all(let found) = walk.purpose else {
      preconditionFailure("a walk lost its purpose")
    }
    return found
  }

  /// Every action that a subject may do on an entity, in the order of the policy, and the roles that it has
  /// there.
  package func listActions(
    subject: UInt32?,
    entity: UInt32,
    context: DecisionContext,
    now: Int64,
    _ features: any FeatureSource = NoFeatures()
  ) -> (actions: [ActionID], roles: RoleSet, validUntil: Int64, missing: FeatureHolder?) {
    var allowed: [ActionID] = []
    var roles = RoleSet.none
    var missing: FeatureHolder?
    var validUntil = now + Decision.lifetimeMax
    for index in policy.actions.indices {
      let action = ActionID(index: UInt16(index))
      guard policy.rule(of: action, on: type(entity)) != nil else { continue }
      let decision = decide(
        subject: subject,
        action: action,
        entity: entity,
        context: context,
        now: now,
        features
      )
      if decision.lacksFeatures { missing = featureHolder(of: entity) }
      validUntil = min(validUntil, decision.validUntil)
      if decision.isAllowed { allowed.append(action) }
      roles.formUnion(decision.heldRoles)
    }
    return (allowed, roles, validUntil, missing)
  }
}

extension Forest {
  /// Rows of the associations of a subject.
  package func associationRows(subject: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    var next = associations.head(subject: subject)
    while next != 0 {
      rows.append(next - 1)
      next = associations.rows[Int(next - 1)].nextOfSubject
    }
    return rows
  }

  /// Rows of the associations on an entity.
  package func associationRows(entity: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    var next = associations.head(entity: entity)
    while next != 0 {
      rows.append(next - 1)
      next = associations.rows[Int(next - 1)].nextOfEntity
    }
    return rows
  }
}
