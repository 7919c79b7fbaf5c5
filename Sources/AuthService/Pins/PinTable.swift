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

  static let columns = RecordColumns<Stored>(
    "pin",
    beside: ["user_id", "changed_at"],
    .text("record", \.record),
    .integer("failures", \.attempts.failures),
    .integer("last_at", \.attempts.last),
    .integer("until_at", \.attempts.until)
  ) { row in
    Stored(
      record: row.text(),
      attempts: PinAttempts(
        failures: Int(row.integer()),
        last: row.integer(),
        until: row.integer()
      )
    )
  }

  private static let saving = columns.upsert(on: "user_id")

  static func find(_ userID: String, in tx: borrowing some Queryable) throws -> Stored? {
    try tx.first(columns, "WHERE user_id = ?", .text(userID))
  }

  /// Sets a PIN, whatever was known of one before.
  static func set(
    _ record: String,
    of userID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    let new = Stored(record: record, attempts: PinAttempts())
    try tx.save(new, saving, beside: .text(userID), .integer(now))
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
    try tx.rowsChanged(
      by: "DELETE FROM pin WHERE user_id = ? AND changed_at >= ?",
      .text(userID),
      .integer(since)
    ) > 0
  }
}
