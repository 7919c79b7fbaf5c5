internal import RPCKit

/// Turns waiting writes into transactions, one fsync for each.
///
/// Confined to a thread that writes.
final class GroupCommitter {
  private let engine: any StoreEngine
  private var connection: any StoreConnection { engine.connection }
  private let configuration: DatabaseConfiguration
  private let clock: any WallClock
  private let news: CommitNews
  private var feed: ChangeFeed { news.feed }
  private let state: SharedCondition
  /// Takes what a lane cannot do; nil for the writer with the turn.
  private let order: StoreWriter.Queue?
  /// How many of the next transactions get savepoints.
  private var savepointCommitCount = 0
  /// The time of the commit under way.
  private var time: Int64 = 0
  /// How many of the next transactions do without foresight.
  private var blindCommitCount = 0

  init(
    engine: any StoreEngine,
    configuration: DatabaseConfiguration,
    clock: any WallClock,
    news: CommitNews,
    state: SharedCondition,
    order: StoreWriter.Queue? = nil
  ) {
    (self.engine, self.order) = (engine, order)
    self.configuration = configuration
    self.clock = clock
    self.news = news
    self.state = state
  }

  /// Transactions that get savepoints after one write had to be undone: anyone who sends writes that fail
  /// late sends several.
  private static let savepointCommitCountMax = 64

  /// Transactions without foresight after one whose questions failed.
  private static let blindCommitCountMax = 64

