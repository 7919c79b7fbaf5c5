/// Brings a schema of a server to the tables that the program knows.
///
/// The table `store_schema` says which service's store it is and how far it has come, as the header of a file does, and
/// which programs may work on it (docs/decisions/0241).
struct PostgresSchema {
  let connection: PostgresConnection
  let applicationID: Int32
  /// Whether a store that is made gets rows in the place of advisory locks.
  var turnsAreByRows = false

  /// Makes an empty store, or applies what is missing to an older one; each in one transaction.
  ///
  /// A newer one on which this program may work stays as it is. Throws `foreignFile`, `newerSchema`,
  /// `migrationFailed`.
  func bringUp(_ migrations: [Migration]) throws(StoreError) {
    guard try connection.hasTable("store_schema") else { return try makeEmpty(migrations) }
    let found = try inspect(migrations)
    try refuseMoved()
    guard !SchemaVersion(migrations).isOlder(than: found.tables) else { return }
    try addOldestProgram()
    try migrate(migrations, from: found.tables)
  }

  private func makeEmpty(_ migrations: [Migration]) throws(StoreError) {
    try make(migrations) { store throws(StoreError) in
      for row in store.rows { try connection.execute(row.sql, row.values) }
      for sequence in store.sequences { try connection.run(sequence) }
    }
  }

  /// Throws for a store of another service, or of another age than the program.
  func requireNewest(_ migrations: [Migration]) throws(StoreError) {
    guard try connection.hasTable("store_schema") else {
      throw .cannotOpen(
        path: connection.path,
        detail: "there is no store; the next start creates one"
      )
    }
    try requireService()
    let (found, known) = (try SchemaVersion.of(connection), SchemaVersion(migrations))
    try refuse(known, below: found, of: found)
    guard found == known else {
      throw .cannotOpen(
        path: connection.path,
        detail: "its schema is older than this program, which migrates it at the next start"
      )
    }
  }

  private func requireEmpty() throws(StoreError) {
    let count = try connection.first(
      "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename <> ?",
      [.text(TurnRows.tableName)]
    ) { $0.integer(0) }
    guard count != 0 else { return }
    throw .cannotOpen(
      path: connection.path,
      detail: "the schema has tables of something else: a store wants one of its own"
    )
  }

  /// How far the store has come; throws for one of another service, or on which this program may not work.
  private func inspect(_ migrations: [Migration]) throws(StoreError) -> StoreVersion {
    try requireService()
    let (found, known) = (try version(), SchemaVersion(migrations))
    try refuse(known, below: found.oldest(for: known), of: found.tables)
    return found
  }

  private func requireService() throws(StoreError) {
    let found = try connection.first("SELECT application_id FROM store_schema") { $0.integer(0) }
    guard found == Int64(applicationID) else {
      throw .foreignFile(path: connection.path, applicationID: Int32(clamping: found ?? 0))
    }
  }

  private func refuseMoved() throws(StoreError) {
    guard let target = try PostgresMove(connection).target else { return }
    throw .moved(path: connection.path, to: target)
  }

  private func refuse(
    _ known: SchemaVersion,
    below oldest: SchemaVersion,
    of tables: SchemaVersion
  ) throws(StoreError) {
    let path = connection.path
    if known.common < oldest.common {
      throw .newerSchema(path: path, file: tables.common, program: known.common)
    }
    if known.own < oldest.own {
      throw .newerSchema(path: path, file: tables.own, program: known.own)
    }
  }

  /// The versions of the store; a program has to know all tables of one that says nothing of older programs.
  private func version() throws(StoreError) -> StoreVersion {
    if try hasOldestProgram() { return try StoreVersion.of(connection) }
    let tables = try SchemaVersion.of(connection)
    return StoreVersion(tables: tables, oldestProgram: tables)
  }

  private func hasOldestProgram() throws(StoreError) -> Bool {
    let count = try connection.first(
      """
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = CAST('store_schema' AS regclass) AND attname = 'oldest_own'
        AND NOT attisdropped
      """
    ) { $0.integer(0) }
    return count == 1
  }

  /// Adds what a store lacks that was made before programs could work beside newer ones.
  ///
  /// No migration, which would stop the programs of before: they do not look at these columns.
  private func addOldestProgram() throws(StoreError) {
    guard try !hasOldestProgram() else { return }
    try inTransaction { () throws(StoreError) in
      try connection.run(
        """
        ALTER TABLE store_schema ADD COLUMN oldest_common bigint, ADD COLUMN oldest_own bigint;
        UPDATE store_schema SET oldest_own = own_version,
          oldest_common = (SELECT common_version FROM store_version);
        ALTER TABLE store_schema ALTER COLUMN oldest_common SET NOT NULL,
          ALTER COLUMN oldest_own SET NOT NULL
        """
      )
    }
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
      if turnsAreByRows { try connection.run(TurnRows.rowsOfStore) }
      try claim(migrations)
    }
  }

  /// Marks the store as this service's, with its versions.
  private func claim(_ migrations: [Migration]) throws(StoreError) {
    try connection.run(
      """
      CREATE TABLE store_schema (
        application_id bigint NOT NULL,
        own_version bigint NOT NULL,
        oldest_common bigint NOT NULL,
        oldest_own bigint NOT NULL
      )
      """
    )
    let oldest = SchemaVersion.oldest(for: migrations)
    try connection.execute(
      """
      INSERT INTO store_schema (application_id, own_version, oldest_common, oldest_own)
      VALUES (?, ?, ?, ?)
      """,
      [
        .integer(Int64(applicationID)), .integer(migrations.count), .integer(oldest.common),
        .integer(oldest.own),
      ]
    )
  }

  /// The statements that remember a step.
  private struct Record {
    let version: String
    /// For a step that programs have to know.
    let oldestProgram: String

    static let common = Record(
      version: "UPDATE store_version SET common_version = ?",
      oldestProgram: "UPDATE store_schema SET oldest_common = ?"
    )
    static let own = Record(
      version: "UPDATE store_schema SET own_version = ?",
      oldestProgram: "UPDATE store_schema SET oldest_own = ?"
    )
  }

  private func migrate(
    _ migrations: [Migration],
    from found: SchemaVersion
  ) throws(StoreError) {
    for migration in StoreSchema.common.dropFirst(found.common) {
      try apply(migration, .common)
    }
    for migration in migrations.dropFirst(found.own) { try apply(migration, .own) }
  }

  private func apply(_ migration: Migration, _ record: Record) throws(StoreError) {
    do throws(StoreError) {
      try inTransaction { () throws(StoreError) in
        for statement in SchemaTranslation.statements(of: migration.sql) {
          try connection.run(SchemaTranslation.translate(statement))
        }
        if let triggers = migration.postgresTriggers { try connection.run(triggers) }
        try connection.execute(record.version, [.integer(migration.version)])
        if !migration.keepsOlderPrograms {
          try connection.execute(record.oldestProgram, [.integer(migration.version)])
        }
      }
    } catch .unavailable(let reason) {
      throw .unavailable(reason)
    } catch .conflict(let reason) {
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

extension PostgresConnection {
  /// Whether the schema of the store has a table.
  func hasTable(_ name: String) throws(StoreError) -> Bool {
    let count = try first(
      "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?",
      [.text(name)]
    ) { $0.integer(0) }
    return count == 1
  }
}
