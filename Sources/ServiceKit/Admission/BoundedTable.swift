/// What a `BoundedTable` keeps.
package protocol BoundedTableEntry: Sendable {
  /// An entry of a key that nothing is known of.
  init(key: UInt64)

  /// The digest that it is found by.
  var key: UInt64 { get }

  /// Of entries that compete for a place the one with the least goes.
  var worth: Int64 { get }
}

/// A table whose size is fixed when it is made: what strangers do makes it forget, and never grow.
///
/// A key has eight places and no other. When all are taken by others, the entry that is worth least
/// makes room. Keys are digests under a secret, so that nobody can choose keys that compete with
/// somebody else's.
package struct BoundedTable<Entry: BoundedTableEntry>: Sendable {
  private static var places: Int { 8 }

  private var entries: [Entry?]
  private let setCount: UInt64

  /// Makes an empty table for at least one key, and about `count` of them.
  package init(count: Int) {
    setCount = UInt64(max(1, count / Self.places))
    entries = Array(repeating: nil, count: Int(setCount) * Self.places)
  }

  /// How many keys it can hold.
  package var capacity: Int { entries.count }

  /// What is known of a key.
  package func find(_ key: UInt64) -> Entry? { place(of: key).flatMap { entries[$0] } }

  /// Changes what is known of a key, if anything is.
  package mutating func update(_ key: UInt64, _ body: (inout Entry) -> Void) {
    guard let place = place(of: key), var entry = entries[place] else { return }
    body(&entry)
    entries[place] = entry
  }

  /// Changes what is known of a key, and makes room for it if need be.
  package mutating func change<Result>(_ key: UInt64, _ body: (inout Entry) -> Result) -> Result {
    let place = place(of: key) ?? cheapest(in: places(of: key))
    var entry = entries[place].flatMap { $0.key == key ? $0 : nil } ?? Entry(key: key)
    let result = body(&entry)
    entries[place] = entry
    return result
  }

  private func places(of key: UInt64) -> Range<Int> {
    let start = Int(key % setCount) * Self.places
    return start..<(start + Self.places)
  }

  private func place(of key: UInt64) -> Int? {
    places(of: key).first { entries[$0]?.key == key }
  }

  private func cheapest(in places: Range<Int>) -> Int {
    let worth = { (place: Int) in entries[place]?.worth ?? .min }
    return places.min { worth($0) < worth($1) } ?? places.lowerBound
  }
}
