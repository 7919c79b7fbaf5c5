/// One connection to a store, whatever its engine, with the statements that it has prepared.
///
/// Confined to one thread. Statements are written for both engines (docs/maintainers/plan-scale.md, "Dialect"),
/// with a `?` for each value.
protocol StoreConnection: AnyObject {
  /// Names the store in errors: its file, or its server and database.
  var path: String { get }

  /// How its engine lists the tables of a store.
  var catalog: StoreCatalog { get }

  /// Whether a transaction is open; an error may have ended it.
  var isInTransaction: Bool { get }

  /// Whether a statement has failed and the transaction can only be rolled back, as a whole or to a savepoint.
  var isPoisoned: Bool { get }

  /// The failure of the last statement; says why a transaction has ended by itself.
  var lastFailure: StoreError? { get }

  /// The place between the statements so far and those to come.
  var mark: Int64 { get }

  /// Whether a statement behind a mark has inserted, changed or deleted a row, be it undone again.
  func hasChanged(since mark: Int64) -> Bool

  /// The connection as one that answers several questions at once; nil where that gains nothing.
  var pipelined: (any PipelinedConnection)? { get }

  /// Begins a transaction of one snapshot, on a connection for reads.
  func beginReading() throws(StoreError)

  /// Ends such a transaction.
  func endReading() throws(StoreError)

  /// Runs one statement; the number of rows it inserted, changed or deleted.
  @discardableResult
  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Int

  /// Runs one statement whose answer nobody waits for: it is with the store when the next one is answered, or when
  /// `settle` returns, which may throw its error.
  func post(_ sql: String, _ values: [SQLValue]) throws(StoreError)

  /// Waits until everything that was posted is done.
  func settle() throws(StoreError)

  /// Drops what was posted and not sent.
  func forget()

  /// Drops what was posted behind a mark and not sent.
  func forget(since mark: Int64)

  /// Commits, with everything that was posted.
  func commit() throws(StoreError)

  /// Inserts one row; the value of `key`, a column that the engine fills in.
  func insert(
    _ sql: String,
    _ values: [SQLValue],
    generating key: String
  ) throws(StoreError) -> Int64

  /// Starts a statement whose rows are read one by one; to be closed.
  ///
  /// No more than `limit` rows will be asked for.
  func open(
    _ sql: String,
    _ values: [SQLValue],
    limit: Int
  ) throws(StoreError) -> any StoreCursor
}

extension StoreConnection {
  func endReading() throws(StoreError) { try execute("COMMIT") }

  /// At once.
  func post(_ sql: String, _ values: [SQLValue]) throws(StoreError) { try execute(sql, values) }

  /// Nothing.
  func settle() throws(StoreError) {}

  /// Nothing.
  func forget() {}

  /// Nothing.
  func forget(since mark: Int64) {}

  /// By a statement.
  func commit() throws(StoreError) { try execute("COMMIT") }

  /// Nil.
  var pipelined: (any PipelinedConnection)? { nil }

  /// Runs one statement without values.
  @discardableResult
  func execute(_ sql: String) throws(StoreError) -> Int { try execute(sql, []) }

  /// Runs one statement and turns each of its rows into a value.
  func query<T>(
    _ sql: String,
    _ values: [SQLValue] = [],
    limit: Int = .max,
    _ body: (borrowing Row) throws -> T
  ) throws -> [T] {
    let cursor = try open(sql, values, limit: limit)
    defer { cursor.close() }
    var results: [T] = []
    while results.count < limit, try cursor.step() {
      results.append(try body(Row(cursor)))
      if let mismatch = cursor.mismatch { throw mismatch }
    }
    try cursor.finish()
    return results
  }

  /// The value of the first row, or nil without one; for bodies that do not throw.
  func first<T>(
    _ sql: String,
    _ values: [SQLValue] = [],
    _ body: (borrowing Row) -> T
  ) throws(StoreError) -> T? {
    let cursor = try open(sql, values, limit: 1)
    defer { cursor.close() }
    guard try cursor.step() else { return nil }
    let result = body(Row(cursor))
    if let mismatch = cursor.mismatch { throw mismatch }
    return result
  }

  /// Runs `body` on one snapshot of the store; `asksTogether` as in `Database.read`.
  // The optimizer of Swift 6.3.1 crashes when it inlines this where `body` sets a variable.
  @inline(never)
  func inReadTransaction(
    asksTogether: Bool = false,
    _ body: (borrowing ReadTransaction) throws -> Void
  ) throws {
    try beginReading()
    do {
      if asksTogether, let pipelined {
        try pipelined.askTogether(body)
      } else {
        try body(ReadTransaction(self))
      }
      try endReading()
    } catch {
      forget()
      if isInTransaction { try execute("ROLLBACK") }
      throw error
    }
  }
}

extension PipelinedConnection {
  /// Runs `body`, whose questions are found out by rehearsals and asked together.
  fileprivate func askTogether(_ body: (borrowing ReadTransaction) throws -> Void) throws {
    known = KnownAnswers()
    defer { known = nil }
    for _ in 0..<Rehearsal.roundCountMax {
      let rehearsal = Rehearsal(of: self)
      do {
        try body(ReadTransaction(rehearsal))
        guard !rehearsal.isComplete else { return }
      } catch {
        guard !rehearsal.isComplete else { throw error }
      }
      // It has ended at a question that cannot be asked ahead.
      guard !rehearsal.unknown.isEmpty else { break }
      try learn(rehearsal.unknown)
    }
    try body(ReadTransaction(self))
  }
}
