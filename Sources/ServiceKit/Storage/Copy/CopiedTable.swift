/// A table of a store that is copied.
struct CopiedTable {
  /// The types of columns that stores have.
  enum Kind: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
  }

  struct Column {
    let name: String
    let kind: Kind
  }

  let name: String
  let columns: [Column]

  /// The columns as a statement lists them.
  var columnList: String { columns.map(\.name).joined(separator: ", ") }

  /// The statement that reads its rows.
  var query: String { "SELECT \(columnList) FROM \(name)" }

  /// Whether it is what watches follow.
  var isLogOfChanges: Bool { name == "change_log" }

  /// All tables of a store, by name.
  static func all(in connection: any StoreConnection) throws(StoreError) -> [CopiedTable] {
    var tables: [CopiedTable] = []
    let cursor = try connection.open(connection.catalog.columns, [], limit: .max)
    defer { cursor.close() }
    while try cursor.step() {
      let (table, column) = (cursor.text(0), cursor.text(1))
      guard let kind = Kind(rawValue: cursor.text(2)) else {
        throw .statement("the column \(column) of \(table) has a type that is not copied")
      }
      if tables.last?.name != table { tables.append(CopiedTable(name: table, columns: [])) }
      let known = tables.removeLast()
      let columns = known.columns + [Column(name: column, kind: kind)]
      tables.append(CopiedTable(name: table, columns: columns))
    }
    return tables
  }
}

/// One row of a table, with its values in the order of the columns.
struct CopiedRow {
  let values: [SQLValue]

  /// Reads the row on which a cursor stands.
  init(_ table: CopiedTable, _ cursor: any StoreCursor) throws(StoreError) {
    values = table.columns.enumerated().map { place, column in
      guard !cursor.isNull(place) else { return .null }
      return switch column.kind {
      case .integer: .integer(cursor.integer(place))
      case .text: .text(cursor.text(place))
      case .blob: .blob(cursor.blob(place))
      }
    }
    if let mismatch = cursor.mismatch { throw mismatch }
  }
}
