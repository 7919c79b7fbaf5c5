internal import RPCKit

/// The open connections of an admin port, and which of them gives its place to a new one.
///
/// `@unchecked Sendable`: used on the loop of the port only, which `admit` checks.
final class AdminConnections: @unchecked Sendable {
  private struct Place {
    let number: Int
    let connection: AdminConnection
    let taken: MonotonicInstant
  }

  private let loop: any EventLoop
  private let countMax: Int
  private let limitReached: () -> Void
  /// Oldest first.
  private var places: [Place] = []
  private var admittedCount = 0

  init(_ loop: any EventLoop, countMax: Int, limitReached: @escaping () -> Void) {
    self.loop = loop
    self.countMax = countMax
    self.limitReached = limitReached
  }

  /// Takes a connection in and starts it; when all places are taken, another one is closed for it.
  func admit(
    _ transport: any Transport,
    _ make: (_ transport: any Transport, _ closed: @escaping () -> Void) -> AdminConnection
  ) {
    precondition(loop.isCurrent, "a connection is taken in on the loop of its port")
    guard places.count < countMax || makeRoom() else {
      limitReached()
      return transport.close()
    }
    admittedCount += 1
    let number = admittedCount
    let connection = make(transport) { [weak self] in
      self?.places.removeAll { $0.number == number }
    }
    places.append(Place(number: number, connection: connection, taken: loop.now))
    connection.start()
  }

  /// Closes a connection of the holder with the most, and of those the one that is missed the least; false when
  /// there is none but those of this turn, whose requests nobody had a chance to read.
  private func makeRoom() -> Bool {
    let counts = places.reduce(into: [:]) { $0[$1.connection.source, default: 0] += 1 }
    let candidates = places.indices.filter { places[$0].taken < loop.now }
    func rank(_ index: Int) -> (Int, AdminConnection.Standing) {
      let connection = places[index].connection
      return (-counts[connection.source, default: 0], connection.standing)
    }
    // Of equals the first, which is the oldest.
    guard let index = candidates.min(by: { rank($0) < rank($1) }) else { return false }
    limitReached()
    places.remove(at: index).connection.evict()
    return true
  }
}
