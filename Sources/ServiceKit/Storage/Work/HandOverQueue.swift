package import RPCKit

/// Rows of a store that each wait until another service has taken what they stand for.
///
/// A row is queued by the write that it belongs to, so none is lost, and none is there for a write that was
/// rolled back. It is tried until it was taken, after a longer pause each time, and goes on after a restart.
/// An answer may get lost, so whoever is handed a row twice must take it as one.
///
/// The table has a column of text that tells rows apart, and the integers `attempts` and `due_at`
/// (milliseconds since 1970), with an index of `due_at` and that column.
package final class HandOverQueue: Sendable {
  /// A row that waits.
  package struct Waiting: Sendable {
    /// What tells it from others.
    package let key: String
    /// Attempts that failed.
    package let failureCount: Int64
  }

  /// What became of a row.
  package enum Outcome: Sendable {
    /// It goes; what has to be written then belongs to the same transaction.
    case settled(@Sendable (borrowing WriteTransaction) throws -> Void)
    /// It is tried again after a pause.
    case postponed
  }

  /// How often rows are looked for that became due.
  private static let pollInterval = Duration.seconds(5)
  /// Rows that are read at a time.
  private static let batchCount = 32

  private let table: String
  private let key: String
  private let pauses: ClosedRange<Int64>
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let signal = WakeSignal()

  /// A queue in a table; `pauses` has the first and the longest pause between two attempts, in milliseconds.
  package init(
    table: String,
    key: String,
    pauses: ClosedRange<Int64>,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger
  ) {
    (self.table, self.key, self.pauses) = (table, key, pauses)
    (self.clock, self.random, self.logger) = (clock, random, logger)
  }

  /// Has rows handed over that were committed, at once.
  package func wake() { signal.announce() }

  /// Hands over what is due, until the task is cancelled.
  ///
  /// `waiting` is told how many are left, and `handOver` is given a row; errors that it throws end the
  /// attempt for all rows, until the next look.
  package func run(
    _ store: ServiceStore,
    on loop: any EventLoop,
    waiting: @escaping @Sendable (Int) -> Void,
    _ handOver: @escaping @Sendable (Waiting) async throws -> Outcome
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await loop.sleep(Self.pollInterval)
          self.wake()
        }
      }
      group.addTask {
        while !Task.isCancelled {
          // Before the store, so that nothing is missed in between.
          let version = self.signal.version
          await self.drain(store, waiting: waiting, handOver)
          await self.signal.wait(past: version)
        }
      }
      await group.waitForAll()
    }
  }

  /// Hands over everything that is due now; see `run`.
  package func drain(
    _ store: ServiceStore,
    waiting: @Sendable (Int) -> Void,
    _ handOver: @Sendable (Waiting) async throws -> Outcome
  ) async {
    do {
      while !Task.isCancelled {
        let now = clock.now
        let due = try await store.database.read { tx in try self.due(now: now, tx) }
        for row in due {
          guard !Task.isCancelled else { return }
          switch try await handOver(row) {
          case .settled(let body):
            try await store.writeOwn { tx in
              try self.delete(row.key, tx)
              try body(tx)
            }
          case .postponed: try await postpone(row, store)
          }
        }
        guard due.count == Self.batchCount else { break }
      }
      waiting(try await store.database.read { tx in try self.count(tx) })
    } catch is CancellationError {
      // The service stops; what was not handed over waits for the next start.
    } catch {
      // What was handed over and is still in the store is handed over again.
      logger.error("could not hand over; retrying", ["table": .string(table), "error": "\(error)"])
    }
  }

  // MARK: - Rows

  /// Those whose time has come, longest due first.
  ///
  /// One that is due later than the longest pause was postponed by a clock that ran ahead, and counts as due.
  private func due(
    now: Int64,
    _ tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [Waiting] {
    try tx.query(
      """
      SELECT \(key), attempts FROM \(table) WHERE due_at <= ? OR due_at > ?
      ORDER BY due_at, \(key) LIMIT ?
      """,
      .integer(now),
      .integer(now.addingSaturated(pauses.upperBound)),
      .integer(Self.batchCount)
    ) { Waiting(key: $0.text(0), failureCount: $0.integer(1)) }
  }

  private func count(_ tx: borrowing some StoreTransaction & ~Copyable) throws -> Int {
    try tx.first("SELECT count(*) FROM \(table)") { Int($0.integer(0)) } ?? 0
  }

  private func delete(_ key: String, _ tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM \(table) WHERE \(self.key) = ?", .text(key))
  }

  private func postpone(_ row: Waiting, _ store: ServiceStore) async throws {
    let due = clock.now.addingSaturated(pause(after: row.failureCount))
    try await store.writeOwn { tx in
      try tx.execute(
        "UPDATE \(self.table) SET attempts = attempts + 1, due_at = ? WHERE \(self.key) = ?",
        .integer(due),
        .text(row.key)
      )
    }
  }

  /// Up to a quarter less than `longestPause`, so that rows that failed together do not come back together.
  private func pause(after failureCount: Int64) -> Int64 {
    let longest = Self.longestPause(after: failureCount, within: pauses)
    return longest - Int64(random.number() % UInt64(max(1, longest / 4)))
  }

  /// The first pause, twice, four times that … and never more than the longest.
  package static func longestPause(
    after failureCount: Int64,
    within pauses: ClosedRange<Int64>
  ) -> Int64 {
    min(pauses.lowerBound << min(max(0, failureCount), 16), pauses.upperBound)
  }
}
