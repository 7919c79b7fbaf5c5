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
    let start = cursor ?? Self.start(of: order, isDescending: isDescending)
    var values: [SQLValue] = [
      .text(userID), .text(collection), start.key, .text(start.id), .integer(limit),
      .integer(skippedCount),
    ]
    if case .field(let path) = order { values.append(.text(path.sql)) }
    let sql = Self.statement(order, isDescending: isDescending)
    return try tx.query(sql, values: values) { row in
      let key: SQLValue =
        switch row.text(3) {
        case "integer": .integer(row.integer(2))
        case "real": .real(row.real(2))
        default: .text(row.text(2))
        }
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

  /// The value before everything in an order: of an identifier nothing is greater than `~`, and of what
  /// SQLite compares nothing is greater than a blob (sqlite.org/datatype3.html, section 4.1).
  private static func start(
    of order: DocumentOrder,
    isDescending: Bool
  ) -> (key: SQLValue, id: String) {
    let id = isDescending ? "~" : ""
    return switch order {
    case .id: (.text(id), id)
    case .created, .updated, .field: (isDescending ? .blob([0xFF]) : .real(-.infinity), id)
    }
  }

  /// A field counts as less than every number when there is nothing in it that can be compared.
  private static let fieldKey = """
    CASE json_type(json, ?7)
      WHEN 'integer' THEN json_extract(json, ?7)
      WHEN 'real' THEN json_extract(json, ?7)
      WHEN 'true' THEN 1
      WHEN 'false' THEN 0
      WHEN 'text' THEN substr(json_extract(json, ?7), 1, 100)
      ELSE -9e999
    END
    """

  private static func statement(_ order: DocumentOrder, isDescending: Bool) -> String {
    let (comparison, direction) = isDescending ? ("<", "desc") : (">", "asc")
    let key =
      switch order {
      case .id: "id"
      case .created: "created_at"
      case .updated: "revision"
      case .field: fieldKey
      }
    return """
      SELECT id, byte_count, key, typeof(key) FROM (
        SELECT id, byte_count, \(key) AS key FROM document WHERE user_id = ?1 AND collection = ?2
      ) WHERE (key, id) \(comparison) (?3, ?4) ORDER BY key \(direction), id \(direction)
      LIMIT ?5 OFFSET ?6
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
