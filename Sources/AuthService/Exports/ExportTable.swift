internal import ServiceKit

/// How often users have exported their accounts, in the store.
enum ExportTable {
  static func find(
    _ userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> ExportAllowance? {
    try tx.first(
      """
      SELECT window_began_at, begun_count, completed_at FROM account_export WHERE user_id = ?
      """,
      .text(userID)
    ) { row in
      ExportAllowance(
        windowBegan: row.integer(0),
        begunCount: row.integer(1),
        completed: row.optionalInteger(2)
      )
    }
  }

  static func save(
    _ allowance: ExportAllowance,
    of userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO account_export (user_id, window_began_at, begun_count, completed_at)
      VALUES (?, ?, ?, ?) ON CONFLICT (user_id) DO UPDATE SET
        window_began_at = excluded.window_began_at, begun_count = excluded.begun_count,
        completed_at = excluded.completed_at
      """,
      .text(userID),
      .integer(allowance.windowBegan),
      .integer(allowance.begunCount),
      .optionalInteger(allowance.completed)
    )
  }
}
