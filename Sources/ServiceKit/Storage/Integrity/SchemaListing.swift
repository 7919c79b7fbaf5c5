/// The tables, indexes and triggers of a file, as they were declared.
package struct SchemaListing: Equatable {
  private var declarations: [String: String] = [:]

  /// Reads what a file declares.
  init(_ connection: SQLiteConnection) throws(StoreError) {
    let rows: [(name: String, sql: String)]
    do {
      rows = try connection.query(
        "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
      ) { ($0.text(0), $0.text(1)) }
    } catch let error as StoreError {
      throw error
    } catch {
      preconditionFailure("a query of the schema threw \(error)")
    }
    for row in rows { declarations[row.name] = row.sql }
  }

  /// The digest of the schema that a program's migrations make, for `DatabaseConfiguration.schemaDigest`.
  package static func digest(of migrations: [Migration]) throws(StoreError) -> String {
    try expected(migrations).digest
  }

  /// SHA-256 of all declarations in the order of their names, in base64url.
  var digest: String {
    var bytes: [UInt8] = []
    for (name, sql) in declarations.sorted(by: { $0.key < $1.key }) {
      bytes += Array(name.utf8) + [0] + Array(sql.utf8) + [0]
    }
    return Base64URL.encode(Digests.sha256(bytes))
  }

  /// The schema that a program's migrations make of an empty file.
  static func expected(_ migrations: [Migration]) throws(StoreError) -> SchemaListing {
    let connection = try SQLiteConnection(path: ":memory:", role: .writer, cacheByteCount: 1 << 20)
    try StoreSchema(connection: connection, applicationID: 1).migrate(migrations)
    return try SchemaListing(connection)
  }

  /// Throws `corrupt` at the first difference.
  func check(against expected: SchemaListing, path: String) throws(StoreError) {
    if let finding = finding(against: expected) { throw .corrupt(path: path, detail: finding) }
  }

  /// The first difference, for people.
  func finding(against expected: SchemaListing) -> String? {
    for name in Set(declarations.keys).union(expected.declarations.keys).sorted() {
      switch (declarations[name], expected.declarations[name]) {
      case (nil, _): return "its schema lacks the \(name)"
      case (_, nil): return "its schema has a \(name) that this program did not make"
      case (let found, let made) where found != made:
        return "its schema declares the \(name) differently than this program"
      default: continue
      }
    }
    return nil
  }
}
