/// A store in a file that is copied, beside a service that may have it open.
struct FileCopySource: StoreCopySource {
  var connection: any StoreConnection { file }
  let hasEveryRevision = true
  private let file: SQLiteConnection
  private let move: FileMove

  private static let cacheByteCount = 8 << 20
  /// How often the write under way is waited for, a second each time.
  private static let attemptCount = 30

  init(_ path: String, _ definition: StoreDefinition) throws(StoreError) {
    let path = try StoreFile.canonical(path)
    guard StoreFile.byteCount(path) != nil else {
      throw .cannotOpen(path: path, detail: "there is no store")
    }
    move = FileMove(of: path)
    file = try SQLiteConnection(path: path, role: .reader, cacheByteCount: Self.cacheByteCount)
    let schema = StoreSchema(connection: file, applicationID: definition.applicationID)
    try schema.inspect(definition.migrations)
    guard try schema.isNewest(definition.migrations) else {
      throw .cannotOpen(
        path: path,
        detail: "its schema is older than this program, which migrates it when it serves"
      )
    }
  }

  func freeze(for target: String) throws(StoreError) {
    try move.refuse()
    try move.mark(for: target)
    do throws(StoreError) {
      try awaitWriter()
      try file.beginReading()
    } catch {
      _ = try? move.unmark()
      throw error
    }
  }

  /// Waits for the transaction that may have begun before the file was marked.
  private func awaitWriter() throws(StoreError) {
    // Takes SQLite's lock for writing and writes nothing.
    try file.execute("PRAGMA query_only = OFF")
    for attempt in 1...Self.attemptCount {
      do throws(StoreError) {
        try file.execute("BEGIN IMMEDIATE")
        break
      } catch  where attempt < Self.attemptCount {
        // SQLite has waited for its busy timeout.
      }
    }
    try file.execute("ROLLBACK")
    try file.execute("PRAGMA query_only = ON")
  }

  func resume() throws(StoreError) -> Bool {
    if file.isInTransaction { try file.execute("ROLLBACK") }
    return try move.unmark()
  }

  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    try file.scan(table.query, body)
  }

  func lastKey(of table: CopiedTable) throws(StoreError) -> Int64 {
    try file.first(
      "SELECT seq FROM sqlite_sequence WHERE name = ?",
      [.text(table.name)]
    ) { $0.integer(0) } ?? 0
  }
}

extension SQLiteConnection {
  /// Hands over the rows of a query, one after the other.
  func scan(
    _ sql: String,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    let cursor = try open(sql, [], limit: .max)
    defer { cursor.close() }
    while try cursor.step() { try body(cursor) }
  }
}
