package import RPCKit

/// Rows of a table that are worked on when they are due.
package protocol LeasedRows: Sendable {
  /// The state of a row.
  associatedtype Item: Sendable

  /// Those whose time has come, at most `limit`, the longest due first.
  func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [Item]

  /// Takes a row until an instant, in milliseconds since 1970: it is not due before; what is known of it then.
  ///
  /// Nil for one that is no longer to be worked on.
  func take(_ item: Item, until end: Int64, in tx: borrowing WriteTransaction) throws -> Item?
}

extension LeasedRows {
  /// For rows that one program works on alone.
  package func take(
    _ item: Item,
    until end: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Item? { item }
}

/// Works on rows of a store: each is taken when it is due, worked on, and settled.
///
/// A row is queued by the write that it belongs to, so none is lost, and none is there for a write that was rolled
/// back. The worker settles it in a write of its own: takes it away, or has it due again later. A row that
/// was neither is due again by itself, so work may be done twice, and must be as if it had been done once.
///
/// With a lease, several programs may work on one table: a row is taken in a write, and is due for the others when
/// the lease has ended. A late settlement must then find out that it is late, by what `take` wrote.
package final class LeasedQueue<Rows: LeasedRows>: Sendable {
  /// How rows are looked for.
  package struct Policy: Sendable {
    /// How often rows are looked for that became due.
    package var pollInterval: Duration
    /// Rows that are read at a time.
    package var batchCount: Int
    /// How long one program has a row to itself, in milliseconds; nil where there is one program.
    package var lease: Int64?

    /// Makes a policy.
    package init(pollInterval: Duration, batchCount: Int, lease: Int64? = nil) {
      (self.pollInterval, self.batchCount, self.lease) = (pollInterval, batchCount, lease)
    }
  }

  private let rows: Rows
  private let policy: Policy
  private let clock: any WallClock
  private let signal = WakeSignal()

  /// A queue of rows that are due by `clock`.
  package init(_ rows: Rows, _ policy: Policy, clock: any WallClock) {
    (self.rows, self.policy, self.clock) = (rows, policy, clock)
  }

  /// Has rows worked on that were committed, at once.
  package func wake() { signal.announce() }

  /// Runs `drain` when rows were committed and as often as the policy says, until the task is cancelled.
  package func run(
    on loop: any EventLoop,
    _ drain: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          await loop.sleep(self.policy.pollInterval)
          self.wake()
        }
      }
      group.addTask {
        while !Task.isCancelled {
          // Before the store, so that nothing is missed in between.
          let version = self.signal.version
          await drain()
          await self.signal.wait(past: version)
        }
      }
      await group.waitForAll()
    }
  }

  /// Works on what is due, one row after the other, until nothing is.
  ///
  /// What `work` throws ends it, until the next look; so does a store that fails.
  package func drain(
    _ store: ServiceStore,
    _ work: @Sendable (Rows.Item) async throws -> Void
  ) async throws {
    while !Task.isCancelled {
      let batch = try await take(store)
      guard !batch.isEmpty else { return }
      for item in batch {
        guard !Task.isCancelled else { return }
        try await work(item)
      }
    }
  }

  private func take(_ store: ServiceStore) async throws -> [Rows.Item] {
    let (now, rows, policy) = (clock.now, rows, policy)
    // By a reader, so that nobody's write waits for a look that finds nothing.
    let due = try await store.database.read { tx in
      try rows.due(now: now, limit: policy.batchCount, in: tx)
    }
    guard let lease = policy.lease, !due.isEmpty else { return due }
    return try await store.writeOwn { tx in
      try rows.due(now: now, limit: policy.batchCount, in: tx).compactMap {
        try rows.take($0, until: now.addingSaturated(lease), in: tx)
      }
    }
  }
}

/// Pauses between attempts: the first, twice, four times that … and never more than the longest.
package struct Backoff: Sendable {
  /// The first and the longest pause, in milliseconds.
  package let pauses: ClosedRange<Int64>

  /// Pauses within a range, in milliseconds.
  package init(_ pauses: ClosedRange<Int64>) { self.pauses = pauses }

  /// The pause after an attempt that failed as so many before it did.
  package func longest(after failureCount: Int64) -> Int64 {
    min(pauses.lowerBound << min(max(0, failureCount), 16), pauses.upperBound)
  }

  /// Up to a quarter less than `longest`, so that rows that failed together do not come back together.
  package func spread(after failureCount: Int64, _ random: any RandomSource) -> Int64 {
    let longest = longest(after: failureCount)
    return longest - Int64(random.number() % UInt64(max(1, longest / 4)))
  }
}
