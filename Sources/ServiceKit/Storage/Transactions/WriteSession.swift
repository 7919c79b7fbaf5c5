/// One transaction of the writer, shared by the writes of a group.
///
/// Confined to the writer's thread.
final class WriteSession {
  let connection: any StoreConnection
  let now: Int64
  /// The changes logged by the writes so far, in order of revision.
  private(set) var changes: [Change] = []
  /// On whose account the write that runs is done.
  var author: Author?
  /// Bytes of log that the one that runs has written, with what rows and indexes take besides.
  private(set) var loggedByteCount = 0
  /// The follower attached by one of the writes.
  var follower: (any CommitFollower)?
  /// The requests to empty the log after the commit.
  var truncations: [LogTruncation] = []

  /// The newest change before this transaction.
  private let revisionBefore: Int64
  /// The keys touched by the writes before the one that runs.
  private var touched: Set<ConflictKey> = []
  /// The keys touched by the one that runs.
  private var touchedByRunning: [ConflictKey] = []
  /// How many changes the writes before the one that runs have logged.
  private var changeCountBefore = 0
  /// Whether the one that runs relies on what one before it has touched.
  private var hasConflict = false
  /// Whether each write, and each part that can be undone alone, gets a savepoint; without one, what fails
  /// after it has changed something takes the whole transaction along.
  let hasSavepoints: Bool
  /// Whether what meets a conflict between transactions has the whole group run again.
  private let runsConflictsAgain: Bool
  /// Whether a write has met one, so that the group runs again.
  private(set) var runsAgainAfterConflict = false
  /// Which actions are events; nil where none are kept.
  let eventRules: EventRules?
  /// Whether the transaction contains changes of something that has failed.
  private var isTainted = false
  /// Whether a savepoint was needed.
  private(set) var hasUndoneChanges = false

  init(
    _ connection: any StoreConnection,
    now: Int64,
    revision: Int64,
    hasSavepoints: Bool,
    runsConflictsAgain: Bool = true,
    eventRules: EventRules? = nil
  ) {
    self.connection = connection
    self.now = now
    revisionBefore = revision
    self.hasSavepoints = hasSavepoints
    self.runsConflictsAgain = runsConflictsAgain
    self.eventRules = eventRules
  }

  /// How a write ended.
  enum Ending {
    /// It is part of the transaction, unless there is an error.
    case done((any Error)?)
    /// Nothing of it is left: it has to run again when those before it are committed.
    case conflict
    /// Changes that have to be undone are left, and there is no savepoint to go back to: the transaction
    /// has to be rolled back, and all of its writes have to run again in one with savepoints.
    case tainted
  }

  /// Runs one of the group's writes.
  func run(_ work: (WriteSession) throws -> Void) -> Ending {
    // Not when the last one ended: most commits are of one write, after which nobody asks.
    touched.formUnion(touchedByRunning)
    touchedByRunning = []
    loggedByteCount = 0
    changeCountBefore = changes.count
    hasConflict = false
    do {
      try undoable {
        try work(self)
        // Anyone who has caught the error does not get its way with it.
        if hasConflict { throw WriteConflict() }
      }
    } catch {
      if case StoreError.conflict = error, runsConflictsAgain {
        runsAgainAfterConflict = true
        return .tainted
      }
      if isTainted { return .tainted }
      return hasConflict ? .conflict : .done(error)
    }
    return isTainted || connection.isPoisoned ? .tainted : .done(nil)
  }

  // MARK: What writes rely on

  /// The newest change that is logged, the transaction's own included.
  var revision: Int64 { changes.last?.revision ?? revisionBefore }

  var mayConflict: Bool { !touched.isEmpty }

  func touch(_ keys: [ConflictKey]) { touchedByRunning += keys }

  /// Whether the write that runs has touched a key.
  func hasTouched(_ key: ConflictKey) -> Bool { touchedByRunning.contains(key) }

  func rely(on key: ConflictKey) throws {
    guard mayConflict, touched.contains(key) else { return }
    hasConflict = true
    throw WriteConflict()
  }

  func relyOnEverything() throws {
    guard changeCountBefore > 0 else { return }
    hasConflict = true
    throw WriteConflict()
  }

  // MARK: What writes do

