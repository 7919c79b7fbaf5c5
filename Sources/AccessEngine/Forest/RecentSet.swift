/// The identifiers that were put in last, a bounded number of them.
///
/// Two halves: when the younger is full it becomes the older, whose identifiers are forgotten. What is forgotten has
/// to be looked up again, and no more.
struct RecentSet: Sendable {
  private var younger: Set<String> = []
  private var older: Set<String> = []
  private let halfCountMax: Int

  /// An empty set of at most twice as many identifiers as a half has.
  init(halfCountMax: Int) { self.halfCountMax = halfCountMax }

  /// Whether an identifier is remembered.
  func contains(_ identifier: String) -> Bool {
    younger.contains(identifier) || older.contains(identifier)
  }

  /// Remembers an identifier.
  mutating func insert(_ identifier: String) {
    if younger.count >= halfCountMax { (older, younger) = (younger, []) }
    younger.insert(identifier)
  }

  /// Forgets an identifier.
  mutating func remove(_ identifier: String) {
    younger.remove(identifier)
    older.remove(identifier)
  }
}
