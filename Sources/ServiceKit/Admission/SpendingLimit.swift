internal import RPCKit

/// How much callers may spend of something that everybody pays for: so much at once, which comes back evenly
/// over a window.
///
/// What something costs is known when it is done. So a caller who has anything left may spend all that it
/// takes, and waits longer before the next.
package final class SpendingLimit: Sendable {
  private struct Entry: BoundedTableEntry {
    let key: UInt64
    /// When everything is back, in microseconds since 1970.
    var settled: Int64 = 0

    init(key: UInt64) { self.key = key }

    var worth: Int64 { settled }
  }

  /// Callers who are remembered; those who owe least make room for others.
  private static let callerCount = 65_536

  private let amount: Int64
  /// In microseconds.
  private let window: Int64
  private let table = Lock(BoundedTable<Entry>(count: callerCount))

  /// Makes a limit of `amount`, all of which is back after `window` milliseconds.
  package init(amount: Int64, window: Int64) {
    self.amount = max(1, amount)
    self.window = max(1, window) * 1000
  }

  /// Milliseconds until a caller may spend something; nil for now.
  package func wait(of caller: String, now: Int64) -> Int64? {
    let debt = table.withLock { table in
      table.find(Self.key(caller)).map { owed($0.settled, now: now) } ?? 0
    }
    return debt < window ? nil : (debt - window) / 1000 + 1
  }

  /// Notes what a caller has spent; less than nothing gives back.
  package func spend(_ amount: Int64, by caller: String, now: Int64) {
    guard amount != 0 else { return }
    let cost = Double(amount) / Double(self.amount) * Double(window)
    table.withLock { table in
      table.change(Self.key(caller)) { entry in
        // So that no sum is ever out of reach: what one call costs is bounded elsewhere.
        let debt = min(Double(owed(entry.settled, now: now)) + cost, Double(window) * 1000)
        entry.settled = now * 1000 + Int64(max(0, debt))
      }
    }
  }

  /// The time until all is back, in microseconds; zero when it is longer than possible, because the
  /// clock was set back since.
  private func owed(_ settled: Int64, now: Int64) -> Int64 {
    let debt = settled &- now &* 1000
    return debt > 0 && debt <= window &* 1000 ? debt : 0
  }

  /// Seeded anew in each process, so that nobody can choose names that compete with somebody else's.
  private static func key(_ caller: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(caller)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
