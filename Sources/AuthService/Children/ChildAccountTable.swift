internal import ServiceKit

/// The account that parents made for a child.
struct ChildAccountRecord: Hashable, Sendable {
  let userID: String
  let childID: String
  /// When it was made, in milliseconds since 1970.
  let created: Int64
}

/// Accounts of children in the store.
enum ChildAccountTable {
  static let migration = Migration(
    version: 24,
    sql: """
      -- Accounts that parents made for children: no longer once they are their own.
      CREATE TABLE child_account (
        user_id TEXT PRIMARY KEY,
        child_id TEXT NOT NULL,
        created_at INTEGER NOT NULL
      );
      CREATE UNIQUE INDEX child_account_by_child ON child_account (child_id);
      -- The device that a parent set up for a child, of the sessions begun there.
      ALTER TABLE session ADD COLUMN child_device TEXT NOT NULL DEFAULT '';
      """
  )

  static let pairings = Migration(
    version: 27,
    sql: """
      -- The pairing of that device, in TenancyService.
      ALTER TABLE session ADD COLUMN pairing TEXT NOT NULL DEFAULT '';
      CREATE INDEX session_by_pairing ON session (pairing) WHERE pairing <> '';
      """
  )

  private static let columns = RecordColumns<ChildAccountRecord>(
    "child_account",
    .text("user_id", \.userID),
    .text("child_id", \.childID),
    .integer("created_at", \.created)
  ) { row in
    ChildAccountRecord(userID: row.text(), childID: row.text(), created: row.integer())
  }

  static func find(
    ofChild childID: String,
    in tx: borrowing some Queryable
  ) throws -> ChildAccountRecord? {
    try tx.first(columns, "WHERE child_id = ?", .text(childID))
  }

  static func insert(
    _ record: ChildAccountRecord,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.insert(record, columns)
  }

  /// Forgets that an account is a child's; whether it was.
  static func delete(_ userID: String, in tx: borrowing WriteTransaction) throws -> Bool {
    try tx.rowsChanged(by: "DELETE FROM child_account WHERE user_id = ?", .text(userID)) > 0
  }
}
