internal import PackedTables

extension Forest {
  /// Follows the store by one step.
  ///
  /// The store has checked parents, depth and cycles in the transaction; a change that does not fit
  /// here means that memory and store have parted, which ends the process.
  public mutating func apply(_ change: ForestChange) {
    guard residency == nil || concernsHeld(change) else { return }
    switch change {
    case .leaving: break
    case .putEntity(let row): put(row)
    case .removeEntity(let id): remove(id)
    case .putAssociation(let row): put(row)
    case .removeAssociation(let id): associations.remove(id)
    case .putLink(let row): put(row)
    case .removeLink(let row): remove(row)
    case .putVariant(let row): put(row)
    case .removeVariant(let id): removeVariant(id)
    case .setSuspended(let subject, true): suspended.insert(subjects.intern(subject))
    case .setSuspended(let subject, false): suspended.remove(subjects.intern(subject))
    }
  }

  private func known(_ identifier: String) -> UInt32 {
    guard let entity = held(identifier) else {
      preconditionFailure("the store refers to \(identifier), which is not in memory")
    }
    return entity
  }

  /// Takes an entity of the store; its parent may come later.
  public mutating func load(_ row: EntityRow) { put(row, under: add(row.parent)) }

  private mutating func put(_ row: EntityRow) { put(row, under: known(row.parent)) }

  private mutating func put(_ row: EntityRow, under parent: UInt32) {
    let entity = add(row.id)
    let index = Int(entity)
    // One that stays where it is keeps its place among its siblings: walks are in progress there.
    let stays = nodes[index].isAlive && nodes[index].parent == parent
    if nodes[index].isAlive, !stays { detach(entity) }
    nodes[index].isAlive = true
    nodes[index].type = row.type
    names[index] = row.name
    for (slot, code) in row.codes.enumerated() { codes[index * codeCount + slot] = code }
    guard !stays else { return }
    attach(entity, to: parent)
    // In another tenant other roles may be replaced.
    if !variants.isEmpty { followReplacement(below: entity) }
  }

  /// Puts an entity among the children of another, the greatest identifier first: walks that go on later find the same
  /// order in every process, however the tree came into memory.
  ///
  /// Identifiers begin with the time, so a new one is the first. Roots are in no order: there may be millions.
  private mutating func attach(_ entity: UInt32, to parent: UInt32) {
    var (previous, next) = (Self.none, nodes[Int(parent)].firstChild)
    if parent != Self.system {
      while next != Self.none, entities.isOrdered(entity, before: next) {
        (previous, next) = (next, nodes[Int(next)].nextSibling)
      }
    }
    // A tree is not let go before anybody could ask about it.
    if parent == Self.system {
      noteUse(of: entity)
      treeCount += 1
    }
    nodes[Int(entity)].parent = parent
    (nodes[Int(entity)].previousSibling, nodes[Int(entity)].nextSibling) = (previous, next)
    if next != Self.none { nodes[Int(next)].previousSibling = entity }
    if previous == Self.none {
      nodes[Int(parent)].firstChild = entity
    } else {
      nodes[Int(previous)].nextSibling = entity
    }
  }

  private mutating func detach(_ entity: UInt32) {
    let (previous, next) = (nodes[Int(entity)].previousSibling, nodes[Int(entity)].nextSibling)
    if nodes[Int(entity)].parent == Self.system { treeCount -= 1 }
    if previous == Self.none {
      nodes[Int(nodes[Int(entity)].parent)].firstChild = next
    } else {
      nodes[Int(previous)].nextSibling = next
    }
    if next != Self.none { nodes[Int(next)].previousSibling = previous }
  }

  private mutating func remove(_ identifier: String) {
    guard let entity = held(identifier) else { return }
    precondition(
      nodes[Int(entity)].firstChild == Self.none,
      "\(identifier) was removed before its children"
    )
    associations.removeAll(entity: entity)
    removeNode(entity)
  }

  /// Takes an entity without children and associations out of its place, and its links with it.
  mutating func removeNode(_ entity: UInt32) {
    for edge in linksTo.removeValue(forKey: entity) ?? [] {
      linksFrom[edge.entity]?.removeAll { $0.entity == entity }
    }
    for edge in linksFrom.removeValue(forKey: entity) ?? [] {
      linksTo[edge.entity]?.removeAll { $0.entity == entity }
    }
    detach(entity)
    nodes[Int(entity)].isAlive = false
    names[Int(entity)] = ""
  }

  mutating func put(_ row: AssociationRow) {
    let entity = known(row.entity)
    let variant = variantNumber(row, on: entity)
    associations.put(
      row.id,
      AssociationTable.Row(
        subject: subjects.intern(row.subject),
        entity: entity,
        role: row.role,
        validFrom: row.validFrom,
        validUntil: row.validUntil
      ),
      during: row.recurring,
      variant: variant,
      isReplaced: row.variant.isEmpty && variant != 0
    )
  }

  mutating func put(_ row: LinkRow) {
    let (from, to) = (known(row.from), known(row.to))
    let edge = LinkEdge(entity: to, link: row.link)
    guard linksFrom[from]?.contains(edge) != true else { return }
    linksFrom[from, default: []].append(edge)
    let back = LinkEdge(entity: from, link: row.link)
    let place = linksTo[to]?.firstIndex { $0.entity >= from } ?? linksTo[to]?.count ?? 0
    linksTo[to, default: []].insert(back, at: place)
  }

  private mutating func remove(_ row: LinkRow) {
    guard let from = held(row.from), let to = held(row.to) else { return }
    linksFrom[from]?.removeAll { $0 == LinkEdge(entity: to, link: row.link) }
    linksTo[to]?.removeAll { $0 == LinkEdge(entity: from, link: row.link) }
    if linksFrom[from]?.isEmpty == true { linksFrom[from] = nil }
    if linksTo[to]?.isEmpty == true { linksTo[to] = nil }
  }
}
