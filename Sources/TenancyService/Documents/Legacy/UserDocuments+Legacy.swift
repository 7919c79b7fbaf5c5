internal import ServiceKit

/// The documents of this user that the older app has left.
extension UserDocuments {
  /// A legacy document that is next to be copied.
  private struct LegacyRow {
    let collection: String
    let id: String
    let byteCount: Int64
  }

  private static let migrations = RecordColumns<LegacyMigration>(
    "legacy_migration",
    beside: ["user_id"],
    .text("collection", \.lastCollection),
    .text("document_id", \.lastID),
    .integer("copied_count", \.copiedCount),
    .integer("skipped_count", \.skippedCount),
    .optionalInteger("started_at", \.startedAt),
    .optionalInteger("finished_at", \.finishedAt)
  ) { row in
    LegacyMigration(
      lastCollection: row.text(),
      lastID: row.text(),
      copiedCount: row.integer(),
      skippedCount: row.integer(),
      startedAt: row.integer(),
      finishedAt: row.optionalInteger()
    )
  }

  /// How far the migration is.
  func migration(_ tx: borrowing some Queryable) throws -> LegacyMigration {
    try tx.first(Self.migrations, "WHERE user_id = ?", .text(userID)) ?? LegacyMigration()
  }

  /// Legacy documents that are still to be copied.
  func remainingCount(
    after migration: LegacyMigration,
    _ tx: borrowing some Queryable
  ) throws -> Int64 {
    guard migration.finishedAt == nil else { return 0 }
    return try tx.first(
      """
      SELECT count(*) FROM legacy_document
      WHERE user_id = ? AND (collection, id) > (?, ?)
      """,
      .text(userID),
      .text(migration.lastCollection),
      .text(migration.lastID)
    ) { $0.integer(0) } ?? 0
  }

  /// Copies the next batch, unless the migration is done; the state after it.
  ///
  /// A document that the user has already stays as it is: it is newer than anything the older app left.
  func migrateBatch(_ tx: borrowing WriteTransaction) throws -> LegacyMigration {
    var migration = try migration(tx)
    guard migration.finishedAt == nil else { return migration }
    let rows = try nextRows(after: migration, tx)
    var (byteCount, rowCount) = (Int64(0), 0)
    var copiedCount: Int64 = 0
    for row in rows.prefix(DocumentLimits.batchCountMax) {
      byteCount += row.byteCount
      guard rowCount == 0 || byteCount <= DocumentLimits.batchByteCountMax else { break }
      if try copy(row, tx) { copiedCount += 1 }
      rowCount += 1
      (migration.lastCollection, migration.lastID) = (row.collection, row.id)
    }
    migration.copiedCount += copiedCount
    migration.skippedCount += Int64(rowCount) - copiedCount
    migration.startedAt = migration.startedAt ?? tx.now
    if rowCount == rows.count { migration.finishedAt = tx.now }
    try store(migration, tx)
    try tx.audit(
      "legacy.migrate",
      object: userID,
      scope: userID,
      detail: "\(copiedCount) of \(rowCount) copied, \(rows.count - rowCount) seen to follow"
    )
    return migration
  }

  /// The rows of a batch and, if more follow, one of those.
  private func nextRows(
    after migration: LegacyMigration,
    _ tx: borrowing WriteTransaction
  ) throws -> [LegacyRow] {
    try tx.query(
      """
      SELECT collection, id, byte_count FROM legacy_document
      WHERE user_id = ? AND (collection, id) > (?, ?) ORDER BY collection, id LIMIT ?
      """,
      values: [
        .text(userID), .text(migration.lastCollection), .text(migration.lastID),
        .integer(DocumentLimits.batchCountMax + 1),
      ]
    ) { LegacyRow(collection: $0.text(0), id: $0.text(1), byteCount: $0.integer(2)) }
  }

  /// Copies a document; false when the user has one of that name.
  private func copy(_ row: LegacyRow, _ tx: borrowing WriteTransaction) throws -> Bool {
    guard let name = LegacyCollectionName(rawValue: row.collection) else {
      preconditionFailure("the schema admits legacy collections that the program does not know")
    }
    guard try head(of: row.id, in: name.target, tx) == nil else { return false }
    let json = try tx.first(
      "SELECT json FROM legacy_document WHERE user_id = ? AND collection = ? AND id = ?",
      .text(userID),
      .text(row.collection),
      .text(row.id)
    ) { $0.text(0) }
    guard let json else { preconditionFailure("a row that is gone within its transaction") }
    _ = try put(json, as: row.id, in: name.target, insteadOf: nil, tx)
    return true
  }

  private func store(_ migration: LegacyMigration, _ tx: borrowing WriteTransaction) throws {
    try tx.insert(
      migration,
      Self.migrations,
      beside: .text(userID),
      clause: """
        ON CONFLICT (user_id) DO UPDATE SET collection = excluded.collection,
          document_id = excluded.document_id, copied_count = excluded.copied_count,
          skipped_count = excluded.skipped_count, finished_at = excluded.finished_at
        """
    )
    let (collection, id) = (LegacyMigration.documentCollection, LegacyMigration.documentID)
    _ = try put(
      JSONValue.object(migration.content).text,
      as: id,
      in: collection,
      insteadOf: try head(of: id, in: collection, tx),
      tx
    )
  }

  /// Deletes some legacy documents, and with the last of them the state of the migration; how many
  /// documents that were.
  func deleteLegacy(limit: Int, _ tx: borrowing WriteTransaction) throws -> Int {
    let count = try tx.rowsChanged(
      by: """
        DELETE FROM legacy_document WHERE user_id = ? AND (collection, id) IN (
          SELECT collection, id FROM legacy_document WHERE user_id = ? LIMIT ?)
        """,
      values: [.text(userID), .text(userID), .integer(limit)]
    )
    if count < limit {
      try tx.execute("DELETE FROM legacy_migration WHERE user_id = ?", .text(userID))
    }
    guard count > 0 else { return 0 }
    try tx.audit("legacy.delete", object: userID, scope: userID, detail: "\(count) documents")
    return count
  }
}
