internal import ServiceKit

/// In what order documents are listed; among equals, by identifier.
enum DocumentOrder: Hashable, Sendable {
  case id
  case created
  /// By revision, which grows with every change whatever the clock says.
  case updated
  case field(FieldPath)
}

extension UserDocuments {
  /// The documents of a collection after one of them, at most `limit` behind those that are skipped, in an order.
  func entries(
    of collection: String,
    by order: DocumentOrder,
    isDescending: Bool,
    after cursor: (key: SQLValue, id: String)?,
    skipping skippedCount: Int,
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [DocumentEntry] {
    if case .field(let path) = order {
      return try entries(
        of: collection,
        byField: path,
        isDescending: isDescending,
        after: cursor.map { (FieldKey($0.key), $0.id) },
        skipping: skippedCount,
        limit: limit,
        tx
      )
    }
    let start = cursor ?? Self.start(of: order, isDescending: isDescending)
    let places: [SQLValue] = order == .id ? [.text(start.id)] : [start.key, .text(start.id)]
    return try tx.query(
      Self.statement(order, isDescending: isDescending),
      values: [.text(userID), .text(collection), .integer(limit), .integer(skippedCount)] + places
    ) { row in
      let key: SQLValue = order == .id ? .text(row.text(2)) : .integer(row.integer(2))
      return DocumentEntry(id: row.text(0), byteCount: row.integer(1), key: key)
    }
  }

  /// Milliseconds until the user may have a collection sorted by a field; nil when it is now.
  func waitToSort(_ sorts: SpendingLimit, now: Int64) -> Int64? {
    sorts.wait(of: userID, now: now)
  }

  /// Notes what sorting costs the user, or gives back what it did not cost.
  func spendOnSorts(_ cost: Int64, _ sorts: SpendingLimit, now: Int64) {
    sorts.spend(cost, by: userID, now: now)
  }

  /// The place before everything in an order: of an identifier nothing is greater than `~`.
  private static func start(
    of order: DocumentOrder,
    isDescending: Bool
  ) -> (key: SQLValue, id: String) {
    (.integer(isDescending ? Int64.max : .min), isDescending ? "~" : "")
  }

  private static func statement(_ order: DocumentOrder, isDescending: Bool) -> String {
    let (comparison, direction) = isDescending ? ("<", "DESC") : (">", "ASC")
    let documents = "FROM document WHERE user_id = ?1 AND collection = ?2"
    guard order != .id else {
      return """
        SELECT id, byte_count, id \(documents) AND id \(comparison) ?5
        ORDER BY id \(direction) LIMIT ?3 OFFSET ?4
        """
    }
    let key = order == .created ? "created_at" : "revision"
    return """
      SELECT id, byte_count, \(key) \(documents)
        AND \(key) \(comparison)= ?5 AND (\(key) \(comparison) ?5 OR id \(comparison) ?6)
      ORDER BY \(key) \(direction), id \(direction) LIMIT ?3 OFFSET ?4
      """
  }

  /// The documents of a collection whose last changes are after a revision, up to another one, in the
  /// order of these.
  func documents(
    in collection: String,
    changedAfter revision: Int64,
    through last: Int64,
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [DocumentChange] {
    try tx.query(
      """
      SELECT id, revision FROM document
      WHERE user_id = ? AND collection = ? AND revision > ? AND revision <= ?
      ORDER BY revision LIMIT ?
      """,
      values: [
        .text(userID), .text(collection), .integer(revision), .integer(last), .integer(limit),
      ]
    ) { DocumentChange(id: $0.text(0), revision: $0.integer(1), isDeletion: false) }
  }

  /// The changes of a collection after a revision, in order; nil when some of them are no longer known.
  func changes(
    of collection: String,
    after revision: Int64,
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [DocumentChange]? {
    try tx.changes(Self.changeKind, scope: scope(of: collection), after: revision, limit: limit)?
      .map {
        DocumentChange(
          id: $0.subject,
          revision: $0.revision,
          isDeletion: $0.payload.first == 1
        )
      }
  }

  /// The names of some documents, of whatever collection.
  func names(
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [(collection: String, id: String)] {
    try tx.query(
      "SELECT collection, id FROM document WHERE user_id = ? ORDER BY collection, id LIMIT ?",
      .text(userID),
      .integer(limit)
    ) { ($0.text(0), $0.text(1)) }
  }
}
