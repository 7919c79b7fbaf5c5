/// The writes in the order in which they are done: those that have to run again, and then the queue.
///
/// Confined to the writer's thread.
final class WriteLine {
  private let queue: StoreWriter.Queue
  /// Taken from the queue already, oldest first.
  private var again: ArraySlice<StoreWriter.Queue.Job> = []

  init(_ queue: StoreWriter.Queue) { self.queue = queue }

  /// The next write, if there is one.
  func take() -> StoreWriter.Queue.Job? { again.popFirst() ?? queue.take() }

  /// The next write; sleeps until there is one, nil once the queue is closed and all are done.
  func wait() -> StoreWriter.Queue.Job? { again.popFirst() ?? queue.wait() }

  /// Writes that were taken, and those that wait behind them; no more than `countMax` together.
  func take(behind first: [StoreWriter.Queue.Job], countMax: Int) -> [StoreWriter.Queue.Job] {
    var group = first
    while group.count < countMax, let job = take() { group.append(job) }
    return group
  }

  /// Has writes that were taken run again before all others, in their order.
  func putBack(_ jobs: [StoreWriter.Queue.Job]) {
    again.insert(contentsOf: jobs, at: again.startIndex)
  }
}
