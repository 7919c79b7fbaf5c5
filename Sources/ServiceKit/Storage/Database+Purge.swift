extension Database {
  /// Rows that one purge removes at most, so that writers behind it hardly wait.
  public static let purgeCountMax = 500

  /// Forgets rows of a table whose `column` has an instant before another one (milliseconds since 1970); how many.
  ///
  /// Few at a time. `key` has the columns that tell rows apart.
  @discardableResult
  package func purge(
    _ table: String,
    _ column: String,
    before instant: Int64,
    by key: String = "id"
  ) async throws -> Int {
    var total = 0
    while true {
      let count = try await write { tx in
        try tx.rowsChanged(
          by: """
            DELETE FROM \(table) WHERE (\(key)) IN (
              SELECT \(key) FROM \(table) WHERE \(column) < ? ORDER BY \(column) LIMIT ?)
            """,
          .integer(instant),
          .integer(Self.purgeCountMax)
        )
      }
      total += count
      if count < Self.purgeCountMax { return total }
    }
  }

  /// Forgets answers that are older than `IdempotencyKey.retention` at `now` (milliseconds since 1970);
  /// how many there were.
  ///
  /// At most `purgeCountMax` a call: call again while it is that many.
  @discardableResult
  public func purgeIdempotencyKeys(now: Int64) async throws -> Int {
    try await write { tx in
      try tx.rowsChanged(
        by: """
          DELETE FROM idempotency_key WHERE (caller, key) IN (
            SELECT caller, key FROM idempotency_key WHERE recorded_at <= ? LIMIT ?)
          """,
        .integer(now - IdempotencyKey.retention),
        .integer(Self.purgeCountMax)
      )
    }
  }

  /// Forgets changes written before `instant` (milliseconds since 1970); how many there were.
  ///
  /// A follower at a position before them has to read everything again. At most `purgeCountMax` a
  /// call: call again while it is that many.
  @discardableResult
  public func purgeChanges(before instant: Int64) async throws -> Int {
    try await write { tx in
      // Up to the first that is younger: a clock that was set back must not tear holes. Only what one call takes is
      // looked at, or a long backlog would be read once for each part of it.
      let oldest = """
        (SELECT revision, recorded_at FROM change_log ORDER BY revision LIMIT ?) AS oldest
        """
      let bound = try tx.first(
        """
        SELECT max(revision) FROM \(oldest) WHERE revision < coalesce(
          (SELECT min(revision) FROM \(oldest) WHERE recorded_at >= ?), 9223372036854775807)
        """,
        .integer(Self.purgeCountMax),
        .integer(Self.purgeCountMax),
        .integer(instant)
      ) { $0.optionalInteger(0) }
      guard let bound = bound ?? nil else { return 0 }
      try tx.execute("UPDATE store_version SET purged_revision = ?", .integer(bound))
      return try tx.rowsChanged(by: "DELETE FROM change_log WHERE revision <= ?", .integer(bound))
    }
  }

  /// Forgets audit records written before `instant` (milliseconds since 1970); how many there were.
  ///
  /// That they are gone is an audit record too. So that there is at most one of these a day, nothing
  /// is deleted before the oldest is a day past its time.
  @discardableResult
  public func purgeAuditLog(before instant: Int64) async throws -> Int {
    let oldest = try await read { tx in
      try tx.first("SELECT recorded_at FROM audit_log ORDER BY sequence LIMIT 1") { $0.integer(0) }
    }
    guard let oldest, oldest < instant - 86_400_000 else { return 0 }
    var total = 0
    while true {
      let before = total
      let count = try await write { tx in
        // From the front, so that no index by time is needed.
        let count = try tx.rowsChanged(
          by: """
            DELETE FROM audit_log WHERE recorded_at < ? AND sequence IN (
              SELECT sequence FROM audit_log ORDER BY sequence LIMIT ?)
            """,
          .integer(instant),
          .integer(Self.purgeCountMax)
        )
        guard count < Self.purgeCountMax else { return count }
        try tx.audit(
          AuditRecord(
            actor: "gatehouse",
            requestID: "",
            action: "audit.purge",
            object: "audit_log",
            detail: "\(before + count) records written before \(instant)"
          )
        )
        return count
      }
      total += count
      if count < Self.purgeCountMax { return total }
    }
  }
}
