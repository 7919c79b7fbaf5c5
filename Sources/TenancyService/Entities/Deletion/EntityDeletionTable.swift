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

/// How far a deletion is, with what is left of the name.
struct EntityDeletionProgress: Sendable {
  let record: EntityDeletionRecord
  /// Deleted entities that EntitlementService has not heard of yet.
  let waitingCount: Int
  /// The name that the entity had last; nil once its past is no longer kept.
  let name: String?

  static let columns = RecordColumns<EntityDeletionProgress>(
    "entity_deletion",
    as: "d",
    .text("id", \.record.id),
    .text("entity_id", \.record.entityID),
    .text("entity_type", \.record.entityType),
    .text("deleted_by", \.record.deletedBy),
    .integer("deleted_at", \.record.deletedAt),
    .integer("holder_count", \.record.holderCount),
    .optionalInteger("finished_at", \.record.finishedAt),
    .joined(
      .integer("(SELECT count(*) FROM ended_holder WHERE deletion_id = d.id)", \.waitingCount)
    ),
    .joined(
      .optionalText(
        """
        (SELECT name FROM past_entity AS past WHERE past.id = d.entity_id
          ORDER BY past.sequence DESC LIMIT 1)
        """,
        \.name
      )
    )
  ) { row in
    EntityDeletionProgress(
      record: EntityDeletionRecord(
        id: row.text(),
        entityID: row.text(),
        entityType: row.text(),
        deletedBy: row.text(),
        deletedAt: row.integer(),
        holderCount: Int(row.integer()),
        finishedAt: row.optionalInteger()
      ),
      waitingCount: Int(row.integer()),
      name: row.optionalText()
    )
  }
}

/// Which deletions a list shows.
enum EntityDeletionFilter {
  /// All of one user.
  case by(userID: String)
  /// Those of everybody that are done, or those under way.
  case areFinished(Bool)
  /// One.
  case id(String)

  fileprivate var condition: String {
    switch self {
    case .by: "d.deleted_by = ?"
    case .areFinished(let flag): "d.finished_at IS \(flag ? "NOT " : "")NULL"
    case .id: "d.id = ?"
    }
  }

  fileprivate var values: [SQLValue] {
    switch self {
    case .by(let text), .id(let text): [.text(text)]
    case .areFinished: []
    }
  }
}

enum EntityDeletionTable {
  static let migration = Migration(
    version: 32,
    sql: """
      CREATE INDEX entity_deletion_by_user ON entity_deletion (deleted_by, id);
      CREATE INDEX entity_deletion_under_way ON entity_deletion (id) WHERE finished_at IS NULL;
      """
  )

  static func find(
    _ id: String,
    in tx: borrowing some Queryable
  ) throws -> EntityDeletionProgress? {
    try tx.first(EntityDeletionProgress.columns, "WHERE d.id = ?", .text(id))
  }

  /// Those after one, in their order.
  static func page(
    _ filter: EntityDeletionFilter,
    after id: String?,
    _ direction: ListDirection,
    skipping skippedCount: Int,
    limit: Int,
    in tx: borrowing some Queryable
  ) throws -> [EntityDeletionProgress] {
    try tx.query(
      EntityDeletionProgress.columns,
      """
      WHERE \(filter.condition) AND d.id \(direction.comparison) ?
      ORDER BY d.id \(direction.keyword) LIMIT ? OFFSET ?
      """,
      values: filter.values + [
        .text(id ?? direction.firstText), .integer(limit), .integer(skippedCount),
      ]
    )
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
}
