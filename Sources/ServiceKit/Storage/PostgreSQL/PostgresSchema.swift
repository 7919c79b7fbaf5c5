/// How many migrations have made the tables of a store, or are known to a program: those that all services have, and the
/// service's own.
struct SchemaVersion: Hashable, Sendable {
  let common: Int
  let own: Int

  /// The version that this program knows.
  init(_ migrations: [Migration]) {
    (common, own) = (StoreSchema.common.count, migrations.count)
  }

  private init(common: Int, own: Int) { (self.common, self.own) = (common, own) }

  /// The version of the store on a server.
  static func of(_ server: PostgresConnection) throws(StoreError) -> SchemaVersion {
    let found = try server.first(
      "SELECT common_version, own_version FROM store_version, store_schema"
    ) { SchemaVersion(common: Int($0.integer(0)), own: Int($0.integer(1))) }
    guard let found else {
      throw .corrupt(path: server.path, detail: "its schema version is missing")
    }
    return found
  }

  /// Whether a newer program has changed the tables since.
  func isOlder(than other: SchemaVersion) -> Bool { common < other.common || own < other.own }

  /// A statement that fails on a store which is newer.
  ///
  /// It travels with those that begin a transaction, whose rows nobody reads, so it says no by an error.
  var guarding: String {
    """
    SELECT 1 / CAST(common_version <= \(common) AND own_version <= \(own) AS integer)
      FROM store_version, store_schema
    """
  }
}

/// Brings a schema of a server to the tables that the program knows.
///
/// The table `store_schema` says which service's store it is and how far it has come, as the header of a file does.
struct PostgresSchema {
  let connection: PostgresConnection
  let applicationID: Int32

  /// Makes an empty store, or applies what is missing to an older one; each in one transaction.
  ///
  /// Throws `foreignFile`, `newerSchema`, `migrationFailed`.
  func bringUp(_ migrations: [Migration]) throws(StoreError) {
    if try hasTable("store_schema") {
      try inspect(migrations)
      try refuseMoved()
      try migrate(migrations)
    } else {
      try make(migrations) { store throws(StoreError) in
        for row in store.rows { try connection.execute(row.sql, row.values) }
        for sequence in store.sequences { try connection.run(sequence) }
      }
    }
  }

  /// Throws for a store of another service, or of another age than the program.
  func requireNewest(_ migrations: [Migration]) throws(StoreError) {
    guard try hasTable("store_schema") else {
      throw .cannotOpen(
        path: connection.path,
        detail: "there is no store; the next start creates one"
      )
    }
    try inspect(migrations)
    let isNewest = try commonVersion() == StoreSchema.common.count
    guard isNewest, try ownVersion() == migrations.count else {
      throw .cannotOpen(
        path: connection.path,
        detail: "its schema is older than this program, which migrates it at the next start"
      )
    }
  }

  private func hasTable(_ name: String) throws(StoreError) -> Bool {
    let count = try connection.first(
      "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?",
      [.text(name)]
    ) { $0.integer(0) }
    return count == 1
  }

  private func requireEmpty() throws(StoreError) {
    let count = try connection.first(
      "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"
    ) { $0.integer(0) }
    guard count != 0 else { return }
    throw .cannotOpen(
      path: connection.path,
      detail: "the schema has tables of something else: a store wants one of its own"
    )
  }

  private func inspect(_ migrations: [Migration]) throws(StoreError) {
    let found = try connection.first("SELECT application_id FROM store_schema") { $0.integer(0) }
    guard found == Int64(applicationID) else {
      throw .foreignFile(path: connection.path, applicationID: Int32(clamping: found ?? 0))
    }
    try refuseNewer(try commonVersion(), than: StoreSchema.common.count)
    try refuseNewer(try ownVersion(), than: migrations.count)
  }

  private func refuseMoved() throws(StoreError) {
    guard let target = try PostgresMove(connection).target else { return }
    throw .moved(path: connection.path, to: target)
  }

  private func refuseNewer(_ version: Int, than known: Int) throws(StoreError) {
    guard version > known else { return }
    throw .newerSchema(path: connection.path, file: version, program: known)
  }

  private func commonVersion() throws(StoreError) -> Int {
    try version("SELECT common_version FROM store_version")
  }

  private func ownVersion() throws(StoreError) -> Int {
    try version("SELECT own_version FROM store_schema")
  }

  private func version(_ sql: String) throws(StoreError) -> Int {
    guard let version = try connection.first(sql, [], { $0.integer(0) }) else {
      throw .corrupt(path: connection.path, detail: "its schema version is missing")
    }
    return Int(version)
  }

  /// Makes a store in a schema that has no table, with the rows that `fill` inserts, in one transaction.
  ///
  /// Indexes and triggers come after the rows.
  func make(
    _ migrations: [Migration],
    filling fill: (EmptyStore) throws(StoreError) -> Void
  ) throws(StoreError) {
    try requireEmpty()
    let store = try EmptyStore(migrations)
    try inTransaction { () throws(StoreError) in
      try connection.run(PostgresFunctions.declarations)
      try connection.run(store.tables.joined(separator: ";\n"))
      try fill(store)
      try connection.run(store.indexes.joined(separator: ";\n"))
      for trigger in (StoreSchema.common + migrations).compactMap(\.postgresTriggers) {
        try connection.run(trigger)
      }
      try connection.run(
        "CREATE TABLE store_schema (application_id bigint NOT NULL, own_version bigint NOT NULL)"
      )
      try connection.execute(
        "INSERT INTO store_schema VALUES (?, ?)",
        [.integer(Int64(applicationID)), .integer(migrations.count)]
      )
    }
  }

  private func migrate(_ migrations: [Migration]) throws(StoreError) {
    for migration in StoreSchema.common.dropFirst(try commonVersion()) {
      try apply(migration, "UPDATE store_version SET common_version = ?")
    }
    for migration in migrations.dropFirst(try ownVersion()) {
      try apply(migration, "UPDATE store_schema SET own_version = ?")
    }
  }

  private func apply(_ migration: Migration, _ remember: String) throws(StoreError) {
    do throws(StoreError) {
      try inTransaction { () throws(StoreError) in
        for statement in SchemaTranslation.statements(of: migration.sql) {
          try connection.run(SchemaTranslation.translate(statement))
        }
        if let triggers = migration.postgresTriggers { try connection.run(triggers) }
        try connection.execute(remember, [.integer(migration.version)])
      }
    } catch .unavailable(let reason) {
      throw .unavailable(reason)
    } catch {
      throw .migrationFailed(version: migration.version, detail: error.description)
    }
  }

  private func inTransaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try connection.run("BEGIN")
    do throws(StoreError) {
      try body()
      try connection.run("COMMIT")
    } catch {
      if connection.isInTransaction { try connection.run("ROLLBACK") }
      throw error
    }
  }
}
