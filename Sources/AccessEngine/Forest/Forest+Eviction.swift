internal import PackedTables

/// How trees leave memory when there are too many: those about which nothing was asked for a while go first.
///
/// A clock with a hand (second chance): it goes around the roots, passes those in use since it was there last, and lets
/// go of the first other one.
extension Forest {
  /// How many entities are in memory, the system and those above others that are still to come included.
  package var heldCount: Int { entities.count }

  /// Bytes that the trees in memory take, about.
  ///
  /// Counted by rows: arrays and hash tables grow by doubling, and what they have not used yet is no memory of the
  /// process.
  package var byteCount: Int {
    entities.count * Self.entityByteCount + associations.count * Self.associationByteCount
      + subjects.count * Self.subjectByteCount
      + (linksFrom.count + linksTo.count) * Self.linkByteCount
  }

  /// Node, name, codes, identifier in the table and its hash, head of its associations.
  private static let entityByteCount = 136
  /// Row, identifier and its hash, place of its pair.
  private static let associationByteCount = 144
  /// Identifier and its hash, head of its associations.
  private static let subjectByteCount = 96
  /// An entry of a dictionary, and its array.
  private static let linkByteCount = 96

  /// Roots that the hand passes at most for one tree in use: from there on it takes whatever is not pinned, and after as
  /// many again it gives up until the next time.
  private static let passedCountMax = 10_000

  /// The root of a tree that is not pinned and was not used lately; nil when none was found.
  package mutating func leastUsedRoot(isPinned: (String) -> Bool) -> UInt32? {
    guard residency != nil else { return nil }
    for entity in uses.take() where nodes[Int(entity)].isAlive { noteUse(of: root(of: entity)) }
    var (passedCount, turnCount) = (0, 0)
    var candidate = residency?.hand ?? Self.none
    if candidate == Self.none || !isRoot(candidate) {
      candidate = nodes[Int(Self.system)].firstChild
      turnCount = 1
    }
    while true {
      guard passedCount < 2 * Self.passedCountMax else { return nil }
      guard candidate != Self.none else {
        // The first turn may only have taken marks away.
        guard turnCount < 3 else { return nil }
        turnCount += 1
        candidate = nodes[Int(Self.system)].firstChild
        if candidate == Self.none { return nil }
        continue
      }
      let root = candidate
      candidate = nodes[Int(root)].nextSibling
      residency?.hand = candidate
      passedCount += 1
      let isUsed = residency?.used.remove(root) != nil && passedCount < Self.passedCountMax
      if !isUsed, !isPinned(identifier(of: root)) { return root }
    }
  }

  /// Keeps a tree from being let go when the hand comes next.
  mutating func noteUse(of root: UInt32) { residency?.used.insert(root) }

  private func isRoot(_ entity: UInt32) -> Bool {
    nodes[Int(entity)].isAlive && nodes[Int(entity)].parent == Self.system
  }
}
