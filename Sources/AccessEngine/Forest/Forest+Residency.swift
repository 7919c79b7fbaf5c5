internal import PackedTables

/// Forests that hold some of the store's trees, and say what a question lacked.
///
/// Until it has `hold`, a tree is unknown. Any answer after which `takeMissing` is not empty is only a guess: the caller
/// has what is missing loaded, and asks again.
extension Forest {
  /// A forest that holds no tree yet; see the other initialiser.
  package init(partialUnder policy: Policy, zones: any TimeZoneSource) {
    self.init(policy: policy, zones: zones)
    residency = Residency()
  }

  /// Whatever questions have lacked since the last time; nothing in a forest that holds all trees.
  package func takeMissing() -> Set<Missing> { missing.take() }

  /// Whether a tree is in memory, by the identifier of its root.
  package func holds(root identifier: String) -> Bool {
    residency == nil || held(identifier) != nil
  }

  /// The roots of all trees in memory.
  package var heldRoots: [String] {
    var roots: [String] = []
    var child = nodes[Int(Self.system)].firstChild
    while child != Self.none {
      roots.append(identifier(of: child))
      child = nodes[Int(child)].nextSibling
    }
    return roots
  }

  // MARK: Questions

  /// The number of an entity that is in memory; one that is not may be in the store all the same.
  package func held(_ identifier: String) -> UInt32? {
    guard let entity = entities.find(identifier), nodes[Int(entity)].isAlive else { return nil }
    return entity
  }

  /// Notes that a question asked for an entity that is not in memory, unless the store has none either.
  @inline(never)
  func lack(entity identifier: String) {
    guard let residency, !residency.holdsEverything, !residency.absent.contains(identifier) else {
      return
    }
    missing.note(.tree(of: identifier))
  }

  /// Notes that a question rests on all roles of a subject, unless they are in memory.
  func lack(rolesOf subject: String) {
    guard let residency, !residency.isComplete(for: subject) else { return }
    missing.note(.trees(ofSubject: subject))
  }

  /// Notes that a question rests on all trees, unless they are in memory.
  func lackEverything() {
    guard let residency, !residency.holdsEverything else { return }
    missing.note(.everything)
  }

  // MARK: Look-ups

  /// The store is about to be asked for something that is missing.
  package mutating func beginLookUp(_ missing: Missing) { residency?.lookUps[missing] = false }

  /// No entity has an identifier, as the store says; false when a change has overtaken that.
  package mutating func endLookUp(ofAbsent identifier: String) -> Bool {
    guard residency?.lookUps.removeValue(forKey: .tree(of: identifier)) == false else {
      return false
    }
    residency?.absent.insert(identifier)
    return true
  }

  /// A subject has roles in trees of these roots alone, as the store says; false when a change has overtaken that, or
  /// one of them is not in memory.
  package mutating func endLookUp(ofSubject subject: String, roots: [String]) -> Bool {
    let isOvertaken = residency?.lookUps.removeValue(forKey: .trees(ofSubject: subject))
    guard isOvertaken == false, roots.allSatisfy(holds) else { return false }
    residency?.complete.insert(subject)
    return true
  }

  /// There are no trees but these, as the store says; false when a change has overtaken that, or one of them is not in
  /// memory.
  package mutating func endLookUp(ofEverything roots: [String]) -> Bool {
    let isOvertaken = residency?.lookUps.removeValue(forKey: .everything)
    guard isOvertaken == false, roots.allSatisfy(holds) else { return false }
    residency?.holdsEverything = true
    return true
  }

  /// A look-up has come to nothing.
  package mutating func abandonLookUp(_ missing: Missing) { residency?.lookUps[missing] = nil }

  // MARK: Trees

  /// Takes a tree into memory; false when it has to be read again.
  ///
  /// The forest must have followed the store up to the revision of the rows at least, and all younger changes that it
  /// has followed must have been applied to them.
  package mutating func hold(_ tree: TreeRows) -> Bool {
    precondition(revision >= tree.revision, "rows of a tree that are ahead of the forest")
    guard held(tree.root) == nil else { return true }
    guard !tree.isOvertaken else { return false }
    for row in tree.entitiesInOrder { load(row) }
    for row in tree.variants.values { put(row) }
    for row in tree.associations.values { put(row) }
    for row in tree.links { put(row) }
    return true
  }

  /// Lets go of an entity and all that is below it, which may be a tree, a part of one, or not be there.
  ///
  /// Numbers of its entities, associations and of subjects that have no other roles are given again: nobody may keep
  /// them over this.
  package mutating func release(_ identifier: String) {
    guard let top = held(identifier), top != Self.system else { return }
    numbering += 1
    residency?.holdsEverything = false
    if nodes[Int(top)].parent == Self.system { releaseVariants(of: top) }
    var entities = [top]
    var place = 0
    while place < entities.count {
      var child = nodes[Int(entities[place])].firstChild
      while child != Self.none {
        entities.append(child)
        child = nodes[Int(child)].nextSibling
      }
      place += 1
    }
    // From the leaves upwards.
    for entity in entities.reversed() { release(entity: entity) }
  }

  private mutating func release(entity: UInt32) {
    for row in associationRows(entity: entity) {
      let subject = associations.rows[Int(row)].subject
      residency?.complete.remove(subjects.text(subject))
      associations.remove(number: row)
      if associations.count(subject: subject) == 0, !suspended.contains(subject) {
        subjects.remove(subject)
      }
    }
    removeNode(entity)
    nodes[Int(entity)] = Node()
    entities.remove(entity)
  }

  private mutating func releaseVariants(of root: UInt32) {
    for variant in variants.all where variant.root == root { variants.release(variant.id) }
  }

  // MARK: Changes

  /// Whether a change of the store is one of what is in memory; what is not is noted as far as questions could rest on it.
  mutating func concernsHeld(_ change: ForestChange) -> Bool {
    switch change {
    case .leaving(let id):
      residency?.leaving.insert(id)
      return false
    case .putEntity(let row): return concernsHeld(row)
    case .removeEntity(let id): return held(id) != nil
    case .putAssociation(let row):
      guard held(row.entity) == nil else { return true }
      residency?.complete.remove(row.subject)
      residency?.overtake(.trees(ofSubject: row.subject))
      return false
    case .removeAssociation(let id): return associations.row(identifier: id) != nil
    case .putLink(let row), .removeLink(let row):
      return held(row.from) != nil && held(row.to) != nil
    case .putVariant(let row): return held(row.root) != nil
    case .removeVariant(let id): return variants[id] != nil
    case .setSuspended: return true
    }
  }

  private mutating func concernsHeld(_ row: EntityRow) -> Bool {
    let isMoved = residency?.leaving.remove(row.id) != nil
    residency?.absent.remove(row.id)
    residency?.overtake(.tree(of: row.id))
    let isHeld = held(row.id) != nil
    guard let parent = held(row.parent) else {
      // It goes, with all below it, where nothing is in memory.
      release(row.id)
      return false
    }
    guard !isHeld else { return true }
    guard parent != Self.system else {
      // A tree that is new is in memory from its beginning.
      guard !row.isNew else { return true }
      residency?.holdsEverything = false
      residency?.overtake(.everything)
      return false
    }
    guard isMoved else { return true }
    // It comes, with all below it, from where nothing is in memory.
    release(identifier(of: root(of: parent)))
    return false
  }
}
