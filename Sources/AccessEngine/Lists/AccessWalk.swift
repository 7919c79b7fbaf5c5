internal import PackedTables

/// A walk over everything of a type on which a subject may do an action, a few steps at a time.
///
/// Between steps the forest may change, as long as the walk is notified of entities that leave their
/// place before they do. Then what may be seen during the whole walk is found exactly once; what
/// comes, goes or changes hands in the meantime may be found or not.
///
/// Starts from the subject's associations, so that it costs what there is to see and not what there
/// is; decides on single entities only where rules or conditions of the action ask for it.
package struct AccessWalk: Sendable {
  /// The part of the findings that is kept.
  package enum Purpose: Sendable {
    /// Everything.
    case all([UInt32])
    /// One page, and how much there is on all.
    case page(PageSelection)
    /// The first associations of a role on it, in their order.
    case associations(AssociationSelection)
  }

  package let query: Forest.ListQuery
  package private(set) var purpose: Purpose
  /// The holders whose features must be known before this is complete.
  package private(set) var missing: Set<FeatureHolder> = []
  /// Whether the walk has to begin again: the forest was exchanged, or nothing is left of the page.
  package var isBroken = false

  private let subject: UInt32?
  private var isEachChecked: Bool
  /// Whether what is below the children of `pending` is looked at too.
  private var descends = true
  /// Single entities to look at, then roots to look at and below.
  private var singles: [UInt32] = []
  private var roots: [UInt32] = []
  /// Entities whose children are still to come.
  private var pending: [UInt32] = []
  /// The next of the children that are being looked at.
  private var child = Forest.none
  /// Entities that moved during the walk, perhaps past it; to look at once more at the end.
  private var moved: [UInt32] = []
  private var hasMoved = false

  /// A walk over what a subject may see.
  package init(_ query: Forest.ListQuery, _ purpose: Purpose, _ forest: borrowing Forest) {
    self.query = query
    self.purpose = purpose
    subject = forest.subjects.find(query.subject)
    if query.within == nil { forest.lack(rolesOf: query.subject) }
    let rule = forest.policy.rule(of: query.action, on: query.type)
    isEachChecked = forest.decidesOnEach(query)
    guard let subject, let rule, !query.context.isSuspended, !forest.suspended.contains(subject)
    else { return }
    gather(rule, of: subject, forest)
    gatherLinked(forest)
    if query.within == nil, roots.contains(Forest.system) { forest.lackEverything() }
  }

  /// A walk over the children of an entity.
  package init(
    childrenOf parent: UInt32,
    _ query: Forest.ListQuery,
    _ purpose: Purpose,
    _ forest: borrowing Forest
  ) {
    self.query = query
    self.purpose = purpose
    subject = forest.subjects.find(query.subject)
    isEachChecked = true
    descends = false
    pending = [parent]
    if parent == Forest.system { forest.lackEverything() }
  }

  /// Looks at a number of entities; returns whether that were all.
  package mutating func advance(_ stepCount: Int, _ forest: borrowing Forest) -> Bool {
    for _ in 0..<stepCount {
      guard let entity = next(forest) else { return true }
      take(entity, forest)
    }
    return false
  }

  private mutating func next(_ forest: borrowing Forest) -> UInt32? {
    if let single = singles.popLast() { return single }
    while child == Forest.none {
      if let parent = pending.popLast() {
        child = forest.nodes[Int(parent)].firstChild
      } else if let root = roots.popLast() ?? nextMoved() {
        if descends { pending.append(root) }
        return root
      } else {
        return nil
      }
    }
    let entity = child
    child = forest.nodes[Int(entity)].nextSibling
    if descends, forest.nodes[Int(entity)].firstChild != Forest.none,
      forest.typesBelow[Int(forest.type(entity).index)].contains(query.type)
    {
      pending.append(entity)
    }
    return entity
  }

  private mutating func nextMoved() -> UInt32? {
    // From here on nothing follows from where the walk began.
    guard let entity = moved.popLast() else { return nil }
    isEachChecked = true
    return entity
  }

  private mutating func take(_ entity: UInt32, _ forest: borrowing Forest) {
    guard forest.nodes[Int(entity)].isAlive, forest.type(entity) == query.type else { return }
    if hasMoved, !isInPlace(entity, forest) { return }
    if let parent = query.parent, forest.nodes[Int(entity)].parent != parent { return }
    for filter in query.filters
    where !filter.test.passes(forest.code(entity, slot: filter.test.slot)) { return }
    if isEachChecked, !isAllowed(entity, forest) { return }
    switch purpose {
    case .all(var found):
      purpose = .all([])
      if !hasMoved || !found.contains(entity) { found.append(entity) }
      purpose = .all(found)
    case .page(var page):
      purpose = .all([])
      page.offer(entity, mayRepeat: hasMoved, forest)
      purpose = .page(page)
    case .associations(var selection):
      purpose = .all([])
      selection.offer(entity: entity, forest)
      purpose = .associations(selection)
    }
  }

  private mutating func isAllowed(_ entity: UInt32, _ forest: borrowing Forest) -> Bool {
    let (isListed, holder) = forest.lists(entity, query)
    if let holder { missing.insert(holder) }
    return isListed
  }

  /// Drops from a page what may no longer be seen; at the end, under one lock.
  package mutating func verify(_ forest: borrowing Forest) {
    guard case .page(var page) = purpose else { return }
    var hidden: Set<UInt32> = []
    for entry in page.page where !isAllowed(entry.entity, forest) { hidden.insert(entry.entity) }
    page.hide(hidden)
    // An empty page has no place at which the next one could begin.
    if missing.isEmpty, page.hasMore, page.page.isEmpty { isBroken = true }
    purpose = .page(page)
  }

  // MARK: The beginning

  private mutating func gather(
    _ rule: Policy.ActionRule,
    of subject: UInt32,
    _ forest: borrowing Forest
  ) {
    var (starts, alone): (Set<UInt32>, Set<UInt32>) = ([], [])
    let grants = forest.policy.grants(of: query.action, on: query.type, for: query.context)
    var next = forest.associations.head(subject: subject)
    while next != 0 {
      let row = forest.associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      guard forest.associations.state(of: row, at: query.now).isOpen else { continue }
      if forest.isGranting(row, query.action, on: query.type, grants) {
        if forest.policy[row.role].inheritsTo.contains(query.type) {
          if let start = start(from: row.entity, forest) { starts.insert(start) }
        } else {
          alone.insert(row.entity)
        }
      }
      for edge in forest.linksFrom[row.entity] ?? []
      where forest.isGranting(
        row,
        query.action,
        throughLink: rule.linkGrants[Int(edge.link.index)]
      )
        && forest.policy[row.role].throughLinks[Int(edge.link.index)]
      {
        alone.insert(edge.entity)
      }
    }
    for start in starts where !isBelow(starts, start, orAt: false, forest) { roots.append(start) }
    for entity in alone where !isBelow(starts, entity, orAt: true, forest) {
      if let within = query.within, !forest.isEntity(entity, within: within) { continue }
      singles.append(entity)
    }
  }

  /// Adds what the place of the list is linked to, as far as the subject may do the action on it: its roles need
  /// not reach the place for that, nor what is linked from it.
  private mutating func gatherLinked(_ forest: borrowing Forest) {
    guard let within = query.within, let link = query.link else { return }
    for edge in forest.linksFrom[within] ?? []
    where edge.link == link && !forest.isEntity(edge.entity, within: within) {
      if isAllowed(edge.entity, forest) { singles.append(edge.entity) }
    }
  }

  /// Whether an entity is below the place of the list or linked from it, if it has one.
  private func isInPlace(_ entity: UInt32, _ forest: borrowing Forest) -> Bool {
    guard let within = query.within else { return true }
    if forest.isEntity(entity, within: within) { return true }
    guard let link = query.link else { return false }
    return forest.linksFrom[within]?.contains { $0.entity == entity && $0.link == link } == true
  }

  /// Where a walk that would begin at an entity has to begin with regard to the filter.
  private func start(from entity: UInt32, _ forest: borrowing Forest) -> UInt32? {
    guard let within = query.within else { return entity }
    if forest.isEntity(within, within: entity) { return within }
    return forest.isEntity(entity, within: within) ? entity : nil
  }

  private func isBelow(
    _ starts: Set<UInt32>,
    _ entity: UInt32,
    orAt: Bool,
    _ forest: borrowing Forest
  ) -> Bool {
    if orAt, starts.contains(entity) { return true }
    var current = entity
    while current != Forest.system {
      current = forest.nodes[Int(current)].parent
      if starts.contains(current) { return true }
    }
    return false
  }

  // MARK: Changes in the meantime

  /// An entity is about to be removed.
  package mutating func willRemove(_ entity: UInt32, _ forest: borrowing Forest) {
    if child == entity { child = forest.nodes[Int(entity)].nextSibling }
  }

  /// A tree is about to leave memory: a walk that has or will have to do with it begins again.
  package mutating func willRelease(root: UInt32, _ forest: borrowing Forest) {
    guard !isBroken else { return }
    isBroken = rests(onTreeOf: root, forest)
  }

  private func rests(onTreeOf root: UInt32, _ forest: borrowing Forest) -> Bool {
    // What the subject has there may be the last of it, and its number another's afterwards.
    var next = subject.map { forest.associations.head(subject: $0) } ?? 0
    while next != 0 {
      let row = forest.associations.rows[Int(next - 1)]
      next = row.nextOfSubject
      if row.entity == Forest.system || forest.root(of: row.entity) == root { return true }
    }
    var entities = singles + roots + pending + moved
    if child != Forest.none { entities.append(child) }
    if let within = query.within { entities.append(within) }
    switch purpose {
    case .all(let found): entities += found
    case .page(let page): entities += page.entities
    case .associations: break
    }
    return entities.contains { $0 == Forest.system || forest.root(of: $0) == root }
  }

  /// An entity is about to be moved.
  package mutating func willMove(_ entity: UInt32, _ forest: borrowing Forest) {
    willRemove(entity, forest)
    hasMoved = true
    // Out of what the walk has before it into what it has behind it, for all that is known here.
    if descends { moved.append(entity) }
    // More than this is not worth following.
    if moved.count > 4096 { isBroken = true }
  }
}
