package import RPCKit

/// Rows of a table that are worked on when they are due.
package protocol LeasedRows: Sendable {
  /// A row that is due.
  associatedtype Due: Sendable
  /// A row that was taken, with what the work on it needs.
  associatedtype Item: Sendable = Due

  /// Those whose time has come, at most `limit`, the longest due first.
  func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [Due]

  /// Takes a row until an instant, in milliseconds since 1970: it is not due before; what is known of it then.
  ///
  /// Nil for one that is no longer to be worked on, and that this has made no longer due.
  func take(_ row: Due, until end: Int64, in tx: borrowing WriteTransaction) throws -> Item?
}

extension LeasedRows where Item == Due {
  /// For rows that one program works on alone.
  package func take(
    _ row: Due,
    until end: Int64,
    in tx: borrowing WriteTransaction
  ) throws -> Item? { row }
}

/// Works on rows of a store: each is taken when it is due, worked on, and settled.
///
/// A row is queued by the write that it belongs to, so none is lost, and none is there for a write that was rolled
/// back. The worker settles it in a later write: takes it away, or has it due again. A row that
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

    /// Makes a policy.
    package init(pollInterval: Duration, batchCount: Int) {
      (self.pollInterval, self.batchCount) = (pollInterval, batchCount)
    }
  }

  /// Writes what became of a batch.
  package typealias Settlement = @Sendable (borrowing WriteTransaction) throws -> Void

  /// How a row is worked on that is due.
  private enum Taking: Sendable {
    /// One program has it to itself for so many milliseconds.
    case leased(Int64)
    /// There is one program.
    case alone(@Sendable (Rows.Due) -> Rows.Item)
  }

  private let rows: Rows
  private let policy: Policy
  private let taking: Taking
  private let clock: any WallClock
  private let signal = WakeSignal()

  private init(_ rows: Rows, _ policy: Policy, _ taking: Taking, _ clock: any WallClock) {
    (self.rows, self.policy, self.taking, self.clock) = (rows, policy, taking, clock)
  }

  /// A queue of rows that are due by `clock`, and that one program has to itself for `lease` milliseconds.
  package convenience init(
    _ rows: Rows,
    _ policy: Policy,
    lease: Int64,
    clock: any WallClock
  ) {
    self.init(rows, policy, .leased(lease), clock)
  }

  /// A queue of rows that are due by `clock`; `lease` is nil where there is one program.
  package convenience init(
    _ rows: Rows,
    _ policy: Policy,
    lease: Int64? = nil,
    clock: any WallClock
  ) where Rows.Item == Rows.Due {
    self.init(rows, policy, lease.map { .leased($0) } ?? .alone { $0 }, clock)
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
    try await drainBatches(store) { batch in
      for item in batch {
        guard !Task.isCancelled else { break }
        try await work(item)
      }
      return nil
    }
  }

  /// Works on what is due, a batch at a time, until nothing is; see `drain`.
  ///
  /// `work` gives what is to settle the batch, or nil if it has done that itself. A batch is settled and the next one
  /// taken in one write, with one wait for the disk.
  package func drainBatches(
    _ store: ServiceStore,
    _ work: @Sendable ([Rows.Item]) async throws -> Settlement?
  ) async throws {
    var settlement: Settlement?
    while let batch = try await take(store, after: settlement) {
      settlement = batch.isEmpty ? nil : try await work(batch)
    }
  }

  /// The next rows, none of which may be left to work on; nil when none is due.
  private func take(
    _ store: ServiceStore,
    after settlement: Settlement?
  ) async throws -> [Rows.Item]? {
    let (now, isStopping) = (clock.now, Task.isCancelled)
    if settlement == nil {
      guard !isStopping else { return nil }
      // By a reader, so that nobody's write waits for a look that finds nothing.
      let due = try await store.database.read { [rows, limit = lookCount] tx in
        try rows.due(now: now, limit: limit, in: tx)
      }
      guard !due.isEmpty else { return nil }
      if case .alone(let item) = taking { return due.map(item) }
    }
    return try await store.writeOwn { [self] tx in
      try settlement?(tx)
      let due = isStopping ? [] : try rows.due(now: now, limit: policy.batchCount, in: tx)
      guard !due.isEmpty else { return nil }
      switch taking {
      case .alone(let item): return due.map(item)
      case .leased(let lease):
        return try due.compactMap { try rows.take($0, until: now.addingSaturated(lease), in: tx) }
      }
    }
  }

  /// Rows that a reader looks for: one is enough where they are read again to be taken.
  private var lookCount: Int {
    switch taking {
    case .alone: policy.batchCount
    case .leased: 1
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
