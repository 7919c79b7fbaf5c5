internal import RPCKit

/// Questions that are being asked, so that anyone who wants the same answer in the meantime waits for it
/// instead of asking again ("single flight").
///
/// A value that its owner keeps under the same lock as its answers. The owner looks for a known
/// answer, calls `join` in the same hold of the lock, and awaits the flight without it.
///
/// A flight is a task of its own: it continues when the caller who began it is cancelled, and it
/// inherits that caller's trace but not its deadline, because others wait for it too. So `ask` needs
/// a timeout. A flight that is dropped continues as well, for those who wait for it already; later
/// callers begin another one.
package struct Flights<Key: Hashable & Sendable, Answer: Sendable> {
  /// A question on its way; its value is the answer.
  package typealias Flight = Task<Answer, any Error>

  /// Tells a flight from earlier and later ones for the same question.
  package struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private var flights: [Key: (id: ID, flight: Flight)] = [:]
  private var lastNumber: UInt64 = 0
  private let countMax: Int

  /// Makes a table for at most `countMax` questions at a time.
  package init(countMax: Int) { self.countMax = max(1, countMax) }

  /// Whether nothing is being asked.
  package var isEmpty: Bool { flights.isEmpty }

  /// The flight for a question that is in progress.
  package func current(_ key: Key) -> Flight? { flights[key]?.flight }

  /// The flight that will bring the answer: the one in progress, or else a new one that runs `ask`.
  ///
  /// Nil when too many questions are being asked; the caller must fail. `ask` must end with `land`.
  package mutating func join(
    _ key: Key,
    _ ask: @escaping @Sendable (ID) async throws -> Answer
  ) -> Flight? {
    if let (_, flight) = flights[key] { return flight }
    guard flights.count < countMax else { return nil }
    lastNumber += 1
    let id = ID(number: lastNumber)
    let flight = Task {
      try await CallScope.withoutDeadline { try await ask(id) }
    }
    flights[key] = (id, flight)
    return flight
  }

  /// A flight is over; returns whether it was not dropped in the meantime, so that its answer is current.
  @discardableResult
  package mutating func land(_ key: Key, _ id: ID) -> Bool {
    guard flights[key]?.id == id else { return false }
    flights[key] = nil
    return true
  }

  /// The answer to a question changes: nobody else joins its flight.
  package mutating func drop(_ key: Key) { flights[key] = nil }

  /// Drops the flights of all questions for which `isOutdated` holds; looks at each.
  package mutating func drop(where isOutdated: (Key) -> Bool) {
    for key in flights.keys.filter(isOutdated) { flights[key] = nil }
  }

  /// Drops all flights.
  package mutating func dropAll() {
    guard !flights.isEmpty else { return }
    flights = [:]
  }
}
