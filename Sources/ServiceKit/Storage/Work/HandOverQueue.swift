package import RPCKit

/// Rows of a store that each wait until another service has taken what they stand for.
///
/// A row is queued by the write that it belongs to, so none is lost, and none is there for a write that was
/// rolled back. It is tried until it was taken, after a longer pause each time, and goes on after a restart.
/// An answer may get lost, so anyone who is handed a row twice must take it as one.
///
/// The table has a column of text that tells rows apart, and the integers `attempts` and `due_at`
/// (milliseconds since 1970), with an index of `due_at` and that column.
package final class HandOverQueue: Sendable {
  /// A row that waits.
  package struct Waiting: Sendable {
    /// The key that identifies it.
    package let key: String
    /// Attempts that failed.
    package let failureCount: Int64
    /// When its lease ends; nil without leases.
    fileprivate var leaseEnd: Int64?
  }

  /// The outcome of a row.
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

  private let rows: Rows
  private let backoff: Backoff
  private let clock: any WallClock
  private let random: any RandomSource
  private let logger: Logger
  private let queue: LeasedQueue<Rows>

  /// A queue in a table; `pauses` has the first and the longest pause between two attempts, in milliseconds.
  ///
  /// With a `lease`, which is no longer than the longest pause, several programs may hand over rows of one table:
  /// each has a row to itself for so many milliseconds.
  package init(
    table: String,
    key: String,
    pauses: ClosedRange<Int64>,
    lease: Int64? = nil,
    clock: any WallClock,
    random: any RandomSource,
    logger: Logger
  ) {
    precondition(lease ?? 0 <= pauses.upperBound, "a lease would look like a clock that ran ahead")
    rows = Rows(table: table, key: key, longestPause: pauses.upperBound)
    backoff = Backoff(pauses)
    (self.clock, self.random, self.logger) = (clock, random, logger)
    queue = LeasedQueue(
      rows,
      .init(pollInterval: Self.pollInterval, batchCount: Self.batchCount),
      lease: lease,
      clock: clock
    )
  }

  /// Has rows handed over that were committed, at once.
  package func wake() { queue.wake() }

  /// Hands over what is due, until the task is cancelled.
  ///
  /// `waiting` gets the number of rows left, and `handOver` is given a row; errors that it throws end the
  /// attempt for all rows, until the next look.
  package func run(
    _ store: ServiceStore,
    on loop: any EventLoop,
    waiting: @escaping @Sendable (Int) -> Void,
    _ handOver: @escaping @Sendable (Waiting) async throws -> Outcome
  ) async {
    await queue.run(on: loop) { await self.drain(store, waiting: waiting, handOver) }
  }

  /// Hands over everything that is due now; see `run`.
  package func drain(
    _ store: ServiceStore,
    waiting: @Sendable (Int) -> Void,
    _ handOver: @Sendable (Waiting) async throws -> Outcome
  ) async {
    do {
      let rows = rows
      try await queue.drain(store) { row in
        switch try await handOver(row) {
        case .settled(let body):
          try await store.writeOwn { tx in
            // One whose lease has ended is another program's.
            if try rows.delete(row, tx) { try body(tx) }
          }
        case .postponed:
          let due = self.clock.now.addingSaturated(
            self.backoff.spread(after: row.failureCount, self.random)
          )
          try await store.writeOwn { tx in try rows.postpone(row, until: due, tx) }
        }
      }
      waiting(try await store.database.read { tx in try rows.count(tx) })
    } catch is CancellationError {
      // The service stops; what was not handed over waits for the next start.
    } catch {
      // What was handed over and is still in the store is handed over again.
      logger.error(
        "could not hand over; retrying",
        ["table": .string(rows.table), "error": "\(error)"]
      )
    }
  }

  /// The rows of the table.
  private struct Rows: LeasedRows {
    let table: String
    let key: String
    let longestPause: Int64

    /// One that is due later than the longest pause was postponed by a clock that ran ahead, and counts as due.
    func due(now: Int64, limit: Int, in tx: borrowing some Queryable) throws -> [Waiting] {
      try tx.query(
        """
        SELECT \(key), attempts FROM \(table) WHERE due_at <= ? OR due_at > ?
        ORDER BY due_at, \(key) LIMIT ?
        """,
        .integer(now),
        .integer(now.addingSaturated(longestPause)),
        .integer(limit)
      ) { Waiting(key: $0.text(0), failureCount: $0.integer(1)) }
    }

    func take(
      _ row: Waiting,
      until end: Int64,
      in tx: borrowing WriteTransaction
    ) throws -> Waiting? {
      try tx.execute(
        "UPDATE \(table) SET due_at = ? WHERE \(key) = ?",
        .integer(end),
        .text(row.key)
      )
      return Waiting(key: row.key, failureCount: row.failureCount, leaseEnd: end)
    }

    func count(_ tx: borrowing some Queryable) throws -> Int {
      try tx.first("SELECT count(*) FROM \(table)") { Int($0.integer(0)) } ?? 0
    }

    /// Deletes a row unless its lease has ended and another program has taken it; whether it has not.
    func delete(_ row: Waiting, _ tx: borrowing WriteTransaction) throws -> Bool {
      try tx.rowsChanged(
        by: "DELETE FROM \(table) WHERE \(key) = ? AND due_at = coalesce(?, due_at)",
        .text(row.key),
        .optionalInteger(row.leaseEnd)
      ) > 0 || row.leaseEnd == nil
    }

    func postpone(_ row: Waiting, until due: Int64, _ tx: borrowing WriteTransaction) throws {
      try tx.execute(
        """
        UPDATE \(table) SET attempts = attempts + 1, due_at = ?
        WHERE \(key) = ? AND due_at = coalesce(?, due_at)
        """,
        .integer(due),
        .text(row.key),
        .optionalInteger(row.leaseEnd)
      )
    }
  }
}