  /// Transactions in a row that others were in the way of.
  private var conflictCount = 0
  /// As many are run again; the writes of the next one fail by it.
  private static let conflictCountMax = 8
  private var runsConflictsAgain: Bool { conflictCount < Self.conflictCountMax }

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
    guard !first.isCatchUp else { return catchUp(first) }
    time = news.now(by: clock.now)
    let foresight = makeForesight()
    // A lane has only those in its transaction whose heads were locked as it began.
    let isAlone = foresight == nil && !engine.isLane
    let group = isAlone ? [first] : line.take(behind: [first], countMax: writeCountMax)
    let questions = foresight?.questions(of: group) ?? []
    do throws(StoreError) {
      try begin(asking: questions, for: group)
    } catch {
      line.putBack(group)
      // One of the questions may be what failed.
      if case .statement = error, !questions.isEmpty { return pauseForesight() }
      fail(error)
      line.take()?.caller.resume(throwing: error)
      return
    }
    time = news.now(by: time)
    let session = session(on: connection, hasSavepoints: savepointCommitCount > 0)
    guard let outcomes = run(group, from: line, session, foresight) else {
      noteUndone(session)
      return rollBack()
    }
    savepointCommitCount =
      session.hasUndoneChanges ? Self.savepointCommitCountMax : max(0, savepointCommitCount - 1)
    guard let ending = finishTransaction(session) else {
      return line.putBack(outcomes.map(\.job))
    }
    conflictCount = 0
    let failure = ending.failure
    if failure == nil {
      engine.committed(ending.changes.last)
      if let follower = session.follower { news.attach(follower) }
      tell(of: ending.changes)
      truncate(for: session.truncations)
    }
    for outcome in outcomes { outcome.tell(failure) }
    engine.tidy()
  }

  private var writeCountMax: Int { configuration.writesPerCommitMax }

  /// Finds out what the writes of the next commit ask; nil where that gains nothing, or has failed lately.
  private func makeForesight() -> GroupForesight? {
    guard let pipelined = connection.pipelined else { return nil }
    guard blindCommitCount == 0 else {
      blindCommitCount -= 1
      return nil
    }
    return GroupForesight(pipelined) { [self] job, rehearsal in
      _ = session(on: rehearsal, hasSavepoints: false).run(job.work)
    }
  }

  /// Has writes ask for themselves for a while, since something that a rehearsal made up cannot be asked.
  private func pauseForesight() { blindCommitCount = Self.blindCommitCountMax }

  private func session(
    on connection: any StoreConnection,
    hasSavepoints: Bool
  ) -> WriteSession {
    WriteSession(
      connection,
      now: time,
      revision: feed.newest,
      hasSavepoints: hasSavepoints,
      runsConflictsAgain: runsConflictsAgain,
      eventRules: configuration.eventRules,
      isLane: engine.isLane
    )
  }

  /// Notes why a transaction was undone whose writes run again.
  private func noteUndone(_ session: WriteSession) {
    if session.runsAgainAfterConflict {
      conflictCount += 1
    } else {
      savepointCommitCount = Self.savepointCommitCountMax
    }
  }

  /// Takes over what other programs have committed.
  private func catchUp(_ job: StoreWriter.Queue.Job) {
    do throws(StoreError) {
      if case .broken(let reason) = state.value { throw .unavailable(reason) }
      tell(of: try engine.news(after: feed.newest))
    } catch {
      fail(error)
      return job.caller.resume(throwing: error)
    }
    job.caller.resume()
  }

  /// Begins a transaction, with everybody told of what is committed.
  private func begin(
    asking questions: [StoreQuestion],
    for group: [StoreWriter.Queue.Job]
  ) throws(StoreError) {
    if case .broken(let reason) = state.value { throw .unavailable(reason) }
    let heads = engine.isLane ? Set(group.flatMap { $0.heads.names ?? [] }) : []
    tell(of: try engine.begin(after: feed.newest, asking: questions, locking: heads))
  }

  private func tell(of changes: [Change]) { news.tell(of: changes, takingTimes: engine.isShared) }

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
    _ group: [StoreWriter.Queue.Job],
    from line: WriteLine,
    _ session: WriteSession,
    _ foresight: GroupForesight?
  ) -> [Outcome]? {
    var outcomes: [Outcome] = []
    var passedCount = 0
    let countMax = engine.isLane ? group.count : writeCountMax
    let interval = configuration.commitIntervalMax * (engine.isShared ? 5 : 1)
    let end = ContinuousClock.now.advanced(by: interval)
    guard prepare(group, from: line, foresight) else { return nil }
    var next = line.take()
    while let job = next {
      do throws(StoreError) {
        try foresight?.prepare(job)
      } catch {
        pauseForesight()
        line.putBack(outcomes.map(\.job) + [job])
        return nil
      }
      let ending = session.run(job.work)
      foresight?.finish(job)
      switch ending {
      case .done(let error): outcomes.append(Outcome(job: job, error: error))
      case .conflict:
        line.putBack([job])
        return outcomes
      case .needsOrder(let isTainted):
        order?.pass(job)
        passedCount += 1
        guard isTainted else { break }
        line.putBack(outcomes.map(\.job))
        return nil
      case .tainted:
        line.putBack(outcomes.map(\.job) + [job])
        return nil
      }
      let hasRoom =
        connection.isInTransaction && outcomes.count + passedCount < countMax
        && ContinuousClock.now < end
      next = hasRoom ? line.take() : nil
      if let late = next, foresight?.isMissing(late) == true {
        line.putBack([late])
        return outcomes
      }
    }
    return outcomes
  }

  /// Puts writes back into the line, with what they ask found out, and those that have come in the meantime behind them;
  /// false when that failed.
  private func prepare(
    _ group: [StoreWriter.Queue.Job],
    from line: WriteLine,
    _ foresight: GroupForesight?
  ) -> Bool {
    defer { line.putBack(group) }
    guard let foresight else { return true }
    guard !engine.isLane else { return learn(foresight, group) }
    let late = line.take(behind: [], countMax: writeCountMax - group.count)
    defer { line.putBack(late) }
    return learn(foresight, group + late)
  }

  private func learn(_ foresight: GroupForesight, _ jobs: [StoreWriter.Queue.Job]) -> Bool {
    do throws(StoreError) {
      try foresight.learnMore(of: jobs)
      return true
    } catch {
      pauseForesight()
      return false
    }
  }

  /// Commits what waits in a queue until that is closed.
  func commitAll(from queue: StoreWriter.Queue) {
    let line = WriteLine(queue)
    while let job = line.wait() { commit(startingWith: job, from: line) }
    finish()
  }

  /// Ends the store's life in order, after that of its lanes.
  private func finish() {
    if order == nil { feed.end() }
    engine.finish()
  }

  /// How a transaction ended.
  private struct Ending {
    var failure: StoreError?
    /// Changes that nobody may have heard of.
    var changes: [Change] = []
  }

  /// Commits; nil when all of the writes have to run again, after a conflict or one by one.
  private func finishTransaction(_ session: WriteSession) -> Ending? {
    guard connection.isInTransaction else {
      // An error inside one of the writes took all of them along.
      let error = WriteSession.endedByItself(connection)
      fail(error)
      return Ending(failure: error)
    }
    let changes: [Change]
    do throws(StoreError) {
      changes = try engine.commit(session, after: feed.newest)
    } catch {
      if case .conflict = error, runsConflictsAgain {
        conflictCount += 1
        rollBack()
        return nil
      }
      // A statement that was sent with the commit has failed: savepoints tell whose it is.
      if connection.isPoisoned, !session.hasSavepoints {
        savepointCommitCount = Self.savepointCommitCountMax
        rollBack()
        return nil
      }
      fail(error)
      rollBack()
      return Ending(failure: .unavailable("the commit failed: \(error)"))
    }
    state.note(.working)
    return Ending(changes: changes)
  }

  private func rollBack() {
    guard connection.isInTransaction else { return }
    do {
      try connection.execute("ROLLBACK")
    } catch {
      // A connection that was lost has taken its transaction along.
      guard connection.isInTransaction else { return }
      // Nothing can be trusted to a connection that cannot even forget.
      state.note(.broken("a transaction could not be rolled back: \(error)"))
    }
  }

  private func fail(_ error: StoreError) {
    state.note(engine.condition(after: error))
  }

  private func truncate(for truncations: [LogTruncation]) {
    guard !truncations.isEmpty else { return }
    let isDone = engine.truncateLog()
    for truncation in truncations { truncation.end(isDone: isDone) }
  }
}
