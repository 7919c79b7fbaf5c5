import Synchronization

/// Chooses the connection of the next call: the less loaded of two taken at random, which comes
/// close to the best choice without looking at all (Mitzenmacher, "The Power of Two Choices", 2001).
struct ConnectionPicker {
  /// So many calls more may be open on a connection of the caller's own loop: going to another loop
  /// and back costs two wake-ups.
  static let ownLoopAdvantage = 4

  private(set) var connections: [ClientConnection] = []
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  mutating func add(_ connection: ClientConnection) { connections.append(connection) }

  /// Takes a connection out; false when it was not there.
  mutating func remove(_ connection: ClientConnection) -> Bool {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return false }
    connections.remove(at: index)
    return true
  }

  /// Chooses, and counts the call as the connection's load; nil when none has room.
  mutating func pick() -> ClientConnection? {
    let count = connections.count
    guard count > 0 else { return nil }
    var chosen = connections[0]
    if count > 1 {
      let first = Int(nextRandom() % UInt64(count))
      let step = 1 + Int(nextRandom() % UInt64(count - 1))
      chosen = better(connections[first], connections[(first + step) % count])
    }
    if !hasRoom(chosen) {
      guard let other = connections.first(where: hasRoom) else { return nil }
      chosen = other
    }
    chosen.load.add(1, ordering: .relaxed)
    return chosen
  }

  private func better(_ left: ClientConnection, _ right: ClientConnection) -> ClientConnection {
    let leftLoad = left.load.load(ordering: .relaxed)
    let rightLoad = right.load.load(ordering: .relaxed)
    guard abs(leftLoad - rightLoad) <= Self.ownLoopAdvantage else {
      return leftLoad < rightLoad ? left : right
    }
    if left.loop.isCurrent { return left }
    if right.loop.isCurrent { return right }
    return leftLoad <= rightLoad ? left : right
  }

  private func hasRoom(_ connection: ClientConnection) -> Bool {
    connection.load.load(ordering: .relaxed) < connection.capacity.load(ordering: .relaxed)
  }

  /// Good enough for picks, and needs no system call.
  mutating func nextRandom() -> UInt64 { random.next() }
}
