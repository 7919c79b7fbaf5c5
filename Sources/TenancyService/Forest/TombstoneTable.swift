internal import ServiceKit

/// The memory of a deleted entity: that it was there, and where, for as long as its history is kept.
enum TombstoneTable {
  /// How long tombstones and the histories of deleted devices are kept, in milliseconds: 90 days.
  static let lifetime: Int64 = 90 * 86_400_000

  /// Adds that of an entity that is deleted now.
  static func insert(of record: EntityRecord, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      "INSERT INTO tombstone (id, type, root_id, deleted_at, parent_id) VALUES (?, ?, ?, ?, ?)",
      values: [
        .text(record.id), .text(record.type), .text(record.rootID), .integer(tx.now),
        .text(record.parentID),
      ]
    )
  }

  /// The type of a deleted entity; nil when none was deleted, or too long ago.
  static func type(of id: String, in tx: borrowing some Queryable) throws -> String? {
    try tx.first("SELECT type FROM tombstone WHERE id = ?", .text(id)) { $0.text(0) }
  }

  /// The nearest entity above a deleted one that is still there; nil when none of that type was
  /// deleted, or too long ago.
  static func survivor(
    above id: String,
    type: String,
    in tx: borrowing some Queryable
  ) throws -> (id: String, type: String)? {
    try tx.first(
      """
      WITH RECURSIVE above (id, level) AS (
        SELECT parent_id, 1 FROM tombstone WHERE id = ? AND type = ?
        UNION ALL
        SELECT tombstone.parent_id, above.level + 1
        FROM tombstone JOIN above ON tombstone.id = above.id
      )
      SELECT entity.id, entity.type FROM above JOIN entity ON entity.id = above.id
      ORDER BY above.level LIMIT 1
      """,
      .text(id),
      .text(type)
    ) { (id: $0.text(0), type: $0.text(1)) }
  }
}

extension Database {
  /// Forgets entities that were deleted before `instant` (milliseconds since 1970), with the histories
  /// of the devices among them; how many rows that were.
  ///
  /// Few at a time, so that writers behind it hardly wait: call again until it is 0.
  func purgeTombstones(before instant: Int64) async throws -> Int {
    try await write { tx in
      let oldest = """
        SELECT id FROM tombstone WHERE deleted_at < ? ORDER BY deleted_at, id LIMIT \(Self.purgeCountMax)
        """
      let recordCount = try tx.rowsChanged(
        by: """
          DELETE FROM access_record WHERE id IN (
            SELECT id FROM access_record WHERE device_id IN (\(oldest)) LIMIT ?)
          """,
        .integer(instant),
        .integer(Self.purgeCountMax)
      )
      // While there may be records left, somebody must still be able to find them.
      guard recordCount < Self.purgeCountMax else { return recordCount }
      return try recordCount
        + tx.rowsChanged(by: "DELETE FROM tombstone WHERE id IN (\(oldest))", .integer(instant))
    }
  }
}
