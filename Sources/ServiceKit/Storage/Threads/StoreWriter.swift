internal import RPCKit

/// The thread that owns the only connection that writes, and commits writes in groups.
///
/// Whatever waits while one commit is on its way to the disk goes into the next, so that the price
/// of an fsync is shared by as many as are there to share it.
final class StoreWriter: Sendable {
  typealias Queue = WorkQueue<WriteSession>

  let queue: Queue
  /// The lanes beside it.
  let lanes: [StoreLane]
  private let thread: StoreThread
  private let state: SharedCondition
  /// Looks for another server while a commit waits for this one; nil for a file.
  private let lookout: (lookout: StoreLookout, thread: StoreThread)?

  private init(
    queue: Queue,
    lanes: [StoreLane],
    thread: StoreThread,
    state: SharedCondition,
    lookout: (lookout: StoreLookout, thread: StoreThread)?
  ) {
    self.queue = queue
    self.lanes = lanes
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
    let opened = Lock<(hasLanes: Bool, news: CommitNews)?>(nil)
    let thread = try await StoreThread.start(name: "store-write") {
      () throws(StoreError) in
      let engine = try configuration.openEngine(migrations, state, memory)
      feed.begin(at: engine.lastRevision)
      let news = CommitNews(feed, lastTime: engine.lastTime)
      opened.withLock { $0 = (engine.hasLanes, news) }
      return (engine, news)
    } work: { engine, news in
      GroupCommitter(
        engine: engine,
        configuration: configuration,
        clock: clock,
        news: news,
        state: state
      ).commitAll(from: queue)
    }
    guard let (hasLanes, news) = opened.withLock({ $0 }) else {
      preconditionFailure("a store that was opened has said so")
    }
    let plan = StoreLane.Plan(configuration, memory, migrations, clock, news, state, order: queue)
    var lanes: [StoreLane] = []
    do throws(StoreError) {
      for _ in 0..<(hasLanes ? configuration.laneCount : 0) {
        lanes.append(try await StoreLane.start(plan))
      }
      return StoreWriter(
        queue: queue,
        lanes: lanes,
        thread: thread,
        state: state,
        lookout: try await startLookout(configuration, memory)
      )
    } catch {
      for lane in lanes { await lane.close() }
      queue.close()
      await thread.ended()
      throw error
    }
  }

  /// The queue for a write that is about these heads.
  func queue(for heads: WriteHeads) -> Queue {
    heads.lane(of: lanes.count).map { lanes[$0].queue } ?? queue
  }

  /// Writes that wait for their turn.
  var waitingCount: Int { lanes.reduce(queue.waitingCount) { $0 + $1.queue.waitingCount } }

  private static func startLookout(
    _ configuration: DatabaseConfiguration,
    _ memory: StoreTimeline
  ) async throws(StoreError) -> (lookout: StoreLookout, thread: StoreThread)? {
    guard let server = configuration.server else { return nil }
    return try await StoreLookout.start(server, memory)
  }

  /// Does what waits, and lets go of the store.
  func close() async {
    // What a lane cannot do goes to the writer.
    for lane in lanes { await lane.close() }
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
