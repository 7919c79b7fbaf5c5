internal import CSQLite

/// One connection to a database file, with the statements it has compiled.
///
/// Confined to one thread: opened without SQLite's own locks, and not `Sendable`.
@safe
final class SQLiteConnection: StoreConnection {
  /// The role of a connection.
  enum Role {
    /// Writes and checkpoints: there is one.
    case writer
    /// Only reads, and never checkpoints: SQLite before 3.51.3 can lose a WAL reset when several
    /// connections checkpoint (sqlite.org/wal.html).
    case reader
  }

  var path: String { failures.path }
  /// Pages in the write-ahead log after the last commit.
  private(set) var logPageCount = 0
  private let failures: SQLiteFailures
  private let handle: OpaquePointer
  /// Goes after the connection is closed, because it holds the file's descriptor.
  private let seal: StoreSeal?
  private var statements: [StatementText: SQLiteStatement] = [:]

  /// How long a statement waits for another process; ours never wait for one another.
  private static let busyMilliseconds: Int32 = 1000

  /// How long a checkpoint waits for readers; every write waits along.
  private static let checkpointMilliseconds: Int32 = 50

  /// Statements kept compiled; a service has fewer, unless it builds SQL from parts.
  private static let statementCountMax = 512

  /// Has SQLite not count the memory that it uses, for which it takes a lock at each allocation
  /// (sqlite.org/c3ref/c_config_covering_index_scan.html, SQLITE_CONFIG_MEMSTATUS, 9).
  ///
  /// Once in a process and before its first connection; a host that has connections already keeps what
  /// it has.
  private static let isConfigured = CSQLite_config(9, 0) == SQLITE_OK

  /// Opens a file, which the writer also creates, and makes the connection strict.
  ///
  /// `fileSystem` is one that SQLite knows by that name; nil is its own. `seal` is kept for as long as
  /// the connection is open.
  init(
    path: String,
    role: Role,
    cacheByteCount: Int,
    fileSystem: String? = nil,
    seal: StoreSeal? = nil
  ) throws(StoreError) {
    failures = SQLiteFailures(path: path)
    self.seal = seal
    _ = Self.isConfigured
    var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    if role == .writer { flags |= SQLITE_OPEN_CREATE }
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(path, &opened, flags, fileSystem)
    guard result == SQLITE_OK, let handle = unsafe opened else {
      let error = unsafe SQLiteError(result, on: opened)
      unsafe sqlite3_close_v2(opened)
      throw .cannotOpen(path: path, detail: error.description)
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds)
    try setUp(role, cacheByteCount: cacheByteCount)
  }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  private func setUp(_ role: Role, cacheByteCount: Int) throws(StoreError) {
    // sqlite.org/security.html, "Untrusted SQLite Database Files"; the numbers are
    // SQLITE_DBCONFIG_DEFENSIVE, TRUSTED_SCHEMA, DQS_DML, DQS_DDL, and NO_CKPT_ON_CLOSE.
    for (option, value): (Int32, Int32) in [(1010, 1), (1017, 0), (1013, 0), (1014, 0)] {
      unsafe try check(CSQLite_db_config(handle, option, value))
    }
    // The writer moves the log itself when it is closed in order, and not when it could not start.
    leaveLogAtEnd(true)
    try execute("PRAGMA cell_size_check = ON")
    try execute("PRAGMA foreign_keys = ON")
    // What is deleted is overwritten. Debian's SQLite does that anyway, others do not.
    _ = try first("PRAGMA secure_delete = ON") { _ in }
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA cache_size = -\(cacheByteCount / 1024)")
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA wal_autocheckpoint = 0")
    if role == .reader { try execute("PRAGMA query_only = ON") }
  }

