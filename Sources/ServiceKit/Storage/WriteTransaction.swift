/// A change in the making: all of it happens, or nothing.
///
/// Sees what earlier writes of the same commit did. When the body throws, what it did is undone and
/// the others are not touched.
public struct WriteTransaction: StoreTransaction, ~Copyable {
  private let session: WriteSession

  // Inlined, it crashes the optimiser of Swift 6.3.1 ("Cannot initialize a nonCopyable type with a
  // guaranteed value"), so that nothing can be built for release.
  @inline(never)
  init(_ session: WriteSession) { self.session = session }

  /// When this commit began, in milliseconds since 1970.
  public var now: Int64 { session.now }

  /// See `StoreTransaction.query`; `INSERT … RETURNING` may be asked this way too.
  public func query<T>(
    _ sql: String,
    values: [SQLValue],
    limit: Int,
    _ row: (borrowing Row) throws -> T
  ) throws -> [T] {
    try session.open().query(sql, values, limit: limit, row)
  }

  /// Runs an INSERT, UPDATE or DELETE; the number of rows it changed, cascades included.
  @discardableResult
  public func execute(_ sql: String, _ values: SQLValue...) throws(StoreError) -> Int {
    try session.open().execute(sql, values)
  }

  /// As the other `execute`, for values that were collected in an array.
  @discardableResult
  public func execute(_ sql: String, values: [SQLValue]) throws(StoreError) -> Int {
    try session.open().execute(sql, values)
  }

  /// Adds a change to the log that watches and caches follow; its revision.
  ///
  /// They see it after the commit, or never.
  @discardableResult
  public func appendChange(
    kind: String,
    subject: String,
    scope: String,
    payload: [UInt8] = []
  ) throws(StoreError) -> Int64 {
    try session.appendChange(kind: kind, subject: subject, scope: scope, payload: payload)
  }

  /// Adds a record to the audit log.
  public func audit(_ record: AuditRecord) throws(StoreError) {
    try session.append(record)
  }

  /// Runs a part that can be undone alone: when `body` throws, what it did is gone.
  public func attempt<R>(_ body: () throws -> R) throws -> R {
    try session.inSavepoint(body)
  }
}
