/// The tables and first rows to which all migrations of a service lead.
///
/// SQLite makes them in memory, from which they are read: so a new store on a server has what an empty file has,
/// although the steps on the way are written for SQLite alone.
struct EmptyStore {
  /// A row to insert.
  struct InitialRow {
    let sql: String
    let values: [SQLValue]
  }

  /// The names of the tables, each after those that it refers to.
  let tableNames: [String]
  /// The tables, in this order.
  let tables: [String]
  let indexes: [String]
  let rows: [InitialRow]
  /// Statements that have generated keys continue behind those of `rows`.
  let sequences: [String]

  init(_ migrations: [Migration]) throws(StoreError) {
    let file = try SQLiteConnection(path: ":memory:", role: .writer, cacheByteCount: 1 << 20)
    try StoreSchema(connection: file, applicationID: 1).migrate(migrations)
    let tables = try DeclaredTable.all(in: file)
    let indexes = try file.listed(
      """
      SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name
      """
    ) { $0.text(0) }
    tableNames = tables.map(\.name)
    self.tables = tables.map { SchemaTranslation.translate($0.sql) }
    self.indexes = indexes.map(SchemaTranslation.translate)
    var rows: [InitialRow] = []
    var sequences: [String] = []
    for table in tables {
      let found = try table.rows(in: file)
      rows += found
      if !found.isEmpty, let key = table.generatedKey {
        sequences.append(
          """
          SELECT setval(pg_get_serial_sequence('\(table.name)', '\(key)'), max(\(key)))
          FROM \(table.name)
          """
        )
      }
    }
    (self.rows, self.sequences) = (rows, sequences)
  }
}

/// A table as a file declares it.
private struct DeclaredTable {
  let name: String
  let sql: String

  /// All tables, each after those that it refers to.
  static func all(in file: SQLiteConnection) throws(StoreError) -> [DeclaredTable] {
    var waiting = try file.listed(
      """
      SELECT name, sql FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
      """
    ) { DeclaredTable(name: $0.text(0), sql: $0.text(1)) }
    var ordered: [DeclaredTable] = []
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.name))
      let next = waiting.filter { $0.references.subtracting([$0.name]).isDisjoint(with: names) }
      precondition(!next.isEmpty, "tables refer to one another in a circle")
      ordered += next
      waiting.removeAll { table in next.contains { $0.name == table.name } }
    }
    return ordered
  }

  /// The tables that it refers to.
  private var references: Set<String> {
    let words = SQLToken.all(in: sql).compactMap(\.name)
    var names: Set<String> = []
    for (word, next) in zip(words, words.dropFirst()) where word == "REFERENCES" {
      names.insert(next)
    }
    return names
  }

  /// The column whose value the engine makes; nil without one.
  var generatedKey: String? {
    let words = SQLToken.all(in: sql).compactMap(\.name)
    for place in words.indices.dropFirst().dropLast(2)
    where words[place] == "INTEGER" && words[place + 1] == "PRIMARY" {
      return words[place - 1]
    }
    return nil
  }

  /// Its rows, as statements that insert them.
  func rows(in file: SQLiteConnection) throws(StoreError) -> [EmptyStore.InitialRow] {
    let columns = try file.listed(
      "SELECT name FROM pragma_table_info('\(name)') ORDER BY cid"
    ) { $0.text(0) }
    let list = columns.joined(separator: ", ")
    let types = columns.map { "typeof(\($0))" }.joined(separator: ", ")
    let sql = "INSERT INTO \(name) (\(list)) VALUES (\(Placeholders.list(columns.count)))"
    return try file.listed("SELECT \(list), \(types) FROM \(name)") { row in
      let values = columns.indices.map { column -> SQLValue in
        switch row.text(columns.count + column) {
        case "integer": .integer(row.integer(column))
        case "real": .real(row.real(column))
        case "text": .text(row.text(column))
        case "blob": .blob(row.blob(column))
        default: .null
        }
      }
      return EmptyStore.InitialRow(sql: sql, values: values)
    }
  }
}

extension SQLiteConnection {
  /// As `query`, for bodies that do not throw.
  fileprivate func listed<T>(
    _ sql: String,
    _ body: (borrowing Row) -> T
  ) throws(StoreError) -> [T] {
    do {
      return try query(sql) { body($0) }
    } catch let error as StoreError {
      throw error
    } catch {
      preconditionFailure("a query whose body does not throw threw \(error)")
    }
  }
}
