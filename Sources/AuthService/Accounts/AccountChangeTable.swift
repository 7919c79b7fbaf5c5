internal import ServiceKit

/// Operators' changes of accounts, in the store.
enum AccountChangeTable {
  private static let columns = """
    id, user_id, kind, new_email, reason, state, requested_by, requested_at, due_at, approved_by, finished_at
    """

  private static func record(_ row: borrowing Row) throws -> AccountChange {
    guard let kind = AccountChange.Kind(rawValue: row.integer(2)),
      let state = AccountChange.State(rawValue: row.integer(5))
    else { throw StoreError.statement("an account change of kind \(row.integer(2))") }
    return AccountChange(
      id: row.text(0),
      userID: row.text(1),
      kind: kind,
      newEmail: row.text(3),
      reason: row.text(4),
      state: state,
      requestedBy: row.text(6),
      requested: row.integer(7),
      due: row.optionalInteger(8),
      approvedBy: row.optionalText(9),
      finished: row.optionalInteger(10)
    )
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> AccountChange? {
    try tx.first("SELECT \(columns) FROM account_change WHERE id = ?", .text(id)) { try record($0) }
  }

  /// Whether one of a kind waits for an account.
  static func waits(
    _ kind: AccountChange.Kind,
    for userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Bool {
    try tx.exists(
      "SELECT 1 FROM account_change WHERE user_id = ? AND kind = ? AND state = ?",
      .text(userID),
      .integer(kind.rawValue),
      .integer(AccountChange.State.waiting.rawValue)
    )
  }

  /// Those that wait no longer for a second operator, the oldest first.
  static func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [AccountChange] {
    try tx.query(
      "SELECT \(columns) FROM account_change WHERE state = 1 AND due_at <= ? ORDER BY due_at, id LIMIT ?",
      .integer(now),
      .integer(limit)
    ) { try record($0) }
  }

  /// Newest first, of one account or of all, from the one before `cursor` on.
  static func page(
    of userID: String,
    before cursor: String?,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [AccountChange] {
    try tx.query(
      """
      SELECT \(columns) FROM account_change WHERE (?1 = '' OR user_id = ?1) AND (?2 IS NULL OR id < ?2)
      ORDER BY id DESC LIMIT ?3
      """,
      .text(userID),
      .optionalText(cursor),
      .integer(limit)
    ) { try record($0) }
  }

  static func insert(_ change: AccountChange, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      INSERT INTO account_change (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .text(change.id),
      .text(change.userID),
      .integer(change.kind.rawValue),
      .text(change.newEmail),
      .text(change.reason),
      .integer(change.state.rawValue),
      .text(change.requestedBy),
      .integer(change.requested),
      .optionalInteger(change.due),
      .optionalText(change.approvedBy),
      .optionalInteger(change.finished)
    )
  }

  /// Ends one.
  static func end(
    _ change: inout AccountChange,
    _ state: AccountChange.State,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    (change.state, change.finished) = (state, now)
    try tx.execute(
      "UPDATE account_change SET state = ?, approved_by = ?, finished_at = ? WHERE id = ?",
      .integer(change.state.rawValue),
      .optionalText(change.approvedBy),
      .optionalInteger(change.finished),
      .text(change.id)
    )
  }

  /// Has what waits for an account wait for a second operator: what could have stopped it is gone.
  static func holdBack(of userID: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "UPDATE account_change SET due_at = NULL WHERE user_id = ? AND state = ?",
      .text(userID),
      .integer(AccountChange.State.waiting.rawValue)
    )
  }

  /// Replaces an operator whose account is deleted.
  static func replaceOperator(
    _ userID: String,
    by pseudonym: String,
    in tx: borrowing WriteTransaction
  ) throws {
    for column in ["requested_by", "approved_by"] {
      try tx.execute(
        "UPDATE account_change SET \(column) = ? WHERE \(column) = ?",
        .text(pseudonym),
        .text(userID)
      )
    }
  }

  static func prune(finishedBefore instant: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM account_change WHERE finished_at < ?", .integer(instant))
  }
}
