internal import ServiceKit

/// PINs of families in the store, and the wrong ones in a row by device.
enum FamilyPinTable {
  static let migration = Migration(
    version: 23,
    sql: """
      -- PINs of families, hashed like passwords.
      CREATE TABLE family_pin (
        family_id TEXT PRIMARY KEY,
        record TEXT NOT NULL,
        changed_at INTEGER NOT NULL
      );
      -- Wrong ones in a row, of each device of an account.
      CREATE TABLE family_pin_attempt (
        family_id TEXT NOT NULL,
        user_id TEXT NOT NULL,
        device TEXT NOT NULL,
        failures INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        until_at INTEGER NOT NULL,
        PRIMARY KEY (family_id, user_id, device)
      );
      CREATE INDEX family_pin_attempt_by_user ON family_pin_attempt (user_id);
      """
  )

  /// The place where wrong PINs of a family count together: a device that a parent set up for a child, or
  /// else all sessions of an account, so that signing in again counts nothing anew.
  struct Place: Hashable, Sendable {
    let familyID: String
    let userID: String
    /// Empty for the account's own sessions.
    let device: String

    fileprivate var key: [SQLValue] { [.text(familyID), .text(userID), .text(device)] }
  }

  /// The record of a family's PIN, as `PasswordRecord` writes it; nil when there is none.
  static func record(of familyID: String, in tx: borrowing some Queryable) throws -> String? {
    try tx.first("SELECT record FROM family_pin WHERE family_id = ?", .text(familyID)) {
      $0.text(0)
    }
  }

  /// Sets a PIN, which is tried anew on every device.
  static func set(
    _ record: String,
    of familyID: String,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO family_pin (family_id, record, changed_at) VALUES (?1, ?2, ?3)
      ON CONFLICT (family_id) DO UPDATE SET record = ?2, changed_at = ?3
      """,
      .text(familyID),
      .text(record),
      .integer(now)
    )
    try forgetAttempts(familyID, in: tx)
  }

  /// Removes a PIN; whether there was one.
  static func delete(_ familyID: String, in tx: borrowing WriteTransaction) throws -> Bool {
    try forgetAttempts(familyID, in: tx)
    return try tx.rowsChanged(by: "DELETE FROM family_pin WHERE family_id = ?", .text(familyID)) > 0
  }

  private static func forgetAttempts(
    _ familyID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute("DELETE FROM family_pin_attempt WHERE family_id = ?", .text(familyID))
  }

  static func attempts(
    at place: Place,
    in tx: borrowing some Queryable
  ) throws -> PinAttempts {
    let found = try tx.query(
      """
      SELECT failures, last_at, until_at FROM family_pin_attempt
      WHERE family_id = ? AND user_id = ? AND device = ?
      """,
      values: place.key
    ) {
      PinAttempts(failures: Int($0.integer(0)), last: $0.integer(1), until: $0.integer(2))
    }
    return found.first ?? PinAttempts()
  }

  static func save(
    _ attempts: PinAttempts,
    at place: Place,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO family_pin_attempt (family_id, user_id, device, failures, last_at, until_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (family_id, user_id, device)
      DO UPDATE SET failures = ?4, last_at = ?5, until_at = ?6
      """,
      values: place.key + [
        .integer(Int64(attempts.failures)), .integer(attempts.last), .integer(attempts.until),
      ]
    )
  }

  /// The right PIN was given at a place.
  static func forgetAttempts(at place: Place, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "DELETE FROM family_pin_attempt WHERE family_id = ? AND user_id = ? AND device = ?",
      values: place.key
    )
  }
}
