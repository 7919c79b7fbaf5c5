internal import ServiceKit

/// Deletions of accounts in the store.
enum DeletionTable {
  private static let columns = """
    id, user_id, step, requested_at, erase_at, due_at, failed_count, cursor, finished_at
    """

  private static func record(_ row: borrowing Row) throws -> DeletionRecord {
    guard let step = DeletionRecord.Step(rawValue: row.text(2)) else {
      throw StoreError.statement("a deletion with the step \(row.text(2))")
    }
    return DeletionRecord(
      id: row.text(0),
      userID: row.text(1),
      step: step,
      requested: row.integer(3),
      eraseAt: row.integer(4),
      due: row.integer(5),
      failedCount: row.integer(6),
      cursor: row.text(7),
      finished: row.optionalInteger(8)
    )
  }

  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> DeletionRecord? {
    try tx.first("SELECT \(columns) FROM deletion WHERE id = ?", .text(id)) { try record($0) }
  }

  /// That of a user's account.
  static func find(
    of userID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> DeletionRecord? {
    try tx.first("SELECT \(columns) FROM deletion WHERE user_id = ?", .text(userID)) {
      try record($0)
    }
  }

  /// Those that are due, the oldest first.
  ///
  /// None waits longer than until `horizon`, so a clock that was set back postpones none for ever.
  static func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [DeletionRecord] {
    try tx.query(
      "SELECT \(columns) FROM deletion WHERE finished_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?",
      .integer(now),
      .integer(limit)
    ) { try record($0) }
  }

  /// How many are not done, and how many of them should have begun before an instant.
  static func counts(
    overdueSince instant: Int64,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> (pending: Int, overdue: Int) {
    let counts = try tx.first(
      "SELECT count(*), coalesce(sum(erase_at < ?), 0) FROM deletion WHERE finished_at IS NULL",
      .integer(instant)
    ) { (pending: Int($0.integer(0)), overdue: Int($0.integer(1))) }
    return counts ?? (0, 0)
  }

  /// Adds one; `addresses` are sealed.
  static func insert(
    _ deletion: DeletionRecord,
    addresses: [UInt8],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "INSERT INTO deletion (\(columns), addresses) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .text(deletion.id),
      .text(deletion.userID),
      .text(deletion.step.rawValue),
      .integer(deletion.requested),
      .integer(deletion.eraseAt),
      .integer(deletion.due),
      .integer(deletion.failedCount),
      .text(deletion.cursor),
      .optionalInteger(deletion.finished),
      .blob(addresses)
    )
  }

  /// Writes how far it is.
  static func update(_ deletion: DeletionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE deletion SET step = ?, due_at = ?, failed_count = ?, cursor = ?, finished_at = ?
      WHERE id = ?
      """,
      .text(deletion.step.rawValue),
      .integer(deletion.due),
      .integer(deletion.failedCount),
      .text(deletion.cursor),
      .optionalInteger(deletion.finished),
      .text(deletion.id)
    )
  }

  /// The addresses that the account had, sealed.
  static func addresses(
    of id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> [UInt8]? {
    try tx.first("SELECT addresses FROM deletion WHERE id = ?", .text(id)) { $0.blob(0) }
  }

  /// Leaves nothing of the user in it.
  static func anonymize(
    _ deletion: DeletionRecord,
    as pseudonym: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE deletion SET user_id = ?, addresses = x'' WHERE id = ?",
      .text(pseudonym),
      .text(deletion.id)
    )
  }

  static func delete(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM deletion WHERE id = ?", .text(id))
  }

  /// Forgets those that were done before a time.
  static func prune(finishedBefore time: Int64, in tx: borrowing WriteTransaction) throws {
    try tx.execute("DELETE FROM deletion WHERE finished_at < ?", .integer(time))
  }
}
