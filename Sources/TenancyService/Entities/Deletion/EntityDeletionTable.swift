internal import PeerContracts
internal import TenancyContracts
internal import RPCKit
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

  func message(waitingCount: Int) -> Tenancy_V1.EntityDeletion {
    Tenancy_V1.EntityDeletion(
      id: id,
      entityId: entityID,
      entityType: entityType,
      deletedAt: .init(milliseconds: deletedAt),
      holderCount: UInt64(holderCount),
      endedHolderCount: UInt64(max(0, holderCount - waitingCount)),
      finishedAt: finishedAt.map { .init(milliseconds: $0) }
    )
  }
}

enum EntityDeletionTable {
  static func find(
    _ id: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> EntityDeletionRecord? {
    try tx.first(
      """
      SELECT id, entity_id, entity_type, deleted_by, deleted_at, holder_count, finished_at
      FROM entity_deletion WHERE id = ?
      """,
      .text(id)
    ) { row in
      EntityDeletionRecord(
        id: row.text(0),
        entityID: row.text(1),
        entityType: row.text(2),
        deletedBy: row.text(3),
        deletedAt: row.integer(4),
        holderCount: Int(row.integer(5)),
        finishedAt: row.optionalInteger(6)
      )
    }
  }

  /// The deletion that an entity waits for which EntitlementService has not heard of; nil once it has, and
  /// empty for what was deleted by a version that kept no deletions.
  static func waiting(
    for holderID: String,
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> String? {
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
    try tx.execute(
      """
      INSERT INTO entity_deletion (id, entity_id, entity_type, deleted_by, deleted_at, holder_count)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      values: [
        .text(record.id), .text(record.entityID), .text(record.entityType), .text(record.deletedBy),
        .integer(record.deletedAt), .integer(record.holderCount),
      ]
    )
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
    in tx: borrowing some StoreTransaction & ~Copyable
  ) throws -> Int {
    try tx.first(
      "SELECT count(*) FROM ended_holder WHERE deletion_id = ?",
      .text(record.id)
    ) { Int($0.integer(0)) } ?? 0
  }
}
