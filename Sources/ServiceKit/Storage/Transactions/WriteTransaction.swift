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

  /// Runs an INSERT, UPDATE or DELETE.
  ///
  /// A server is sent it together with the next question, or with the commit. Its error may come from there, and then all
  /// writes of the commit run again, each with its own errors.
  public func execute(_ sql: String, _ values: SQLValue...) throws(StoreError) {
    try session.open().post(sql, values)
  }

  /// As the other `execute`, for values that were collected in an array.
  public func execute(_ sql: String, values: [SQLValue]) throws(StoreError) {
    try session.open().post(sql, values)
  }

  /// Runs an INSERT, UPDATE or DELETE; the number of rows that it changed.
  public func rowsChanged(by sql: String, _ values: SQLValue...) throws(StoreError) -> Int {
    try session.open().execute(sql, values)
  }

  /// As the other `rowsChanged`, for values that were collected in an array.
  public func rowsChanged(by sql: String, values: [SQLValue]) throws(StoreError) -> Int {
    try session.open().execute(sql, values)
  }

  /// The newest change that this transaction sees, its own included; 0 without any.
  public var revision: Int64 { session.revision }

  /// Adds a change to the log that watches and caches follow; its revision.
  ///
  /// They see it after the commit, or never. `touching` says what later writes of the same commit must
  /// not rely on as it was before.
  @discardableResult
  public func appendChange(
    kind: String,
    subject: String,
    scope: String,
    payload: [UInt8] = [],
    touching keys: [ConflictKey] = []
  ) throws(StoreError) -> Int64 {
    let revision = try session.appendChange(
      kind: kind,
      subject: subject,
      scope: scope,
      payload: payload
    )
    session.touch(keys)
    return revision
  }

  /// Adds a change to the log whose revision the write does not have to know; for news that no decision rests on.
  ///
  /// On a server it does not need the turn to write, so that more writes are done at once.
  public func announce(kind: String, subject: String) throws(StoreError) {
    try session.announce(kind: kind, subject: subject)
  }

  /// Whether nothing of this happens: it is only found out what the body asks; see `WriteHeads`.
  public var isRehearsal: Bool { session.connection is Rehearsal }

  /// See `StoreTransaction.catalog`.
  public var catalog: StoreCatalog { session.connection.catalog }

  /// See `StoreTransaction.mayConflict`.
  public var mayConflict: Bool { session.mayConflict }

  /// See `StoreTransaction.hasTouched`.
  public func hasTouched(_ key: ConflictKey) -> Bool { session.hasTouched(key) }

  /// See `StoreTransaction.rely`.
  public func rely(on key: ConflictKey) throws { try session.rely(on: key) }

  /// Has the write run as the first of a commit that changes anything, so that memory which follows
  /// commits is exactly what the transaction sees.
  public func relyOnEverything() throws { try session.relyOnEverything() }

  /// Attaches `follower` to this commit and all later ones; see `Database.attach`.
  func attach(_ follower: any CommitFollower) throws(StoreError) {
    try session.requireOrder()
    session.follower = follower
  }

  /// Has the log emptied after the commit, before its callers are answered; see `Database.truncateLog`.
  func truncateLog(_ truncation: LogTruncation) throws(StoreError) {
    try session.requireOrder()
    session.truncations.append(truncation)
  }

  /// Bytes of log that this write has left so far.
  var loggedByteCount: Int { session.loggedByteCount }

  /// On whose account the write is done; nil for one that no service made.
  var author: Author? { session.author }

  /// Which actions are events; nil where none are kept.
  var eventRules: EventRules? { session.eventRules }

  /// Adds an event.
  func append(_ event: Event) throws(StoreError) { try session.append(event) }

  /// Adds a record to the audit log; what is longer than `AuditRecord` allows is cut.
  ///
  /// For the store's own tests: services say what they do, and the write knows the rest.
  package func audit(_ record: AuditRecord) throws(StoreError) {
    try session.append(record)
  }

  /// Runs a part that can be undone alone: when `body` throws, what it did is gone.
  ///
  /// The whole write may have to run again for that, with everything before it in its commit.
  public func attempt<R>(_ body: () throws -> R) throws -> R {
    try session.undoable(body)
  }
}