  /// Runs `body` so that its effects vanish, alone, when it throws.
  ///
  /// Savepoints inside one another may have one name: the newest is meant
  /// (sqlite.org/lang_savepoint.html).
  func undoable<R>(_ body: () throws -> R) throws -> R {
    let (changeCount, touchedCount) = (changes.count, touchedByRunning.count)
    let connection = try open()
    // What was posted before this part is not undone with it.
    if hasSavepoints { try connection.settle() }
    let mark = connection.mark
    if hasSavepoints { try connection.execute("SAVEPOINT part") }
    do {
      let result = try body()
      if hasSavepoints { try endPart() }
      return result
    } catch {
      changes.removeSubrange(changeCount...)
      touchedByRunning.removeSubrange(touchedCount...)
      try undoChanges(since: mark)
      throw error
    }
  }

  /// Ends a part that has a savepoint: what fails belongs to it, and not to what comes next.
  ///
  /// Without one whatever fails, be it noticed at the commit, has all run again with savepoints.
  private func endPart() throws(StoreError) {
    try connection.settle()
    try connection.execute("RELEASE part")
  }

  /// Undoes what was changed since the newest savepoint, or says that it cannot.
  private func undoChanges(since mark: Int64) throws(StoreError) {
    // An error of the disk may have ended the whole transaction (sqlite.org/lang_transaction.html,
    // "Response To Errors Within A Transaction"); the writer looks at that itself.
    guard connection.isInTransaction else { return }
    connection.forget(since: mark)
    // What has failed in PostgreSQL lets nothing follow but going back.
    let hasChanged = connection.hasChanged(since: mark) || connection.isPoisoned
    guard hasSavepoints else {
      isTainted = isTainted || hasChanged
      return
    }
    hasUndoneChanges = hasUndoneChanges || hasChanged
    try connection.execute("ROLLBACK TO part")
    try connection.execute("RELEASE part")
  }

  /// The connection, as long as the transaction lasts.
  ///
  /// An error of the disk ends it at once; a body that continued regardless would write outside of it.
  /// Nor may one continue that has to run again: it would go by what must not be there, or change what
  /// must then be undone.
  func open() throws(StoreError) -> any StoreConnection {
    guard connection.isInTransaction else { throw Self.endedByItself(connection) }
    guard !isTainted, !hasConflict else { throw .unavailable("the write has to run again") }
    return connection
  }

  /// Why a transaction is over that nobody ended.
  static func endedByItself(_ connection: any StoreConnection) -> StoreError {
    if case .unavailable(let reason) = connection.lastFailure { return .unavailable(reason) }
    return .unavailable("an error of the store ended the transaction")
  }

  func appendChange(
    kind: String,
    subject: String,
    scope: String,
    payload: [UInt8]
  ) throws(StoreError) -> Int64 {
    let connection = try open()
    // The store's turn is ours: nobody else gives a number.
    let change = Change(
      revision: revision + 1,
      recordedAt: now,
      kind: kind,
      subject: subject,
      scope: scope,
      payload: payload
    )
    try connection.post(Change.columns.insertion, Change.columns.values(change))
    loggedByteCount +=
      Self.changeByteCount + kind.utf8.count + subject.utf8.count + scope.utf8.count
      + payload.count
    changes.append(change)
    return change.revision
  }

  /// Bytes of a row besides its texts, with its place in an index.
  private static let changeByteCount = 40
  /// As above; an audit record is in three indexes, with its object, its scope and its actor.
  private static let recordByteCount = 100

  func append(_ record: AuditRecord) throws(StoreError) {
    let record = record.bounded
    let indexed = record.object.utf8.count + record.scope.utf8.count + record.actor.utf8.count
    loggedByteCount +=
      Self.recordByteCount + 2 * indexed + record.requestID.utf8.count + record.action.utf8.count
      + record.detail.utf8.count + (record.onBehalfOf?.utf8.count ?? 0)
      + (record.beforeDigest?.count ?? 0) + (record.afterDigest?.count ?? 0)
    let stored = StoredAuditRecord(sequence: 0, recordedAt: now, record: record)
    let columns = StoredAuditRecord.columns
    try open().post(columns.insertion, columns.values(stored))
    guard record.outcome == .done, let rule = eventRules?[record.action] else { return }
    try append(rule.event(of: record, at: now))
  }

  /// Bytes of a row of events besides its texts, in the table and its two indexes.
  private static let eventByteCount = 60

  func append(_ event: Event) throws(StoreError) {
    loggedByteCount +=
      Self.eventByteCount + event.type.utf8.count + event.object.utf8.count
      + event.scope.utf8.count + 2 * event.userID.utf8.count + event.actor.utf8.count
      + event.requestID.utf8.count + event.data.utf8.count
    try open().post(Event.columns.insertion, Event.columns.values(event))
  }
}
