/// One list of an account's export: which rows of the store belong to a user, and which columns it exports.
///
/// Rows are read by keyset, in the order of `keys`, so that no list has to fit into memory and each export
/// of an unchanged store is the same.
package struct ExportSection: Sendable {
  /// A column that rows are ordered by; together they are unique and never NULL.
  package enum Key: Hashable, Sendable {
    case integer(String)
    case text(String)
    case blob(String)

    var column: String {
      switch self {
      case .integer(let column), .text(let column), .blob(let column): column
      }
    }

    /// Before all others: no text and no blob is empty where rows are ordered by it.
    var start: SQLValue {
      switch self {
      case .integer: .integer(Int64.min)
      case .text: .text("")
      case .blob: .blob([])
      }
    }

    func value(_ column: Int, of row: borrowing Row) -> SQLValue {
      switch self {
      case .integer: .integer(row.integer(column))
      case .text: .text(row.text(column))
      case .blob: .blob(row.blob(column))
      }
    }
  }

  /// The name of the list.
  package let name: String
  /// The table that the rows are of.
  package let table: String
  /// The columns of each record.
  package let columns: [ExportColumn]
  private let keys: [Key]
  private let rowCountMax: Int
  private let sql: String

  /// Rows that are read at a time where nothing else is said.
  package static let rowCountStandard = 200

  /// Makes a section.
  ///
  /// - Parameters:
  ///   - name: What the list is called.
  ///   - table: The table that the rows are of.
  ///   - rows: What to select from, where that is more than the table. May use the parameters of
  ///     `condition`, `?3` for how many rows are wanted, and `?4` and so on for the keys of the last one.
  ///   - condition: Which rows are the user's: `?1` is its identifier, `?2` its verified address as
  ///     addresses are compared, or empty.
  ///   - keys: What rows are ordered by.
  ///   - rowCountMax: Rows that are read at a time; few of those that can be large.
  ///   - columns: What each record tells.
  package init(
    _ name: String,
    of table: String,
    from rows: String? = nil,
    where condition: String,
    by keys: [Key],
    rowCountMax: Int = ExportSection.rowCountStandard,
    _ columns: [ExportColumn]
  ) {
    (self.name, self.table, self.columns) = (name, table, columns)
    (self.keys, self.rowCountMax) = (keys, rowCountMax)
    let expressions =
      columns.map { $0.expression ?? "\(table).\($0.name)" } + keys.map(\.column)
    let names = keys.map(\.column).joined(separator: ", ")
    let values = keys.indices.map { "?\($0 + 4)" }.joined(separator: ", ")
    sql = """
      SELECT \(expressions.joined(separator: ", ")) FROM \(rows ?? table)
      WHERE (\(condition)) AND (\(names)) > (\(values)) ORDER BY \(names) LIMIT ?3
      """
  }

  /// The columns of tables that it tells: `table.column`.
  package var sources: Set<String> {
    Set(columns.map { $0.source ?? "\(table).\($0.name)" })
  }

  /// A page of records, and where the next one begins.
  struct Page: Sendable {
    var records: [String]
    /// Nil at the end.
    var next: [SQLValue]?
  }

  /// Before the first row.
  var start: [SQLValue] { keys.map(\.start) }

  /// The records after a place.
  func page(
    of subject: ExportSubject,
    after place: [SQLValue],
    in tx: borrowing some Queryable
  ) throws -> Page {
    var last: [SQLValue] = []
    let records = try tx.query(
      sql,
      values: [.text(subject.userID), .text(subject.emailKey), .integer(rowCountMax)] + place
    ) { row in
      last = []
      for (place, key) in keys.enumerated() {
        last.append(key.value(columns.count + place, of: row))
      }
      return ExportRecord.text(of: row, columns, subject)
    }
    return Page(records: records, next: records.count == rowCountMax ? last : nil)
  }
}

/// The user whose account is exported.
package struct ExportSubject: Hashable, Sendable {
  /// The user.
  package let userID: String
  /// The user's verified address, as addresses are compared; empty without one.
  package let emailKey: String

  /// Names a user; an address that was not verified is nobody's.
  package init(userID: String, verifiedEmail: String) {
    self.userID = userID
    emailKey = EmailAddress(verifiedEmail).key
  }
}
