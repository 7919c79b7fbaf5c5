/// An entry of a `BoundedTable`.
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
///
/// Memory is taken in pieces, each when the first of its keys comes: a service has a dozen tables, most of
/// them for callers that few installations ever see.
package struct BoundedTable<Entry: BoundedTableEntry>: Sendable {
  private static var places: Int { 8 }
  /// Sets of places in a piece.
  private static var pieceSetCount: Int { 64 }

  /// Those without any key have no entries.
  private var pieces: [[Entry?]]
  private let setCount: UInt64

  /// Makes an empty table for at least one key, and about `count` of them.
  package init(count: Int) {
    let setCount = max(1, count / Self.places)
    self.setCount = UInt64(setCount)
    let pieceCount = (setCount + Self.pieceSetCount - 1) / Self.pieceSetCount
    pieces = Array(repeating: [], count: pieceCount)
  }

  /// How many keys it can hold.
  package var capacity: Int { Int(setCount) * Self.places }

  /// How many it has memory for.
  var room: Int { pieces.reduce(0) { $0 + $1.count } }

  /// The entry of a key.
  package func find(_ key: UInt64) -> Entry? {
    place(of: key).flatMap { pieces[$0.piece][$0.index] }
  }

  /// Changes what is known of a key, if anything is.
  package mutating func update(_ key: UInt64, _ body: (inout Entry) -> Void) {
    guard let place = place(of: key), var entry = pieces[place.piece][place.index] else { return }
    body(&entry)
    pieces[place.piece][place.index] = entry
  }

  /// Changes what is known of a key, and makes room for it if need be.
  package mutating func change<Result>(_ key: UInt64, _ body: (inout Entry) -> Result) -> Result {
    let place = place(of: key) ?? madePlace(of: key)
    var entry =
      pieces[place.piece][place.index].flatMap { $0.key == key ? $0 : nil }
      ?? Entry(key: key)
    let result = body(&entry)
    pieces[place.piece][place.index] = entry
    return result
  }

  private struct Place {
    let piece: Int
    let index: Int
  }

  /// The piece in which a key may be, and its places there.
  private func places(of key: UInt64) -> (piece: Int, indices: Range<Int>) {
    let (piece, set) = Int(key % setCount).quotientAndRemainder(dividingBy: Self.pieceSetCount)
    let start = set * Self.places
    return (piece, start..<(start + Self.places))
  }

  private func place(of key: UInt64) -> Place? {
    let (piece, indices) = places(of: key)
    guard !pieces[piece].isEmpty else { return nil }
    let index = indices.first { pieces[piece][$0]?.key == key }
    return index.map { Place(piece: piece, index: $0) }
  }

  /// The place of a key that has none: a free one, or that of the entry that is worth least.
  private mutating func madePlace(of key: UInt64) -> Place {
    let (piece, indices) = places(of: key)
    if pieces[piece].isEmpty {
      let setCount = min(Self.pieceSetCount, Int(setCount) - piece * Self.pieceSetCount)
      pieces[piece] = Array(repeating: nil, count: setCount * Self.places)
    }
    return Place(piece: piece, index: Self.cheapest(in: indices, of: pieces[piece]))
  }

  private static func cheapest(in indices: Range<Int>, of entries: [Entry?]) -> Int {
    let worth = { (index: Int) in entries[index]?.worth ?? .min }
    return indices.min { worth($0) < worth($1) } ?? indices.lowerBound
  }
}
