internal import RPCKit

/// A thread that writes beside the one with the turn, on a connection of its own; see `PostgresLane`.
final class StoreLane: Sendable {
  let queue: StoreWriter.Queue
  private let thread: StoreThread

  /// The things that lanes of a store have in common.
  struct Plan: Sendable {
    let configuration: DatabaseConfiguration
    let memory: StoreTimeline
    let migrations: [Migration]
    let clock: any WallClock
    let news: CommitNews
    let state: SharedCondition
    /// Where writes go that a lane cannot do.
    let order: StoreWriter.Queue

    init(
      _ configuration: DatabaseConfiguration,
      _ memory: StoreTimeline,
      _ migrations: [Migration],
      _ clock: any WallClock,
      _ news: CommitNews,
      _ state: SharedCondition,
      order: StoreWriter.Queue
    ) {
      (self.configuration, self.memory, self.migrations) = (configuration, memory, migrations)
      (self.clock, self.news, self.state, self.order) = (clock, news, state, order)
    }
  }

  private init(_ queue: StoreWriter.Queue, _ thread: StoreThread) {
    (self.queue, self.thread) = (queue, thread)
  }

  /// Starts a lane, which connects with its first write.
  static func start(_ plan: Plan) async throws(StoreError) -> StoreLane {
    let queue = StoreWriter.Queue(countMax: plan.configuration.waitingWriteCountMax)
    let thread = try await StoreThread.start(name: "store-lane") {
      () throws(StoreError) in
      try plan.configuration.openLane(plan.migrations, plan.memory)
    } work: { engine in
      guard let engine else { preconditionFailure("a file has no lanes") }
      GroupCommitter(
        engine: engine,
        configuration: plan.configuration,
        clock: plan.clock,
        news: plan.news,
        state: plan.state,
        order: plan.order
      ).commitAll(from: queue)
    }
    return StoreLane(queue, thread)
  }

  /// Does what waits, and lets go of the connection.
  func close() async {
    queue.close()
    await thread.ended()
  }
}
