internal import RPCKit

/// Turns waiting writes into transactions, one fsync for each.
///
/// Confined to the writer's thread.
final class GroupCommitter {
  private let connection: SQLiteConnection
  private let opened: OpenedStore
  private let configuration: DatabaseConfiguration
  private let clock: any WallClock
  private let feed: ChangeFeed
  private let state: SharedCondition
  private var log: LogPolicy
  /// How many of the next transactions get savepoints.
  private var savepointCommitCount = 0
  /// The followers that see each commit before its callers.
  private var follower: (any CommitFollower)?

  init(
    opened: OpenedStore,
    configuration: DatabaseConfiguration,
    clock: any WallClock,
    feed: ChangeFeed,
    state: SharedCondition
  ) {
    connection = opened.connection
    self.opened = opened
    self.configuration = configuration
    self.clock = clock
    self.feed = feed
    self.state = state
    log = LogPolicy(
      checkpointPageCount: configuration.checkpointByteCount / opened.pageByteCount,
      pageCountMax: configuration.logByteCountMax / opened.pageByteCount
    )
  }

  /// Transactions that get savepoints after one write had to be undone: anyone who sends writes that fail
  /// late sends several.
  private static let savepointCommitCountMax = 64

  /// Runs the job and what waits behind it in one transaction; answers them after its fsync.
  ///
  /// A job that has to be the first of the next transaction, because it relied on what one before it has
  /// changed, is put back into the line. Those behind it wait, so all are done in the order in which they
  /// were taken.
  ///
  /// Most writes succeed, so a transaction has no savepoints at first: they have SQLite copy each page that
  /// a write changes. If a write that has changed something must be undone alone, the transaction is rolled
  /// back, and all of its jobs are put back to run again in one with savepoints.
  func commit(startingWith first: StoreWriter.Queue.Job, from line: WriteLine) {
    do throws(StoreError) {
      try requireWritable()
      try connection.execute("BEGIN IMMEDIATE")
    } catch {
      fail(error)
      first.caller.resume(throwing: error)
      return
    }
    let session = WriteSession(
      connection,
      now: clock.now,
      revision: feed.newest,
      hasSavepoints: savepointCommitCount > 0
    )
    guard let outcomes = run(startingWith: first, from: line, session) else {
      savepointCommitCount = Self.savepointCommitCountMax
      return rollBack()
    }
    savepointCommitCount =
      session.hasUndoneChanges ? Self.savepointCommitCountMax : max(0, savepointCommitCount - 1)
    let failure = finishTransaction()
    if failure == nil {
      opened.seal.committed(
        frameCount: connection.logPageCount,
        revision: session.changes.last?.revision ?? 0
      )
      tell(of: session)
      truncate(for: session.truncations)
    }
    for outcome in outcomes { outcome.tell(failure) }
    checkpoint(log.afterCommit(pageCount: connection.logPageCount))
  }

  /// Tells of a commit: first whom writes decide by, then everybody who watches.
  private func tell(of session: WriteSession) {
    if let attached = session.follower {
      precondition(follower == nil, "a store has one follower")
      follower = attached
    }
    guard !session.changes.isEmpty else { return }
    follower?.follow(session.changes)
    feed.publish(session.changes)
  }

  /// The outcome of a write before the commit.
  private struct Outcome {
    let job: StoreWriter.Queue.Job
    let error: (any Error)?

    /// Tells the caller; the commit's error wins, since one of the write's own may be about what did not
    /// happen.
    func tell(_ failure: StoreError?) {
      if let error = failure ?? error {
        job.caller.resume(throwing: error)
      } else {
        job.caller.resume()
      }
    }
  }

  /// Runs writes inside the transaction until none waits, it is large or old enough, or one of them
  /// has to wait for its end; nil when the transaction has to be rolled back.
  private func run(
    startingWith first: StoreWriter.Queue.Job,
    from line: WriteLine,
    _ session: WriteSession
  ) -> [Outcome]? {
    var outcomes: [Outcome] = []
    let end = ContinuousClock.now.advanced(by: configuration.commitIntervalMax)
    var next: StoreWriter.Queue.Job? = first
    while let job = next {
      switch session.run(job.work) {
      case .done(let error): outcomes.append(Outcome(job: job, error: error))
      case .conflict:
        line.putBack([job])
        return outcomes
      case .tainted:
        line.putBack(outcomes.map(\.job) + [job])
        return nil
      }
      let hasRoom =
        connection.isInTransaction && outcomes.count < configuration.writesPerCommitMax
        && ContinuousClock.now < end
      next = hasRoom ? line.take() : nil
    }
    return outcomes
  }

  /// Moves the log into the file at the end of the store's life.
  func finish() {
    feed.end()
    // SQLite would move the log as the connection ends, trusting pages that the disk may not hold.
    if case .broken = state.value { return }
    let result = opened.seal.aroundCheckpoint(isLast: true) { connection.checkpoint(.truncate) }
    // Nothing is left to move then, and SQLite deletes the empty log.
    if result?.isComplete == true { connection.leaveLogAtEnd(false) }
  }

  private func requireWritable() throws(StoreError) {
    if case .broken(let reason) = state.value { throw .unavailable(reason) }
    guard log.isPastLimit else { return }
    checkpoint(.restart)
    if log.isPastLimit {
      throw .unavailable("a long read prevents the log from being checkpointed")
    }
  }

  /// Commits; nil is success.
  private func finishTransaction() -> StoreError? {
    guard connection.isInTransaction else {
      // An error of the disk inside one of the writes took all of them along.
      let error = WriteSession.endedByItself(connection)
      fail(error)
      return error
    }
    do throws(StoreError) {
      try connection.execute("COMMIT")
    } catch {
      fail(error)
      rollBack()
      return .unavailable("the commit failed: \(error)")
    }
    state.note(.working)
    return nil
  }

  private func rollBack() {
    guard connection.isInTransaction else { return }
    do {
      try connection.execute("ROLLBACK")
    } catch {
      // Nothing can be trusted to a connection that cannot even forget.
      state.note(.broken("a transaction could not be rolled back: \(error)"))
    }
  }

  private func fail(_ error: StoreError) {
    let isBroken = connection.hasFailedToSync
    state.note(isBroken ? .broken("the disk did not confirm a write") : .failing("\(error)"))
  }

  private func truncate(for truncations: [LogTruncation]) {
    guard !truncations.isEmpty else { return }
    let isDone = checkpoint(.truncate)
    for truncation in truncations { truncation.end(isDone: isDone) }
  }

  /// Moves the log; whether all of it was.
  @discardableResult
  private func checkpoint(_ mode: SQLiteConnection.CheckpointMode?) -> Bool {
    guard let mode else { return false }
    // Moved from a log that the disk did not confirm, pages could be mixed that never were together.
    if case .broken = state.value { return false }
    // Not moved when the disk does not even take that it will be: the log grows up to its limit.
    let result = opened.seal.aroundCheckpoint(emptiesLog: mode == .truncate) {
      connection.checkpoint(mode)
    }
    guard let result else { return false }
    if connection.hasFailedToSync {
      state.note(.broken("the disk did not confirm a checkpoint"))
    }
    log.afterCheckpoint(isRestarted: result.isComplete && mode != .passive)
    return result.isComplete
  }
}
