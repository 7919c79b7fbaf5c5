/// The first entities after a place in an order, gathered from all in any order.
package struct PageSelection: Sendable {
  /// One entity, with what it is sorted by.
  package struct Entry: Sendable {
    package let entity: UInt32
    /// The name when the list came to it; empty when sorted by identifier alone.
    package let name: String
  }

  /// The entities so far, in order; at most one more than the page has.
  private var entries: [Entry] = []
  /// Those of them that the subject may no longer see.
  private var hidden: Set<UInt32> = []
  /// How many there are on all pages.
  package private(set) var total = 0

  private let limit: Int
  private let sortsByName: Bool
  private let isDescending: Bool
  private let text: [UInt8]
  private let cursor: (name: String, id: String)?

  /// A page of `limit` after `cursor`, of entities with `text` in their names, if there is one.
  package init(
    limit: Int,
    sortsByName: Bool,
    isDescending: Bool = false,
    text: String = "",
    after cursor: [String]?
  ) {
    self.limit = limit
    self.sortsByName = sortsByName
    self.isDescending = isDescending
    self.text = Self.lowercased(text)
    self.cursor = cursor.map { (sortsByName ? $0[0] : "", $0[1]) }
  }

  /// The entries of the page.
  package var page: [Entry] { entries.prefix(limit).filter { !hidden.contains($0.entity) } }
  /// The entities that are kept so far, in order.
  var entities: [UInt32] { entries.map(\.entity) }
  /// Whether there is another page.
  ///
  /// What is hidden counts as well: this page is shorter without it, but ends where it would have
  /// ended, and what comes after that is on the next one.
  package var hasMore: Bool { entries.count > limit }

  /// Where the next page begins; nil when there is none, or nothing on this one.
  ///
  /// After the last entity by the name that it was sorted by. A new name that it was given in the meantime
  /// would have the next page leave out, or repeat, everything between the two names.
  package func cursor(_ forest: borrowing Forest) -> [String]? {
    guard hasMore, let last = page.last else { return nil }
    return [last.name, forest.entities.text(last.entity)]
  }

  /// Takes what is no longer to be seen off the page.
  mutating func hide(_ entities: Set<UInt32>) { hidden.formUnion(entities) }

  /// Takes an entity into account; `mayRepeat` when it may have been offered before.
  mutating func offer(_ entity: UInt32, mayRepeat: Bool, _ forest: borrowing Forest) {
    let name = forest.names[Int(entity)]
    if !text.isEmpty, !Self.contains(Self.lowercased(name), text) { return }
    if mayRepeat, entries.contains(where: { $0.entity == entity }) { return }
    total += 1
    let entry = Entry(entity: entity, name: sortsByName ? name : "")
    if let cursor, !isAfter(cursor, entry, forest) { return }
    if entries.count > limit, let last = entries.last, !isOrdered(entry, last, forest) { return }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isOrdered(entries[middle], entry, forest) { low = middle + 1 } else { high = middle }
    }
    entries.insert(entry, at: low)
    if entries.count > limit + 1 { entries.removeLast() }
  }

  private func isOrdered(_ left: Entry, _ right: Entry, _ forest: borrowing Forest) -> Bool {
    let (left, right) = isDescending ? (right, left) : (left, right)
    if left.name != right.name { return left.name < right.name }
    return forest.entities.isOrdered(left.entity, before: right.entity)
  }

  private func isAfter(
    _ cursor: (name: String, id: String),
    _ entry: Entry,
    _ forest: borrowing Forest
  ) -> Bool {
    if entry.name != cursor.name { return (entry.name > cursor.name) != isDescending }
    // Nearly always known, even when it was deleted.
    if let last = forest.entities.find(cursor.id) {
      return isDescending
        ? forest.entities.isOrdered(entry.entity, before: last)
        : forest.entities.isOrdered(last, before: entry.entity)
    }
    let (id, other) = (cursor.id.utf8, forest.entities.text(entry.entity).utf8)
    return isDescending ? other.lexicographicallyPrecedes(id) : id.lexicographicallyPrecedes(other)
  }

  /// Whether a name has a text, without regard to ASCII case, as pages are narrowed by it.
  package static func hasText(_ text: String, in name: String) -> Bool {
    text.isEmpty || contains(lowercased(name), lowercased(text))
  }

  private static func lowercased(_ text: String) -> [UInt8] {
    text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }
}
