/// The number of places of each holder that a `SharedBound` counts, and the holder that makes room when all are taken.
///
/// For things that stay: rows of a queue, challenges. A holder that has its share gets no more. When all
/// places are taken, the holder that has the most makes room for one that has fewer, so that anyone who has one
/// keeps it while others have several.
package struct SharedPlaces: Sendable {
  /// The outcome of a request for a place.
  package enum Outcome: Hashable, Sendable {
    /// The place is taken.
    case taken
    /// The place is taken, and one of this holder's has to go.
    case replaces([UInt8])
    /// Not taken: the holder has its share, or nobody has more than the holder would have.
    case refused(SharedLimiter.Limit)
  }

  private let bound: SharedBound
  /// Places that are taken, those of nobody included.
  package private(set) var count = 0
  private var counts: [[UInt8]: Int] = [:]
  /// Holders by how many places they have, so that nobody has to look at all of them.
  private var holders: [Int: Set<[UInt8]>] = [:]
  /// The number of the largest holder.
  private var most = 0

  /// Makes a bound of which nothing is taken.
  package init(_ bound: SharedBound) { self.bound = bound }

  /// Places of a holder.
  package func count(of holder: [UInt8]) -> Int { counts[holder, default: 0] }

  /// Takes a place for a holder; an empty name stands for callers who cannot be distinguished, who have no
  /// share and never make room.
  package mutating func take(_ holder: [UInt8]) -> Outcome {
    let own = count(of: holder)
    if !holder.isEmpty, own >= bound.share { return .refused(.share) }
    guard count >= bound.total else {
      add(1, to: holder)
      return .taken
    }
    guard let victim = holders[most]?.first, most > own + 1 else { return .refused(.total) }
    add(-1, to: victim)
    add(1, to: holder)
    return .replaces(victim)
  }

  /// Gives a place of a holder back.
  package mutating func release(_ holder: [UInt8]) {
    guard holder.isEmpty ? count > 0 : count(of: holder) > 0 else { return }
    add(-1, to: holder)
  }

  /// Begins anew with what the store has.
  package mutating func reset(to stored: some Sequence<(holder: [UInt8], count: Int)>) {
    self = SharedPlaces(bound)
    for (holder, count) in stored where count > 0 { add(count, to: holder) }
  }

  private mutating func add(_ difference: Int, to holder: [UInt8]) {
    count += difference
    guard !holder.isEmpty else { return }
    let (old, new) = (count(of: holder), count(of: holder) + difference)
    holders[old]?.remove(holder)
    if holders[old]?.isEmpty == true { holders[old] = nil }
    counts[holder] = new > 0 ? new : nil
    if new > 0 { holders[new, default: []].insert(holder) }
    if new > most { most = new }
    while most > 0, holders[most] == nil { most -= 1 }
  }
}
