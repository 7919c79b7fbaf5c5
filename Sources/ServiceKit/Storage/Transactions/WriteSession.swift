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
  /// Whether it is only when the transaction ends that its place in the order of all is known.
  private let isLane: Bool
  /// Rows of a lane's transaction that are numbered in the order of commits, so that they are added last.
  private(set) var numbered: [NumberedRow] = []
  /// Whether there is a change among them.
  var hasAnnounced: Bool { numbered.contains(where: \.isChange) }
  /// Whether the write that runs cannot be done in a lane.
  private var needsOrder = false
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
    eventRules: EventRules? = nil,
    isLane: Bool = false
  ) {
    self.connection = connection
    self.now = now
    revisionBefore = revision
    self.hasSavepoints = hasSavepoints
    self.runsConflictsAgain = runsConflictsAgain
    self.eventRules = eventRules
    self.isLane = isLane
  }

  /// How a write ended.
  enum Ending {
    /// It is part of the transaction, unless there is an error.
    case done((any Error)?)
    /// Nothing of it is left: it has to run again when those before it are committed.
    case conflict
    /// It has to run where its place in the order of commits is known; nothing of it is left unless the transaction is
    /// `tainted`, as below.
    case needsOrder(isTainted: Bool)
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
    needsOrder = false
    do {
      try undoable {
        try work(self)
        // Anyone who has caught the error does not get its way with it.
        if hasConflict { throw WriteConflict() }
        if needsOrder { throw OrderRequired() }
      }
    } catch {
      if needsOrder { return .needsOrder(isTainted: isTainted) }
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
  var revision: Int64 {
    if isLane { needsOrder = true }
    return changes.last?.revision ?? revisionBefore
  }

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
    try requireOrder()
    guard changeCountBefore > 0 else { return }
    hasConflict = true
    throw WriteConflict()
  }

  /// Has a write that a lane has begun run in order with all other commits.
  func requireOrder() throws(StoreError) {
    guard isLane else { return }
    needsOrder = true
    throw .unavailable("the write has to run in order")
  }

  // MARK: What writes do

  /// Runs `body` so that its effects vanish, alone, when it throws.
  ///
  /// Savepoints inside one another may have one name: the newest is meant
  /// (sqlite.org/lang_savepoint.html).
  func undoable<R>(_ body: () throws -> R) throws -> R {
    let (changeCount, touchedCount) = (changes.count, touchedByRunning.count)
    let numberedCount = numbered.count
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
      numbered.removeSubrange(numberedCount...)
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
    guard !isTainted, !hasConflict, !needsOrder else {
      throw .unavailable("the write has to run again")
    }
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
    try requireOrder()
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
    countBytes(of: change)
    changes.append(change)
    return change.revision
  }

  /// Logs a change whose revision the write does not have to know.
  func announce(kind: String, subject: String) throws(StoreError) {
    guard isLane else {
      _ = try appendChange(kind: kind, subject: subject, scope: "", payload: [])
      return
    }
    _ = try open()
    let change = Change(
      revision: 0,
      recordedAt: now,
      kind: kind,
      subject: subject,
      scope: "",
      payload: []
    )
    countBytes(of: change)
    numbered.append(NumberedRow(change))
  }

  private func countBytes(of change: Change) {
    loggedByteCount +=
      Self.changeByteCount + change.kind.utf8.count + change.subject.utf8.count
      + change.scope.utf8.count + change.payload.count
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
    try append(NumberedRow(stored, StoredAuditRecord.columns))
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
    try append(NumberedRow(event, Event.columns))
  }

  private func append(_ row: NumberedRow) throws(StoreError) {
    let connection = try open()
    guard !isLane else { return numbered.append(row) }
    try connection.post(row.sql, row.values)
  }
}
