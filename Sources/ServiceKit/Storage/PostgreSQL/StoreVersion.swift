/// The version of the tables of a store on a server, and that of the oldest programs that may work on them.
struct StoreVersion: Hashable, Sendable {
  let tables: SchemaVersion
  let oldestProgram: SchemaVersion

  /// The versions of a store that has both.
  static func of(_ server: PostgresConnection) throws(StoreError) -> StoreVersion {
    let found = try server.first(
      """
      SELECT common_version, own_version, oldest_common, oldest_own
      FROM store_version, store_schema
      """
    ) { row in
      StoreVersion(
        tables: SchemaVersion(common: Int(row.integer(0)), own: Int(row.integer(1))),
        oldestProgram: SchemaVersion(common: Int(row.integer(2)), own: Int(row.integer(3)))
      )
    }
    guard let found else {
      throw .corrupt(path: server.path, detail: "its schema version is missing")
    }
    return found
  }

  /// The version that a program must have to begin to work on the store.
  ///
  /// A program that has steps of its own to apply must know all that were applied: its steps were never tried on tables
  /// that it does not know.
  func oldest(for program: SchemaVersion) -> SchemaVersion {
    tables.isOlder(than: program) ? tables : oldestProgram
  }
}
