internal import ServiceKit

/// PINs in the store.
enum PinTable {
  /// A PIN as it is stored.
  struct Stored: Hashable, Sendable {
    /// As `PasswordRecord` writes it.
    let record: String
    /// Wrong ones since the last right one.
    var attempts: PinAttempts
  }

  static func find(
    _ userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Stored? {
    try tx.first(
      "SELECT record, failures, last_at, until_at FROM pin WHERE user_id = ?",
      .text(userID)
    ) { row in
      Stored(
        record: row.text(0),
        attempts: PinAttempts(
          failures: Int(row.integer(1)),
          last: row.integer(2),
          until: row.integer(3)
        )
      )
    }
  }

  /// Sets a PIN, whatever was known of one before.
  static func set(
    _ record: String,
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO pin (user_id, record, failures, last_at, until_at, changed_at)
      VALUES (?, ?, 0, 0, 0, ?)
      ON CONFLICT (user_id) DO UPDATE SET record = excluded.record, failures = 0, last_at = 0,
        until_at = 0, changed_at = excluded.changed_at
      """,
      .text(userID),
      .text(record),
      .integer(now)
    )
  }

  static func update(
    _ attempts: PinAttempts,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE pin SET failures = ?, last_at = ?, until_at = ? WHERE user_id = ?",
      .integer(Int64(attempts.failures)),
      .integer(attempts.last),
      .integer(attempts.until),
      .text(userID)
    )
  }

  /// Removes a PIN that was set at a time or later; says whether there was one.
  static func delete(
    _ userID: String,
    since: Int64 = .min,
    in tx: borrowing WriteTransaction
  ) throws -> Bool {
    try tx.execute(
      "DELETE FROM pin WHERE user_id = ? AND changed_at >= ?",
      .text(userID),
      .integer(since)
    ) > 0
  }
}
