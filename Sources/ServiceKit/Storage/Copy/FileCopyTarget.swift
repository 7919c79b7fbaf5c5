/// A new file that gets a copy of a store.
struct FileCopyTarget: StoreCopyTarget {
  let path: String
  let definition: StoreDefinition

  private static let cacheByteCount = 64 << 20

  func make(_ body: (any StoreCopyTables) throws(StoreError) -> Void) throws(StoreError) {
    guard StoreFile.byteCount(path) == nil else {
      throw .cannotOpen(path: path, detail: "it is there already: name a new file")
    }
    try NewStoreFile(path: path).write { partial throws(StoreError) in
      let file = try SQLiteConnection(
        path: partial,
        role: .writer,
        cacheByteCount: Self.cacheByteCount
      )
      file.leaveLogAtEnd(false)
      try StoreSchema(connection: file, applicationID: definition.applicationID)
        .migrate(definition.migrations)
      try fill(file, body)
      return file
    }
  }

  private func fill(
    _ file: SQLiteConnection,
    _ body: (any StoreCopyTables) throws(StoreError) -> Void
  ) throws(StoreError) {
    let triggers = try Trigger.all(in: file)
    try file.execute("BEGIN IMMEDIATE")
    // References are looked at by the commit, whatever the order of the rows.
    try file.execute("PRAGMA defer_foreign_keys = ON")
    for trigger in triggers { try file.execute("DROP TRIGGER \(trigger.name)") }
    for table in try CopiedTable.all(in: file) { try file.execute("DELETE FROM \(table.name)") }
    try body(FileCopyTables(file: file))
    for trigger in triggers { try file.execute(trigger.sql) }
    try file.execute("COMMIT")
  }

  /// A trigger of the schema, which would act upon rows that are copied.
  private struct Trigger {
    let name: String
    let sql: String

    static func all(in file: SQLiteConnection) throws(StoreError) -> [Trigger] {
      var triggers: [Trigger] = []
      try file.scan("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name") {
        triggers.append(Trigger(name: $0.text(0), sql: $0.text(1)))
      }
      return triggers
    }
  }
}

/// The tables of a new file.
private struct FileCopyTables: StoreCopyTables {
  let file: SQLiteConnection
  let wantsEveryRevision = true

  func fill(
    _ table: CopiedTable,
    _ rows: ((CopiedRow) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    let places = Placeholders.list(table.columns.count)
    let sql = "INSERT INTO \(table.name) (\(table.columnList)) VALUES (\(places))"
    try rows { row throws(StoreError) in try file.execute(sql, row.values) }
  }

  func continueKeys(of table: CopiedTable, after last: Int64) throws(StoreError) {
    guard last > 0 else { return }
    let isMadeByTable = try file.first(
      "SELECT 1 FROM sqlite_schema WHERE name = ? AND instr(sql, 'AUTOINCREMENT') > 0",
      [.text(table.name)]
    ) { _ in true }
    guard isMadeByTable == true else { return }
    try file.execute("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table.name)])
    try file.execute(
      "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
      [.text(table.name), .integer(last)]
    )
  }

  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    try file.scan(table.query, body)
  }

  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
    try file.execute(sql, values)
  }
}
