internal import ServiceKit

/// The place of a document in the order of a field: values that cannot be compared, then numbers, then texts.
struct FieldKey: Hashable, Sendable {
  private var kind: Int64
  private var number = 0.0
  private var text = ""

  private static let numberKind: Int64 = 1
  private static let textKind: Int64 = 2

  /// Before everything in either direction.
  static func start(isDescending: Bool) -> FieldKey { FieldKey(kind: isDescending ? 3 : -1) }

  private init(kind: Int64) { self.kind = kind }

  /// Reads a place from the columns of `UserDocuments.fieldColumns`.
  init(_ row: borrowing Row, at column: Int) {
    kind = row.integer(column)
    number = row.real(column + 1)
    text = row.text(column + 2)
  }

  /// The place of a value as cursors have it; see `value`.
  init(_ value: SQLValue) {
    kind = 0
    switch value {
    case .integer(let number): (kind, self.number) = (Self.numberKind, Double(number))
    case .real(let number) where number != -.infinity:
      (kind, self.number) = (Self.numberKind, number)
    case .text(let text): (kind, self.text) = (Self.textKind, text)
    case .null, .real, .blob: break
    }
  }

  /// The value that has this place; what cannot be compared is less than every number.
  var value: SQLValue {
    switch kind {
    case Self.numberKind: .real(number)
    case Self.textKind: .text(text)
    default: .real(-.infinity)
    }
  }

  /// The values of a condition, in the order of `UserDocuments.fieldStatement`.
  var values: [SQLValue] { [.integer(kind), .real(number), .text(text)] }
}

extension UserDocuments {
  /// The documents of a collection in the order of a field; see `entries`.
  func entries(
    of collection: String,
    byField path: FieldPath,
    isDescending: Bool,
    after cursor: (key: FieldKey, id: String)?,
    skipping skippedCount: Int,
    limit: Int,
    _ tx: borrowing some Queryable
  ) throws -> [DocumentEntry] {
    let key = cursor?.key ?? .start(isDescending: isDescending)
    let head: [SQLValue] = [
      .text(userID), .text(collection), .text(path.sql), .integer(limit), .integer(skippedCount),
    ]
    return try tx.query(
      Self.fieldStatement(isDescending: isDescending),
      values: head + key.values + [.text(cursor?.id ?? "")]
    ) { row in
      DocumentEntry(
        id: row.text(0),
        byteCount: row.integer(1),
        key: FieldKey(row, at: 2).value
      )
    }
  }

  /// The columns that documents are sorted by, each of one type, as not every engine compares values of several.
  private static let fieldColumns = """
    CASE json_type(json, ?3) WHEN 'integer' THEN 1 WHEN 'real' THEN 1 WHEN 'true' THEN 1
      WHEN 'false' THEN 1 WHEN 'text' THEN 2 ELSE 0 END AS kind,
    CASE json_type(json, ?3)
      WHEN 'integer' THEN CAST(json_extract(json, ?3) AS DOUBLE PRECISION)
      WHEN 'real' THEN CAST(json_extract(json, ?3) AS DOUBLE PRECISION)
      WHEN 'true' THEN CAST(1 AS DOUBLE PRECISION)
      ELSE CAST(0 AS DOUBLE PRECISION) END AS number,
    CASE json_type(json, ?3)
      WHEN 'text' THEN substr(CAST(json_extract(json, ?3) AS TEXT), 1, 100) ELSE '' END AS letters
    """

  private static func fieldStatement(isDescending: Bool) -> String {
    let (comparison, direction) = isDescending ? ("<", "DESC") : (">", "ASC")
    return """
      SELECT id, byte_count, kind, number, letters FROM (
        SELECT id, byte_count, \(fieldColumns) FROM document WHERE user_id = ?1 AND collection = ?2
      ) AS sorted
      WHERE kind \(comparison) ?6 OR (kind = ?6 AND (
        number \(comparison) ?7 OR (number = ?7 AND (
          letters \(comparison) ?8 OR (letters = ?8 AND id \(comparison) ?9)))))
      ORDER BY kind \(direction), number \(direction), letters \(direction), id \(direction)
      LIMIT ?4 OFFSET ?5
      """
  }
}
