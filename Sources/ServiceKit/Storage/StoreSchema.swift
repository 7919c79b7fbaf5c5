/// Brings a file to the schema that the program knows.
struct StoreSchema {
  let connection: SQLiteConnection
  let applicationID: Int32

  /// The tables every service has, versioned apart from the service's own.
  ///
  /// `AUTOINCREMENT` keeps a revision from being given twice after the newest rows were purged.
  static let common: [Migration] = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE change_log (
          revision INTEGER PRIMARY KEY AUTOINCREMENT,
          recorded_at INTEGER NOT NULL,
          kind TEXT NOT NULL,
          subject TEXT NOT NULL,
          scope TEXT NOT NULL,
          payload BLOB NOT NULL
        );
        CREATE INDEX change_log_by_time ON change_log (recorded_at);
        CREATE TABLE audit_log (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          recorded_at INTEGER NOT NULL,
          actor TEXT NOT NULL,
          on_behalf_of TEXT,
          request_id TEXT NOT NULL,
          action TEXT NOT NULL,
          object TEXT NOT NULL,
          scope TEXT NOT NULL,
          outcome TEXT NOT NULL,
          before_digest BLOB,
          after_digest BLOB,
          detail TEXT NOT NULL
        );
        CREATE INDEX audit_log_by_object ON audit_log (object, sequence);
        CREATE INDEX audit_log_by_scope ON audit_log (scope, recorded_at);
        CREATE INDEX audit_log_by_actor ON audit_log (actor, sequence);
        CREATE TABLE idempotency_key (
          caller TEXT NOT NULL,
          key TEXT NOT NULL,
          request_digest BLOB NOT NULL,
          is_refusal INTEGER NOT NULL CHECK (is_refusal IN (0, 1)),
          response BLOB NOT NULL,
          recorded_at INTEGER NOT NULL,
          PRIMARY KEY (caller, key)
        ) WITHOUT ROWID;
        CREATE INDEX idempotency_key_by_time ON idempotency_key (recorded_at);
        """
    ),
    Migration(
      version: 2,
      sql: """
        CREATE TABLE retention_clock (
          place INTEGER PRIMARY KEY CHECK (place = 1),
          confirmed_at INTEGER NOT NULL,
          doubted_for INTEGER NOT NULL
        );
        """
    ),
    // Tells one store from all others, its copies excepted; never changes.
    Migration(
      version: 3,
      sql: """
        CREATE TABLE store_identity (id BLOB NOT NULL);
        INSERT INTO store_identity VALUES (randomblob(\(StoreMarker.storeIDByteCount)));
        """
    ),
    // For exports of accounts, which have what services did for a user.
    Migration(
      version: 4,
      sql: """
        CREATE INDEX audit_log_by_principal ON audit_log (on_behalf_of, sequence)
          WHERE on_behalf_of IS NOT NULL;
        """
    ),
    // News for other systems, by the number in which they are sent (docs/decisions/0227).
    Migration(
      version: 5,
      sql: """
        CREATE TABLE event (
          sequence INTEGER PRIMARY KEY AUTOINCREMENT,
          recorded_at INTEGER NOT NULL,
          type TEXT NOT NULL,
          object TEXT NOT NULL,
          scope TEXT NOT NULL,
          user_id TEXT NOT NULL,
          actor TEXT NOT NULL,
          request_id TEXT NOT NULL,
          data TEXT NOT NULL
        );
        CREATE INDEX event_by_time ON event (recorded_at);
        CREATE INDEX event_by_user ON event (user_id) WHERE user_id <> '';
        """
    ),
    // No statement is answered by it: the purge goes along the revisions, the oldest of which come first.
    Migration(version: 6, sql: "DROP INDEX change_log_by_time;"),
  ]

  /// The newest change that was ever logged, or 0: the log may have been emptied since.
  static let newestRevisionQuery = """
    SELECT coalesce(
      (SELECT max(revision) FROM change_log), (SELECT purged_revision FROM store_version))
    """

  /// The newest change that was ever logged, or 0.
  static func newestRevision(_ connection: any StoreConnection) throws(StoreError) -> Int64 {
    try connection.first(newestRevisionQuery) { $0.integer(0) } ?? 0
  }

  /// Refuses a file of another program, or of a newer one, before anything in it is changed.
  func inspect(_ migrations: [Migration]) throws(StoreError) {
    precondition(applicationID != 0, "an application id of 0 is the same as none")
    for (offset, migration) in migrations.enumerated() {
      precondition(migration.version == offset + 1, "migrations are numbered from 1, without gaps")
    }
    if try isNew() { return }
    let found = try foundApplicationID()
    let own = try ownVersion()
    guard found == Int64(applicationID) else {
      throw .foreignFile(path: connection.path, applicationID: Int32(clamping: found))
    }
    try refuseNewer(try commonVersion(), than: Self.common.count)
    try refuseNewer(own, than: migrations.count)
  }

  /// Whether nothing has been made in a file yet.
  func isNew() throws(StoreError) -> Bool {
    let tableCount = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
    let (found, own) = (try foundApplicationID(), try ownVersion())
    return found == 0 && tableCount == 0 && own == 0
  }

  /// Whether nothing is missing from an inspected file.
  func isNewest(_ migrations: [Migration]) throws(StoreError) -> Bool {
    let (common, own) = (try commonVersion(), try ownVersion())
    return common == Self.common.count && own == migrations.count
  }

  /// Applies what is missing to an inspected file; each step is one transaction.
  func migrate(_ migrations: [Migration]) throws(StoreError) {
    if try foundApplicationID() == 0 { try claim() }
    let common = try commonVersion()
    let own = try ownVersion()
    for migration in Self.common.dropFirst(common) {
      try apply(migration) { () throws(StoreError) in
        try connection.execute(
          "UPDATE store_version SET common_version = ?",
          [.integer(migration.version)]
        )
      }
    }
    for migration in migrations.dropFirst(own) {
      try apply(migration) { () throws(StoreError) in
        // A pragma takes no parameters; the number is ours.
        try connection.execute("PRAGMA user_version = \(migration.version)")
      }
    }
  }

  /// Which store it is; nil before its tables were made.
  func storeID() throws(StoreError) -> [UInt8]? {
    let isThere = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE name = 'store_identity'"
    ) { _ in true }
    guard isThere == true else { return nil }
    return try connection.first("SELECT id FROM store_identity") { $0.blob(0) }
  }

  /// Marks a new file as this service's.
  private func claim() throws(StoreError) {
    try inTransaction { () throws(StoreError) in
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute(
        """
        CREATE TABLE store_version (
          common_version INTEGER NOT NULL,
          purged_revision INTEGER NOT NULL
        )
        """
      )
      try connection.execute("INSERT INTO store_version VALUES (0, 0)")
    }
  }

  private func foundApplicationID() throws(StoreError) -> Int64 {
    try connection.first("PRAGMA application_id") { $0.integer(0) } ?? 0
  }

  private func commonVersion() throws(StoreError) -> Int {
    let version = try connection.first("SELECT common_version FROM store_version") { $0.integer(0) }
    guard let version else {
      throw .corrupt(path: connection.path, detail: "its schema version is missing")
    }
    return Int(version)
  }

  private func ownVersion() throws(StoreError) -> Int {
    Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
  }

  private func refuseNewer(_ version: Int, than known: Int) throws(StoreError) {
    guard version > known else { return }
    throw .newerSchema(path: connection.path, file: version, program: known)
  }

  private func apply(
    _ migration: Migration,
    remember: () throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try inTransaction { () throws(StoreError) in
        try connection.executeScript(migration.sql)
        precondition(connection.isInTransaction, "a migration must not end its transaction")
        let orphan = try connection.first("PRAGMA foreign_key_check") { $0.optionalText(0) ?? "?" }
        if let orphan { throw .constraint(.foreignKey, "rows of \(orphan) refer to nothing") }
        try remember()
      }
    } catch .unavailable(let reason) {
      throw .unavailable(reason)
    } catch {
      throw .migrationFailed(version: migration.version, detail: error.description)
    }
  }

  private func inTransaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try connection.execute("BEGIN IMMEDIATE")
    do throws(StoreError) {
      try body()
      try connection.execute("COMMIT")
    } catch {
      // Nothing to roll back when the disk's error has ended the transaction already.
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      throw error
    }
  }
}
