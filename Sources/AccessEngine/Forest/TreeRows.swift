/// All rows of one tree, as a snapshot of the store has them.
///
/// Changes that come while they are read are applied to them before a forest takes them, so that it neither misses one
/// nor follows one twice.
package struct TreeRows: Sendable {
  /// The identifier of the uppermost entity.
  package let root: String
  /// The revision of the snapshot.
  package let revision: Int64
  private(set) var entities: [String: EntityRow] = [:]
  private(set) var associations: [String: AssociationRow] = [:]
  private(set) var links: Set<LinkRow> = []
  private(set) var variants: [String: VariantRow] = [:]
  /// Whether something came into the tree or left it, so that it has to be read again.
  package private(set) var isOvertaken = false
  private var leaving: Set<String> = []
  /// The identifiers of entities, each after the one above it, in the order in which a forest takes them fastest; nil
  /// before `sort`, and once something has another place.
  private var order: [String]?
  /// Entities that were removed since.
  private var removed: Set<String> = []

  /// The rows of a snapshot; those that speak of entities that are not among them are dropped.
  package init(
    root: String,
    revision: Int64,
    entities: [EntityRow],
    variants: [VariantRow] = [],
    associations: [AssociationRow] = [],
    links: [LinkRow] = []
  ) {
    (self.root, self.revision) = (root, revision)
    for row in entities { self.entities[row.id] = row }
    for row in variants where self.entities[row.root] != nil { self.variants[row.id] = row }
    for row in associations { put(row) }
    for row in links { put(row) }
  }

  /// The number of all rows.
  package var count: Int { entities.count + associations.count + links.count + variants.count }

  /// Takes a change of the store over that is younger than the snapshot; those of other trees change nothing.
  package mutating func apply(_ change: ForestChange) {
    switch change {
    case .leaving(let id): leaving.insert(id)
    case .putEntity(let row): put(row)
    case .removeEntity(let id): remove(id)
    case .putAssociation(let row): put(row)
    case .removeAssociation(let id): associations[id] = nil
    case .putLink(let row): put(row)
    case .removeLink(let row): links.remove(row)
    case .putVariant(let row): if entities[row.root] != nil { variants[row.id] = row }
    case .removeVariant(let id): variants[id] = nil
    case .setSuspended: break
    }
  }

  private mutating func put(_ row: EntityRow) {
    let (isMoved, isHere) = (leaving.remove(row.id) != nil, entities[row.id] != nil)
    let belongs =
      row.id == root ? row.parent == Forest.systemIdentifier : entities[row.parent] != nil
    if belongs, isHere || !isMoved {
      follow(row)
      entities[row.id] = row
    }
    // Of what comes with all that is below it, or goes like that, the change names the top alone.
    if belongs ? isMoved && !isHere : isHere { isOvertaken = true }
  }

  /// Keeps the order, unless an entity comes to another place.
  private mutating func follow(_ row: EntityRow) {
    guard order != nil else { return }
    if let before = entities[row.id] {
      if before.parent != row.parent { order = nil }
    } else if removed.contains(row.id) {
      order = nil
    } else {
      order?.append(row.id)
    }
  }

  private mutating func remove(_ id: String) {
    guard entities.removeValue(forKey: id) != nil else { return }
    if order != nil { removed.insert(id) }
    associations = associations.filter { $0.value.entity != id }
    links = links.filter { $0.from != id && $0.to != id }
    if id == root { variants = [:] }
  }

  private mutating func put(_ row: AssociationRow) {
    if entities[row.entity] != nil { associations[row.id] = row }
  }

  private mutating func put(_ row: LinkRow) {
    if entities[row.from] != nil, entities[row.to] != nil { links.insert(row) }
  }
}

extension TreeRows {
  /// Sorts the entities, before a forest is held for that; an entity from which no walk of at most `Forest.depthMax`
  /// steps leads to the root, nil when there is none.
  package mutating func sort() -> String? {
    let sorted = entitiesDownwards().map(\.id)
    order = sorted
    guard sorted.count != entities.count else { return nil }
    let rooted = Set(sorted)
    return entities.keys.first { !rooted.contains($0) }
  }

  /// The entities, each after the one above it.
  var entitiesInOrder: [EntityRow] {
    order?.compactMap { entities[$0] } ?? entitiesDownwards()
  }

  /// The entities below the root, itself among them, each after the one above it, and siblings by their identifiers.
  private func entitiesDownwards() -> [EntityRow] {
    guard let top = entities[root] else { return [] }
    let others = entities.values.filter { $0.id != root }.sorted { $0.id < $1.id }
    let children = Dictionary(grouping: others, by: \.parent)
    var (sorted, level) = ([top], [top])
    for _ in 1..<Forest.depthMax where !level.isEmpty {
      level = level.flatMap { children[$0.id] ?? [] }
      sorted += level
    }
    return sorted
  }
}
