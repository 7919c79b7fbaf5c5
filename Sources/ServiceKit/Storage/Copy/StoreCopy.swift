extension Database {
  /// Copies a store to a place where none is yet, of either engine, and leaves the source for reading alone.
  ///
  /// A service may have the source open: its reads go on, and its writes are refused from the beginning on, so that
  /// the copy has everything that was ever confirmed. Rows are compared table by table, by their number and a digest,
  /// before the copy counts. If that fails, nothing remains of the copy and the source takes writes again; if the
  /// process dies, the source goes on refusing them until `resume`. `progress` gets a line for each table.
  ///
  /// Throws `StoreError`: `moved` for a source that was copied before, `cannotOpen` for one with another schema than
  /// this program's and for a target that is not empty, `unstorable` for a text that PostgreSQL cannot keep.
  public static func copy(
    _ source: StorePlace,
    to target: StorePlace,
    _ definition: StoreDefinition,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(StoreError) {
    guard source != target else {
      throw .cannotOpen(path: target.path, detail: "a store cannot be copied onto itself")
    }
    try await StoreThread.result(name: "store-copy") { () throws(StoreError) in
      try StoreCopy(
        source: try source.copySource(definition),
        target: target.copyTarget(definition),
        tableNames: try EmptyStore(definition.migrations).tableNames,
        progress: progress
      ).run()
    }
  }

  /// Has a store take writes again that was copied elsewhere.
  ///
  /// From then on the two are different stores. A program that has it open goes on at once; false when the store took
  /// writes anyway.
  public static func resume(
    _ place: StorePlace,
    _ definition: StoreDefinition
  ) async throws(StoreError) -> Bool {
    try await StoreThread.result(name: "store-resume") { () throws(StoreError) in
      try place.copySource(definition).resume()
    }
  }
}

/// A store to be copied.
protocol StoreCopySource {
  /// The connection that reads it.
  var connection: any StoreConnection { get }

  /// Refuses writes from now on, waits for the one under way, and begins a transaction of one snapshot after it.
  func freeze(for target: String) throws(StoreError)

  /// Takes writes again; false when it did anyway.
  func resume() throws(StoreError) -> Bool

  /// Hands over the rows of a table, each as a cursor that stands on it.
  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError)

  /// The last value that the engine has made for the key of a table, 0 before the first.
  func lastKey(of table: CopiedTable) throws(StoreError) -> Int64

  /// Whether its log of changes has every number, so that it can be continued in a file.
  var hasEveryRevision: Bool { get }
}

/// A place that gets a copy.
protocol StoreCopyTarget {
  /// The place in messages.
  var path: String { get }

  /// Makes an empty store, has `body` fill its tables, and keeps it only if that succeeds.
  func make(_ body: (any StoreCopyTables) throws(StoreError) -> Void) throws(StoreError)
}

/// The tables of a store that is being made.
protocol StoreCopyTables {
  /// Whether its log of changes has to have every number.
  var wantsEveryRevision: Bool { get }

  /// Adds rows: `rows` gets a body to be called for each.
  func fill(
    _ table: CopiedTable,
    _ rows: ((CopiedRow) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError)

  /// Has generated keys continue after a value.
  func continueKeys(of table: CopiedTable, after last: Int64) throws(StoreError)

  /// Hands over the rows of a table as they are now.
  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError)

  /// Runs a statement.
  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError)
}

/// One copy of a store.
struct StoreCopy {
  let source: any StoreCopySource
  let target: any StoreCopyTarget
  /// Each after those that it refers to.
  let tableNames: [String]
  let progress: (String) -> Void

  /// Rows after which a table that is being copied is mentioned.
  private static let progressCount = 1_000_000

  func run() throws(StoreError) {
    try source.freeze(for: target.path)
    progress("\(source.connection.path) takes no more writes")
    do throws(StoreError) {
      let tables = try CopiedTable.all(in: source.connection)
      guard Set(tables.map(\.name)) == Set(tableNames) else {
        throw .corrupt(path: source.connection.path, detail: "it has other tables than it should")
      }
      try target.make { made throws(StoreError) in
        let leavesOutChanges = made.wantsEveryRevision && !source.hasEveryRevision
        for name in tableNames {
          for table in tables where table.name == name {
            if leavesOutChanges, table.isLogOfChanges { continue }
            try copy(table, to: made)
          }
        }
        if leavesOutChanges { try beginLogOfChanges(tables, in: made) }
      }
    } catch {
      _ = try? source.resume()
      throw error
    }
  }

  private func copy(_ table: CopiedTable, to made: any StoreCopyTables) throws(StoreError) {
    var copied = TableDigest()
    try made.fill(table) { add throws(StoreError) in
      try source.rows(of: table) { cursor throws(StoreError) in
        let row = try CopiedRow(table, cursor)
        copied.add(row)
        try add(row)
        if copied.count.isMultiple(of: Self.progressCount) {
          progress("\(table.name): \(copied.count) rows so far")
        }
      }
    }
    try made.continueKeys(of: table, after: try source.lastKey(of: table))
    var found = TableDigest()
    try made.rows(of: table) { cursor throws(StoreError) in
      found.add(try CopiedRow(table, cursor))
    }
    guard copied == found else {
      throw .corrupt(
        path: target.path,
        detail: "the copy of the table \(table.name) has other rows than it had"
      )
    }
    progress("\(table.name): \(copied.count) rows, digest \(copied.text)")
  }

  /// Has the copy begin with an empty log of changes.
  ///
  /// On a server, numbers of what was undone are left out, and in a file a number that is missing is damage. Watches
  /// read everything again.
  private func beginLogOfChanges(
    _ tables: [CopiedTable],
    in made: any StoreCopyTables
  ) throws(StoreError) {
    let newest = try StoreSchema.newestRevision(source.connection)
    try made.execute("UPDATE store_version SET purged_revision = ?", [.integer(newest)])
    for table in tables where table.isLogOfChanges {
      try made.continueKeys(of: table, after: newest)
      progress("\(table.name): begins after \(newest)")
    }
  }
}
