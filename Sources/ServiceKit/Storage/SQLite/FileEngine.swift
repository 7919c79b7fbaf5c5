/// SQLite's side of a store in a file: its log, and the seal on its files.
final class FileEngine: StoreEngine {
  var connection: any StoreConnection { file }
  let isShared = false
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  let lastTime = Int64.min
  private let file: SQLiteConnection
  private let seal: StoreSeal
  private let state: SharedCondition
  private let move: FileMove
  private var log: LogPolicy

  /// Locks, opens, checks and migrates the file.
  init(
    _ configuration: DatabaseConfiguration,
    migrations: [Migration],
    state: SharedCondition
  ) throws(StoreError) {
    self.state = state
    move = FileMove(of: configuration.path)
    try move.refuse()
    let opened = try OpenedStore(configuration, migrations: migrations)
    (file, seal, lastRevision) = (opened.connection, opened.seal, opened.lastRevision)
    log = LogPolicy(
      checkpointPageCount: configuration.checkpointByteCount / opened.pageByteCount,
      pageCountMax: configuration.logByteCountMax / opened.pageByteCount
    )
  }

  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion],
    locking heads: Set<ConflictKey>
  ) throws(StoreError) -> [Change] {
    if log.isPastLimit {
      checkpoint(.restart)
      if log.isPastLimit {
        throw .unavailable("a long read prevents the log from being checkpointed")
      }
    }
    try file.execute("BEGIN IMMEDIATE")
    // Looked for inside: a copy waits for the transaction under way, and the next one knows of it.
    do throws(StoreError) {
      try move.refuse()
    } catch {
      try file.execute("ROLLBACK")
      throw error
    }
    return []
  }

  func news(after revision: Int64) -> [Change] { [] }

  func committed(_ last: Change?) {
    seal.committed(frameCount: file.logPageCount, revision: last?.revision ?? 0)
  }

  func tidy() { checkpoint(log.afterCommit(pageCount: file.logPageCount)) }

  func truncateLog() -> Bool { checkpoint(.truncate) }

  func condition(after failure: StoreError) -> StoreCondition {
    if file.hasFailedToSync { return .broken("the disk did not confirm a write") }
    // Reads go on.
    if case .moved = failure { return .working }
    return .failing("\(failure)")
  }

  /// Moves the log into the file at the end of the store's life.
  func finish() {
    // SQLite would move the log as the connection ends, trusting pages that the disk may not hold.
    if case .broken = state.value { return }
    let result = seal.aroundCheckpoint(isLast: true) { file.checkpoint(.truncate) }
    // Nothing is left to move then, and SQLite deletes the empty log.
    if result?.isComplete == true { file.leaveLogAtEnd(false) }
  }

  /// Moves the log; whether all of it was.
  @discardableResult
  private func checkpoint(_ mode: SQLiteConnection.CheckpointMode?) -> Bool {
    guard let mode else { return false }
    // Moved from a log that the disk did not confirm, pages could be mixed that never were together.
    if case .broken = state.value { return false }
    // Not moved when the disk does not even take that it will be: the log grows up to its limit.
    let result = seal.aroundCheckpoint(emptiesLog: mode == .truncate) { file.checkpoint(mode) }
    guard let result else { return false }
    if file.hasFailedToSync { state.note(.broken("the disk did not confirm a checkpoint")) }
    log.afterCheckpoint(isRestarted: result.isComplete && mode != .passive)
    return result.isComplete
  }
}
