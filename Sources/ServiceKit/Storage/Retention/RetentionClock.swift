public import RPCKit

/// The `ConfirmedTime` of a store: what its old rows are deleted by.
public final class RetentionClock: Sendable {
  private let database: Database
  private let clock: any WallClock
  private let uptime: @Sendable () -> MonotonicInstant
  private let last: Lock<MonotonicInstant>

  /// Makes the clock of a store; `uptime` is monotonic.
  ///
  /// A store has one at a time.
  public init(
    _ database: Database,
    clock: any WallClock,
    uptime: @escaping @Sendable () -> MonotonicInstant
  ) {
    self.database = database
    self.clock = clock
    self.uptime = uptime
    last = Lock(uptime())
  }

  /// Counts from now on: another program of the store had its time confirmed until now.
  public func restart() {
    let now = uptime()
    last.withLock { $0 = now }
  }

  /// The confirmed time now, in milliseconds since 1970; to be asked every minute.
  ///
  /// A store that is new, or that knows of none yet, believes the wall clock. Throws what
  /// `Database.write` throws.
  public func advance() async throws -> Int64 {
    let (wall, now) = (clock.now, uptime())
    let span = last.withLock { $0.duration(to: now) }
    let milliseconds = span.nanosecondsSaturated / 1_000_000
    let confirmed = try await database.write { tx in
      var time =
        try tx.first("SELECT confirmed_at, doubted_for FROM retention_clock") {
          ConfirmedTime(now: $0.integer(0), doubt: $0.integer(1))
        } ?? ConfirmedTime(now: wall)
      time.advance(to: wall, after: milliseconds)
      try tx.execute(
        """
        INSERT INTO retention_clock (place, confirmed_at, doubted_for) VALUES (1, ?, ?)
        ON CONFLICT (place) DO UPDATE SET confirmed_at = excluded.confirmed_at,
          doubted_for = excluded.doubted_for
        """,
        .integer(time.now),
        .integer(time.doubt)
      )
      return time.now
    }
    last.withLock { $0 = now }
    return confirmed
  }
}
