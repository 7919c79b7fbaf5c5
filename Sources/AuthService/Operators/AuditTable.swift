internal import ServiceKit

/// The audit log, read by user.
enum AuditTable {
  /// Records of what a user did and of what was done to it, from the one after `sequence` on.
  ///
  /// Each way to be concerned is a range of an index; the first of each are put in order together.
  static func page(
    about userID: String,
    after sequence: Int64?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [StoredAuditRecord] {
    let columns = StoredAuditRecord.columns
    let first = { (condition: String) in
      """
      SELECT * FROM (\(columns.selection) WHERE \(condition) AND sequence \(direction.comparison) ?3
      ORDER BY sequence \(direction.keyword) LIMIT ?4 + ?5) AS found
      """
    }
    return try tx.query(
      """
      \(first("object = ?1")) UNION \(first("actor = ?2"))
      ORDER BY sequence \(direction.keyword) LIMIT ?4 OFFSET ?5
      """,
      .text(userID),
      .text(AuditActor.user(userID).name),
      .integer(sequence ?? direction.firstNumber),
      .integer(limit),
      .integer(skippedCount)
    ) { try columns.record($0) }
  }
}
