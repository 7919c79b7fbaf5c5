internal import ServiceKit

/// The audit log, read by user.
enum AuditTable {
  /// Records of what a user did and of what was done to it, newest first, from the one before `sequence` on.
  ///
  /// Each way to be concerned is a range of an index; the newest of each are put in order together.
  static func page(
    about userID: String,
    before sequence: Int64,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [StoredAuditRecord] {
    let columns = StoredAuditRecord.columns
    let newest = { (condition: String) in
      """
      SELECT * FROM (\(columns.selection) WHERE \(condition) AND sequence < ?3
      ORDER BY sequence DESC LIMIT ?4)
      """
    }
    return try tx.query(
      """
      \(newest("object = ?1")) UNION \(newest("actor = ?2"))
      ORDER BY sequence DESC LIMIT ?4
      """,
      .text(userID),
      .text(AuditActor.user(userID).name),
      .integer(sequence),
      .integer(limit)
    ) { try columns.record($0) }
  }
}
