internal import ServiceKit

/// Operators' changes of accounts, in the store.
enum AccountChangeTable {
  static let columns = RecordColumns<AccountChange>(
    "account_change",
    .text("id", \.id),
    .text("user_id", \.userID),
    .integer("kind", \.kind.rawValue),
    .text("new_email", \.newEmail),
    .text("reason", \.reason),
    .integer("state", \.state.rawValue),
    .text("requested_by", \.requestedBy),
    .integer("requested_at", \.requested),
    .optionalInteger("due_at", \.due),
    .optionalText("approved_by", \.approvedBy),
    .optionalInteger("finished_at", \.finished)
  ) { row in
    AccountChange(
      id: row.text(),
      userID: row.text(),
      kind: try row.integer(as: AccountChange.Kind.self),
      newEmail: row.text(),
      reason: row.text(),
      state: try row.integer(as: AccountChange.State.self),
      requestedBy: row.text(),
      requested: row.integer(),
      due: row.optionalInteger(),
      approvedBy: row.optionalText(),
      finished: row.optionalInteger()
    )
  }

  private static let ending = columns.update(
    "state",
    "approved_by",
    "finished_at",
    where: "id = ?"
  )

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> AccountChange? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// Whether one of a kind waits for an account.
  static func waits(
    _ kind: AccountChange.Kind,
    for userID: String,
    in tx: borrowing some Queryable
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
    in tx: borrowing some Queryable
  ) throws -> [AccountChange] {
    try tx.query(
      columns,
      "WHERE state = 1 AND due_at <= ? ORDER BY due_at, id LIMIT ?",
      .integer(now),
      .integer(limit)
    )
  }

  /// Those of one account or of all, newest first unless it is said, from the one after `cursor` on.
  static func page(
    of userID: String,
    after cursor: String?,
    _ direction: ListDirection = .descending,
    skipping skippedCount: Int = 0,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [AccountChange] {
    try tx.query(
      columns,
      """
      WHERE (?1 = '' OR user_id = ?1) AND id \(direction.comparison) ?2
      ORDER BY id \(direction.keyword) LIMIT ?3 OFFSET ?4
      """,
      .text(userID),
      .text(cursor ?? direction.firstText),
      .integer(limit),
      .integer(skippedCount)
    )
  }

  static func insert(_ change: AccountChange, in tx: borrowing WriteTransaction) throws {
    try tx.insert(change, columns)
  }

  /// Ends one.
  static func end(
    _ change: inout AccountChange,
    _ state: AccountChange.State,
    now: Int64,
    in tx: borrowing WriteTransaction
  ) throws {
    (change.state, change.finished) = (state, now)
    try tx.update(change, ending, .text(change.id))
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
