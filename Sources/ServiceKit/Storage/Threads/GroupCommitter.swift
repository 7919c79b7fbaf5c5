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

  /// Runs the job and what waits behind it in one transaction; answers them after its fsync.
  func commit(
    startingWith first: StoreWriter.Queue.Job,
    from queue: StoreWriter.Queue
  ) {
    do throws(StoreError) {
      try refuseIfUnfit()
      try connection.execute("BEGIN IMMEDIATE")
    } catch {
      fail(error)
      return first.caller.resume(throwing: error)
    }
    let session = WriteSession(connection, now: clock.now)
    let outcomes = run(startingWith: first, from: queue, session)
    let failure = finishTransaction()
    if failure == nil { feed.publish(session.changes) }
    for outcome in outcomes { outcome.tell(failure) }
    checkpoint(log.afterCommit(pageCount: connection.logPageCount))
  }

  /// What became of a write before the commit.
  private struct Outcome {
    let caller: CheckedContinuation<Void, any Error>
    let error: (any Error)?

    /// Tells the caller; the commit's error wins, since one of the write's own may be about what did not
    /// happen.
    func tell(_ failure: StoreError?) {
      if let error = failure ?? error {
        caller.resume(throwing: error)
      } else {
        caller.resume()
      }
    }
  }

  /// Runs writes inside the transaction until none waits, or it is large or old enough.
  private func run(
    startingWith first: StoreWriter.Queue.Job,
    from queue: StoreWriter.Queue,
    _ session: WriteSession
  ) -> [Outcome] {
    var outcomes: [Outcome] = []
    let end = ContinuousClock.now.advanced(by: configuration.commitIntervalMax)
    var next: StoreWriter.Queue.Job? = first
    while let job = next {
      outcomes.append(Outcome(caller: job.caller, error: error(of: job, session)))
      let hasRoom =
        connection.isInTransaction && outcomes.count < configuration.writesPerCommitMax
        && ContinuousClock.now < end
      next = hasRoom ? queue.take() : nil
    }
    return outcomes
  }

  private func error(of job: StoreWriter.Queue.Job, _ session: WriteSession) -> (any Error)? {
    do {
      try session.inSavepoint { try job.work(session) }
      return nil
    } catch {
      return error
    }
  }

  /// Moves the log into the file at the end of the store's life.
  func finish() {
    feed.end()
    if case .broken = state.value {
      // SQLite would move the log as the connection ends, trusting pages that the disk may not hold.
      connection.leaveLogAtEnd()
    } else {
      _ = connection.checkpoint(.truncate)
    }
  }

  private func refuseIfUnfit() throws(StoreError) {
    if case .broken(let reason) = state.value { throw .unavailable(reason) }
    guard log.isPastLimit else { return }
    checkpoint(.restart)
    if log.isPastLimit { throw .unavailable("a long read keeps the log from being emptied") }
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

  private func checkpoint(_ mode: SQLiteConnection.CheckpointMode?) {
    guard let mode else { return }
    // Moved from a log that the disk did not confirm, pages could be mixed that never were together.
    if case .broken = state.value { return }
    let result = connection.checkpoint(mode)
    if connection.hasFailedToSync {
      state.note(.broken("the disk did not confirm a checkpoint"))
    }
    log.afterCheckpoint(isRestarted: result.isComplete && mode != .passive)
  }
}
