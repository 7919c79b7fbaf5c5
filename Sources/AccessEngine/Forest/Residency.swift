/// The state of a forest that holds some of the store's trees.
///
/// A tree is held as a whole or not at all: an entity in memory has all above it, its roles and its links there too. The
/// system, and those who may do nothing, are always held.
struct Residency: Sendable {
  /// Identifiers that no entity has, as far as they were looked up.
  var absent = RecentSet(halfCountMax: 4096)
  /// Subjects all of whose trees are held.
  var complete = RecentSet(halfCountMax: 65_536)
  /// Whether all trees are held.
  var holdsEverything = false
  /// Roots whose trees were used since the hand passed them last; see `Forest.leastUsedRoot`.
  var used: Set<UInt32> = []
  /// The root at which the hand is.
  var hand = Forest.none
  /// Entities that leave their place: the next change that puts them says where they go.
  var leaving: Set<String> = []
  /// Look-ups in progress, by what is looked up, and whether a change has overtaken them.
  var lookUps: [Missing: Bool] = [:]

  /// Whether all roles of a subject are in memory.
  func isComplete(for subject: String) -> Bool { holdsEverything || complete.contains(subject) }

  /// A change has made the answer to a look-up old, if there is one in progress.
  mutating func overtake(_ missing: Missing) {
    if lookUps[missing] != nil { lookUps[missing] = true }
  }
}
