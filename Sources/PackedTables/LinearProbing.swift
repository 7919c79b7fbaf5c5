/// A hash table in which what finds its place taken lies in the next free one.
///
/// The number of places is a power of two, and never are all of them taken.
@usableFromInline
package protocol LinearProbing {
  /// How many places there are.
  var placeCount: Int { get }

  /// Where what lies at a place would lie if it were alone; nil for a free place.
  func home(ofPlace place: Int) -> Int?

  /// Moves what lies at a place to another one, which is then taken.
  mutating func move(from place: Int, to other: Int)

  /// Frees a place.
  mutating func clear(_ place: Int)
}

extension LinearProbing {
  /// Frees a place and moves later ones up, so that looking for something ends at the first free place
  /// and needs no tombstones (Knuth, volume 3, section 6.4, algorithm R).
  @inlinable
  package mutating func freePlace(_ start: Int) {
    let mask = placeCount - 1
    var gap = start
    var place = start
    while true {
      place = (place + 1) & mask
      guard let home = home(ofPlace: place) else { break }
      // It may move unless its home lies cyclically after the gap, up to where it is.
      guard (place - home) & mask >= (place - gap) & mask else { continue }
      move(from: place, to: gap)
      gap = place
    }
    clear(gap)
  }
}
