internal import AccessEngine
internal import ServiceKit

/// A user who may do nothing until that is lifted, as the store keeps it.
struct SuspensionRecord: Hashable, Sendable {
  var userID: String
  /// Why, for operators.
  var note: String
  /// The operator who did it.
  var suspendedBy: String
  /// Milliseconds since 1970.
  var suspendedAt: Int64
  /// The revision of the change.
  var revision: Int64

  static let columns = RecordColumns<SuspensionRecord>(
    "suspension",
    .text("user_id", \.userID),
    .text("note", \.note),
    .text("suspended_by", \.suspendedBy),
    .integer("suspended_at", \.suspendedAt),
    .integer("revision", \.revision)
  ) { row in
    SuspensionRecord(
      userID: row.text(),
      note: row.text(),
      suspendedBy: row.text(),
      now: row.integer(),
      revision: row.integer()
    )
  }

  init(userID: String, note: String, suspendedBy: String, now: Int64, revision: Int64 = 0) {
    self.userID = userID
    self.note = note
    self.suspendedBy = suspendedBy
    suspendedAt = now
    self.revision = revision
  }

  /// Digest for the audit log.
  var digest: [UInt8] {
    Digests.sha256(lines: userID, note, suspendedBy, "\(suspendedAt)")
  }
}

enum SuspensionTable {
  /// That of a user.
  static func of(_ userID: String, in tx: borrowing some Queryable) throws -> SuspensionRecord? {
    try tx.first(SuspensionRecord.columns, "WHERE user_id = ?", .text(userID))
  }

  /// Those of users after one, in their order.
  static func page(
    after userID: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [SuspensionRecord] {
    try tx.query(
      SuspensionRecord.columns,
      """
      WHERE user_id \(direction.comparison) ?
      ORDER BY user_id \(direction.keyword) LIMIT ? OFFSET ?
      """,
      .text(userID ?? direction.firstText),
      .integer(limit),
      .integer(skippedCount)
    )
  }

  /// Suspends a user who is not; the record as it is now.
  static func suspend(
    _ record: SuspensionRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> SuspensionRecord {
    var record = record
    record.revision = try log(suspended: record.userID, true, policy, in: tx)
    try tx.insert(record, SuspensionRecord.columns)
    return record
  }

  /// Lifts a suspension; the revision after it.
  static func resume(
    _ record: SuspensionRecord,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    try keepPast(suspensionOf: record.userID, in: tx)
    try tx.execute("DELETE FROM suspension WHERE user_id = ?", .text(record.userID))
    return try log(suspended: record.userID, false, policy, in: tx)
  }

  private static func log(
    suspended userID: String,
    _ flag: Bool,
    _ policy: Policy,
    in tx: borrowing WriteTransaction
  ) throws -> Int64 {
    let change = ForestChange.setSuspended(userID, flag)
    return try tx.appendChange(
      kind: change.kind,
      subject: userID,
      scope: Forest.systemIdentifier,
      payload: change.payload(policy),
      touching: [.suspension(of: userID)]
    )
  }

  /// Keeps for questions about the past that a user was suspended until now.
  private static func keepPast(
    suspensionOf userID: String,
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO past_suspension (user_id, began_at, ended_at)
      SELECT user_id, suspended_at, ? FROM suspension WHERE user_id = ?
      """,
      .integer(tx.now),
      .text(userID)
    )
  }
}

extension SuspensionTable {
  /// Whether a user was suspended at an instant.
  static func wasSuspended(
    _ userID: String,
    at instant: Int64,
    in tx: borrowing some Queryable
  ) throws -> Bool {
    try tx.exists(
      """
      SELECT 1 FROM suspension WHERE user_id = ? AND suspended_at <= ?
      UNION ALL
      SELECT 1 FROM past_suspension WHERE user_id = ? AND began_at <= ? AND ended_at > ?
      """,
      .text(userID),
      .integer(instant),
      .text(userID),
      .integer(instant),
      .integer(instant)
    )
  }
}
