internal import PackedTables

/// Roles of tenants' own.
extension Forest {
  /// The uppermost entity above an entity, or itself: its tenant.
  func root(of entity: UInt32) -> UInt32 {
    var current = entity
    while current != Self.system, nodes[Int(current)].parent != Self.system {
      current = nodes[Int(current)].parent
    }
    return current
  }

  /// The tenant that a tenant-defined role belongs to.
  package func root(ofVariant id: String) -> String? {
    variants[id].map { entities.text($0.root) }
  }

  /// The name of the tenant-defined role that an association is of; nil for a role of the policy.
  package func variantName(ofAssociation number: UInt32) -> String? {
    let variant = associations.rows[Int(number)].variant
    return variant == 0 ? nil : variants[variant]?.name
  }

  /// Whether an association grants an action on entities of a type, on its entity or from above.
  func isGranting(
    _ row: AssociationTable.Row,
    _ action: ActionID,
    on type: EntityTypeID,
    _ grants: RoleSet
  ) -> Bool {
    guard row.variant != 0 else { return grants.contains(row.role) }
    return variants.includes(action, in: row.variant) && policy.hasRule(of: action, on: type)
  }

  /// Whether an association grants an action through a link: by a tenant-defined role no more than by
  /// the one that it is a variant of.
  func isGranting(
    _ row: AssociationTable.Row,
    _ action: ActionID,
    throughLink grants: RoleSet
  ) -> Bool {
    grants.contains(row.role)
      && (row.variant == 0 || variants.includes(action, in: row.variant))
  }

  /// The roles of the policy whose variants include an action in some tenant.
  func basesOfVariants(including action: ActionID) -> RoleSet {
    var roles = RoleSet.none
    for variant in variants.all where variant.actions.contains(action) {
      roles.insert(variant.base)
    }
    return roles
  }

  /// Whether a subject has an action on everything of a type in a tenant, by a role that reaches all of it:
  /// what it can put into a tenant-defined role, or give to others by one.
  ///
  /// With `until` only by a role that counts at all hours and does not end before; the largest number is
  /// never.
  package func mayGive(
    _ action: ActionID,
    on type: EntityTypeID,
    in root: String,
    subject: String,
    now: Int64,
    until: Int64? = nil
  ) -> Bool {
    guard let root = entity(root), let subject = self.subject(subject), !isSuspended(subject),
      policy.hasRule(of: action, on: type)
    else { return false }
    let grants = policy.grants(of: action, on: type)
    return associationRows(subject: subject).contains { number in
      let row = associations.rows[Int(number)]
      guard row.entity == root || row.entity == Self.system,
        associations.state(of: row, at: now).isOpen,
        until.map({ $0 <= row.validUntil && associations.window(of: row) == nil }) != false
      else { return false }
      let reaches = policy.roles[Int(row.role.index)].inheritsTo.contains(type)
      let isOwn = row.entity == root && self.type(root) == type
      return (reaches || isOwn) && isGranting(row, action, on: type, grants)
    }
  }

  // MARK: Changes

  mutating func put(_ row: VariantRow) {
    guard let root = held(row.root) else {
      preconditionFailure("the store refers to \(row.root), which is not in memory")
    }
    let isNew = variants[row.id] == nil
    let replaces = policy.roles[Int(row.base.index)].name == row.name
    variants.put(
      VariantTable.Variant(
        id: row.id,
        name: row.name,
        root: root,
        base: row.base,
        actions: ActionSet(row.actions),
        replacesBase: replaces
      )
    )
    if isNew, replaces { followReplacement(below: root) }
  }

  mutating func removeVariant(_ id: String) {
    guard let variant = variants.remove(id), variant.replacesBase else { return }
    followReplacement(below: variant.root)
  }

  /// The number of the variant that an association counts as.
  func variantNumber(_ row: AssociationRow, on entity: UInt32) -> UInt32 {
    guard !row.variant.isEmpty || !variants.isEmpty else { return 0 }
    let root = root(of: entity)
    return row.variant.isEmpty
      ? variants.number(replacing: row.role, root: root)
      : variants.number(of: row.variant, root: root)
  }

  /// Has the associations of roles of the policy below an entity follow what stands for these roles.
  mutating func followReplacement(below top: UInt32) {
    let root = root(of: top)
    var pending = [top]
    while let entity = pending.popLast() {
      var next = associations.head(entity: entity)
      while next != 0 {
        let row = associations.rows[Int(next - 1)]
        if row.variant == 0 || row.isReplaced {
          let number = variants.number(replacing: row.role, root: root)
          associations.replace(next - 1, by: number)
        }
        next = row.nextOfEntity
      }
      var child = nodes[Int(entity)].firstChild
      while child != Self.none {
        pending.append(child)
        child = nodes[Int(child)].nextSibling
      }
    }
  }
}

extension Policy {
  /// The types that know an action, of what a role is held on or reaches.
  package func types(knowing action: ActionID, reachedBy role: RoleID) -> [EntityTypeID] {
    types.indices.map { EntityTypeID(index: UInt8($0)) }.filter { type in
      let reached = self[role].heldOn.contains(type) || self[role].inheritsTo.contains(type)
      return reached && type != .system && hasRule(of: action, on: type)
    }
  }
}