  /// Has the file written through a log, whose length is known after each commit.
  ///
  /// Only for the writer, and only once it is known that the file is ours: it changes the file.
  func startLog(byteCountKept: Int, pageCountMax: Int?) throws(StoreError) {
    // To its end, which commits the change of the header: the row comes before, whether that works or not.
    try execute("PRAGMA journal_mode = WAL")
    let mode = try first("PRAGMA journal_mode") { $0.text(0) }
    guard mode == "wal" else {
      throw .cannotOpen(path: path, detail: "no write-ahead log here (\(mode ?? "?"))")
    }
    _ = try first("PRAGMA journal_size_limit = \(byteCountKept)") { _ in }
    if let pageCountMax { _ = try first("PRAGMA max_page_count = \(pageCountMax)") { _ in } }
    // The connection outlives the hook: it ends with the handle, in `deinit`.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe sqlite3_wal_hook(
      handle,
      { context, _, _, pageCount in
        guard let context = unsafe context else { return SQLITE_OK }
        let connection = unsafe Unmanaged<SQLiteConnection>.fromOpaque(context)
        unsafe connection.takeUnretainedValue().logPageCount = Int(pageCount)
        return SQLITE_OK
      },
      context
    )
  }

  /// Has the connection end without moving the log into the file and deleting it, or with that
  /// (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE).
  func leaveLogAtEnd(_ isLeft: Bool) {
    let result = unsafe CSQLite_db_config(handle, 1006, isLeft ? 1 : 0)
    precondition(result == SQLITE_OK, "SQLite no longer knows SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE")
  }

  /// Whether a transaction is open; an error of the disk may have ended it.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The disk failed to confirm the last thing that was written to it.
  var hasFailedToSync: Bool {
    SQLiteError(unsafe sqlite3_extended_errcode(handle), "").isFailedSync
  }

  /// Lends the handle to the other wrappers of this folder.
  func withHandle<R>(_ body: (OpaquePointer) -> R) -> R { unsafe body(handle) }

  var catalog: StoreCatalog { .file }

  /// Never: a statement that failed is undone alone (sqlite.org/lang_transaction.html).
  var isPoisoned: Bool { false }

  /// The failure of the last statement; says why a transaction has ended by itself.
  var lastFailure: StoreError? { failures.last }

  /// Rows that were inserted, changed or deleted since the connection was opened, those included that
  /// were undone again (sqlite.org/c3ref/total_changes.html).
  var mark: Int64 { unsafe sqlite3_total_changes64(handle) }

  func hasChanged(since mark: Int64) -> Bool { self.mark != mark }

  /// Bytes in a page of the file.
  var pageByteCount: Int {
    get throws(StoreError) { Int(try first("PRAGMA page_size") { $0.integer(0) } ?? 4096) }
  }

  func beginReading() throws(StoreError) { try execute("BEGIN") }

  /// Runs one statement; the number of rows it inserted, changed or deleted, cascades included.
  @discardableResult
  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int {
    let statement = try borrow(sql)
    defer { statement.close() }
    try statement.bind(values)
    let before = mark
    while try statement.step() {}
    return Int(clamping: mark - before)
  }

  func insert(
    _ sql: String,
    _ values: [SQLValue],
    generating key: String
  ) throws(StoreError) -> Int64 {
    try execute(sql, values)
    return unsafe sqlite3_last_insert_rowid(handle)
  }

  func open(
    _ sql: String,
    _ values: [SQLValue],
    limit: Int
  ) throws(StoreError) -> any StoreCursor {
    let statement = try borrow(sql)
    do throws(StoreError) {
      try statement.bind(values)
    } catch {
      statement.close()
      throw error
    }
    return statement
  }

  /// Runs several statements, one after the other, without values.
  func executeScript(_ sql: String) throws(StoreError) {
    unsafe try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The outcome of a checkpoint.
  struct Checkpoint {
    /// Pages that the log held, or -1.
    var logPageCount: Int
    /// Pages of them that are in the database file now.
    var movedPageCount: Int
    /// Neither readers nor the disk kept it from moving everything.
    var isComplete: Bool
    /// The disk did what it was asked.
    var isSound: Bool
  }

  /// How much a checkpoint waits for.
  enum CheckpointMode {
    /// Moves what it can without waiting.
    case passive
    /// Waits a little for readers, so that the log starts again from its beginning.
    case restart
    /// As `restart`, and cuts the file to nothing.
    case truncate
  }

  /// Moves pages from the log into the database file.
  ///
  /// Only for the writer.
  func checkpoint(_ mode: CheckpointMode) -> Checkpoint {
    let number =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    unsafe sqlite3_busy_timeout(handle, Self.checkpointMilliseconds)
    defer { unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds) }
    var logged: Int32 = -1
    var moved: Int32 = -1
    let result = unsafe sqlite3_wal_checkpoint_v2(handle, nil, number, &logged, &moved)
    if result == SQLITE_OK, mode != .passive { logPageCount = 0 }
    return Checkpoint(
      logPageCount: Int(logged),
      movedPageCount: Int(moved),
      isComplete: result == SQLITE_OK && logged == moved,
      isSound: result == SQLITE_OK || result & 0xFF == SQLITE_BUSY
    )
  }

  private func check(_ result: Int32) throws(StoreError) {
    guard result != SQLITE_OK else { return }
    throw unsafe SQLiteError(result, on: handle).storeError(path: path)
  }

  /// A statement from the cache, or a new one while the cached one is in use further up.
  private func borrow(_ sql: String) throws(StoreError) -> SQLiteStatement {
    let text = StatementText(sql)
    let cached = statements[text]
    if let cached, !cached.isInUse {
      cached.isInUse = true
      return cached
    }
    let statement = try compile(sql)
    statement.isInUse = true
    if cached == nil {
      if statements.count >= Self.statementCountMax {
        statements = statements.filter(\.value.isInUse)
      }
      statements[text] = statement
    }
    return statement
  }

  private func compile(_ sql: String) throws(StoreError) -> SQLiteStatement {
    var text = sql
    let compiled: Result<SQLiteStatement, StoreError> = text.withUTF8 { bytes in
      guard let count = Int32(exactly: bytes.count), let start = bytes.baseAddress else {
        return .failure(.statement("a statement is empty or too long"))
      }
      return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let result = unsafe sqlite3_prepare_v3(
          handle,
          start,
          count,
          UInt32(SQLITE_PREPARE_PERSISTENT),
          &statement,
          &tail
        )
        guard result == SQLITE_OK, let statement = unsafe statement else {
          let error = unsafe SQLiteError(result, on: handle).storeError(path: path)
          return .failure(result == SQLITE_OK ? .statement("nothing to do: \(sql)") : error)
        }
        let owner = unsafe SQLiteStatement(
          owning: statement,
          of: handle,
          sql: sql,
          failures: failures
        )
        // What follows a semicolon would silently not run.
        let consumed = unsafe tail.map { unsafe $0 - start } ?? bytes.count
        let rest = unsafe bytes[consumed...]
        let isBlank = unsafe rest.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x3B }
        return isBlank ? .success(owner) : .failure(.statement("two statements in one: \(sql)"))
      }
    }
    return try compiled.get()
  }
}
