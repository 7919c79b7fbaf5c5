internal import RPCKit

/// The thread that owns the only connection that writes, and commits writes in groups.
///
/// Whatever waits while one commit is on its way to the disk goes into the next, so that the price
/// of an fsync is shared by as many as are there to share it.
final class StoreWriter: Sendable {
  typealias Queue = WorkQueue<WriteSession>

  let queue: Queue
  private let thread: StoreThread
  private let state: SharedCondition
  /// Looks for another server while a commit waits for this one; nil for a file.
  private let lookout: (lookout: StoreLookout, thread: StoreThread)?

  private init(
    queue: Queue,
    thread: StoreThread,
    state: SharedCondition,
    lookout: (lookout: StoreLookout, thread: StoreThread)?
  ) {
    self.queue = queue
    self.thread = thread
    self.state = state
    self.lookout = lookout
  }

  /// How the last commit went.
  var condition: StoreCondition { state.value }

  /// Locks, opens, checks and migrates the store.
  static func start(
    _ configuration: DatabaseConfiguration,
    _ memory: StoreTimeline,
    migrations: [Migration],
    clock: any WallClock,
    feed: ChangeFeed
  ) async throws(StoreError) -> StoreWriter {
    let queue = Queue(countMax: configuration.waitingWriteCountMax)
    let state = SharedCondition()
    let thread = try await StoreThread.start(name: "store-write") {
      () throws(StoreError) in
      let engine = try configuration.openEngine(migrations, state, memory)
      feed.begin(at: engine.lastRevision)
      return engine
    } work: { engine in
      let committer = GroupCommitter(
        engine: engine,
        configuration: configuration,
        clock: clock,
        feed: feed,
        state: state
      )
      let line = WriteLine(queue)
      while let job = line.wait() { committer.commit(startingWith: job, from: line) }
      committer.finish()
    }
    do throws(StoreError) {
      return StoreWriter(
        queue: queue,
        thread: thread,
        state: state,
        lookout: try await startLookout(configuration, memory)
      )
    } catch {
      queue.close()
      await thread.ended()
      throw error
    }
  }

  private static func startLookout(
    _ configuration: DatabaseConfiguration,
    _ memory: StoreTimeline
  ) async throws(StoreError) -> (lookout: StoreLookout, thread: StoreThread)? {
    guard let server = configuration.server else { return nil }
    return try await StoreLookout.start(server, memory)
  }

  /// Does what waits, and lets go of the store.
  func close() async {
    queue.close()
    await thread.ended()
    lookout?.lookout.close()
    await lookout?.thread.ended()
  }
}

/// The state of the store, as the writer publishes it.
final class SharedCondition: Sendable {
  private let condition = Lock(StoreCondition.working)

  var value: StoreCondition { condition.withLock { $0 } }

  /// Takes note of how a commit went; what is broken stays so.
  func note(_ new: StoreCondition) {
    condition.withLock { current in
      if case .broken = current { return }
      current = new
    }
  }
}
