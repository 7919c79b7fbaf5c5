extension Database {
  /// Rows that one purge removes at most, so that writers behind it hardly wait.
  public static let purgeCountMax = 500

  /// Forgets answers that are older than `IdempotencyKey.retention`; how many there were.
  ///
  /// At most `purgeCountMax` a call: call again while it is that many.
  @discardableResult
  public func purgeIdempotencyKeys() async throws -> Int {
    try await write { tx in
      try tx.execute(
        """
        DELETE FROM idempotency_key WHERE (caller, key) IN (
          SELECT caller, key FROM idempotency_key WHERE recorded_at <= ? LIMIT ?)
        """,
        .integer(tx.now - IdempotencyKey.retention),
        .integer(Self.purgeCountMax)
      )
    }
  }

  /// Forgets changes written before `instant` (milliseconds since 1970); how many there were.
  ///
  /// Who follows the log from before them is told to read the state anew. At most `purgeCountMax` a
  /// call: call again while it is that many.
  @discardableResult
  public func purgeChanges(before instant: Int64) async throws -> Int {
    try await write { tx in
      // Up to the first that is younger: a clock that was set back must not tear holes.
      let bound = try tx.first(
        """
        SELECT max(revision) FROM (
          SELECT revision FROM change_log WHERE revision < coalesce(
            (SELECT min(revision) FROM change_log WHERE recorded_at >= ?), 9223372036854775807)
          ORDER BY revision LIMIT ?)
        """,
        .integer(instant),
        .integer(Self.purgeCountMax)
      ) { $0.optionalInteger(0) }
      guard let bound = bound ?? nil else { return 0 }
      try tx.execute("UPDATE store_version SET purged_revision = ?", .integer(bound))
      return try tx.execute("DELETE FROM change_log WHERE revision <= ?", .integer(bound))
    }
  }
}
