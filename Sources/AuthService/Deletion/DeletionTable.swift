internal import ServiceKit

/// Deletions of accounts in the store.
enum DeletionTable {
  static let columns = RecordColumns<DeletionRecord>(
    "deletion",
    beside: ["addresses"],
    .text("id", \.id),
    .text("user_id", \.userID),
    .text("step", \.step.rawValue),
    .integer("requested_at", \.requested),
    .integer("erase_at", \.eraseAt),
    .integer("due_at", \.due),
    .integer("failed_count", \.failedCount),
    .text("cursor", \.cursor),
    .optionalInteger("finished_at", \.finished)
  ) { row in
    DeletionRecord(
      id: row.text(),
      userID: row.text(),
      step: try row.text(as: DeletionRecord.Step.self),
      requested: row.integer(),
      eraseAt: row.integer(),
      due: row.integer(),
      failedCount: row.integer(),
      cursor: row.text(),
      finished: row.optionalInteger()
    )
  }

  private static let progress = columns.update(
    "step",
    "due_at",
    "failed_count",
    "cursor",
    "finished_at",
    where: "id = ?"
  )

  static func find(_ id: String, in tx: borrowing some Queryable) throws -> DeletionRecord? {
    try tx.first(columns, "WHERE id = ?", .text(id))
  }

  /// That of a user's account.
  static func find(of userID: String, in tx: borrowing some Queryable) throws -> DeletionRecord? {
    try tx.first(columns, "WHERE user_id = ?", .text(userID))
  }

  /// Those that are due, the oldest first.
  static func due(
    now: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [DeletionRecord] {
    try tx.query(
      columns,
      "WHERE finished_at IS NULL AND due_at <= ? ORDER BY due_at, id LIMIT ?",
      .integer(now),
      .integer(limit)
    )
  }

  /// Those under way, or those that are done, by when they were asked for.
  static func page(
    finished: Bool,
    after cursor: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [DeletionRecord] {
    // Identifiers begin with the instant at which they were made.
    try tx.query(
      columns,
      """
      WHERE finished_at IS \(finished ? "NOT" : "") NULL AND id \(direction.comparison) ?
      ORDER BY id \(direction.keyword) LIMIT ? OFFSET ?
      """,
      .text(cursor ?? direction.firstText),
      .integer(limit),
      .integer(skippedCount)
    )
  }

  /// How many are not done, and how many of them should have begun before an instant.
  static func counts(
    overdueSince instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> (pending: Int, overdue: Int) {
    let counts = try tx.first(
      """
      SELECT count(*), count(CASE WHEN erase_at < ? THEN 1 END) FROM deletion
      WHERE finished_at IS NULL
      """,
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
    try tx.insert(deletion, columns, beside: .blob(addresses))
  }

  /// Writes how far it is.
  static func update(_ deletion: DeletionRecord, in tx: borrowing WriteTransaction) throws {
    try tx.update(deletion, progress, .text(deletion.id))
  }

  /// The addresses that the account had, sealed.
  static func addresses(of id: String, in tx: borrowing some Queryable) throws -> [UInt8]? {
    try tx.first("SELECT addresses FROM deletion WHERE id = ?", .text(id)) { $0.blob(0) }
  }

  /// Leaves nothing of the user in it.
  static func anonymize(
    _ deletion: DeletionRecord,
    as pseudonym: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      "UPDATE deletion SET user_id = ?, addresses = ? WHERE id = ?",
      .text(pseudonym),
      .blob([]),
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
