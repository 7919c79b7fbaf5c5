internal import ServiceKit

/// The deletion of an entity, as the store keeps it: what of it EntitlementService gets, and has got.
///
/// The entities that it still has to hear of are rows of `ended_holder`.
struct EntityDeletionRecord: Hashable, Sendable {
  let id: String
  let entityID: String
  let entityType: String
  /// The user.
  let deletedBy: String
  let deletedAt: Int64
  /// Deleted entities that EntitlementService is notified of.
  let holderCount: Int
  /// When it had heard of all of them.
  var finishedAt: Int64?

  static let columns = RecordColumns<EntityDeletionRecord>(
    "entity_deletion",
    .text("id", \.id),
    .text("entity_id", \.entityID),
    .text("entity_type", \.entityType),
    .text("deleted_by", \.deletedBy),
    .integer("deleted_at", \.deletedAt),
    .integer("holder_count", \.holderCount),
    .optionalInteger("finished_at", \.finishedAt)
  ) { row in
    EntityDeletionRecord(
      id: row.text(),
      entityID: row.text(),
      entityType: row.text(),
      deletedBy: row.text(),
      deletedAt: row.integer(),
      holderCount: Int(row.integer()),
      finishedAt: row.optionalInteger()
    )
  }
}

enum EntityDeletionTable {
  static func find(_ id: String, in tx: borrowing some Queryable) throws -> EntityDeletionRecord? {
    try tx.first(EntityDeletionRecord.columns, "WHERE id = ?", .text(id))
  }

  /// The deletion that an entity waits for which EntitlementService has not heard of; nil once it has, and
  /// empty for what was deleted by a version that kept no deletions.
  static func waiting(for holderID: String, in tx: borrowing some Queryable) throws -> String? {
    try tx.first("SELECT deletion_id FROM ended_holder WHERE holder_id = ?", .text(holderID)) {
      $0.text(0)
    }
  }

  /// Says that a deletion is complete, if nothing of it waits.
  static func finish(_ id: String, in tx: borrowing WriteTransaction) throws {
    try tx.execute(
      """
      UPDATE entity_deletion SET finished_at = ?1 WHERE id = ?2 AND finished_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM ended_holder WHERE deletion_id = ?2)
      """,
      .integer(tx.now),
      .text(id)
    )
  }

  /// Adds it, with the notices for EntitlementService.
  static func insert(
    _ record: EntityDeletionRecord,
    holders: [String],
    in tx: borrowing WriteTransaction
  ) throws {
    try tx.insert(record, EntityDeletionRecord.columns)
    for holder in holders {
      try tx.execute(
        "INSERT INTO ended_holder (holder_id, deletion_id, attempts, due_at) VALUES (?, ?, 0, ?)",
        values: [.text(holder), .text(record.id), .integer(record.deletedAt)]
      )
    }
  }

  /// How many entities EntitlementService has not heard of yet.
  static func waitingCount(
    _ record: EntityDeletionRecord,
    in tx: borrowing some Queryable
  ) throws -> Int {
    try tx.first(
      "SELECT count(*) FROM ended_holder WHERE deletion_id = ?",
      .text(record.id)
    ) { Int($0.integer(0)) } ?? 0
  }
}
