internal import RPCKit

/// The threads that answer reads, each with a connection of its own.
final class StoreReaders: Sendable {
  typealias Queue = WorkQueue<any StoreConnection>

  let queue: Queue
  private let threads: [StoreThread]

  private init(queue: Queue, threads: [StoreThread]) {
    self.queue = queue
    self.threads = threads
  }

  /// Opens the connections; the store must exist.
  static func start(
    _ configuration: DatabaseConfiguration,
    _ memory: StoreTimeline
  ) async throws(StoreError) -> StoreReaders {
    let queue = Queue(
      countMax: configuration.waitingReadCountMax,
      unsharedCountMax: 2 * configuration.readerCount
    )
    var threads: [StoreThread] = []
    do throws(StoreError) {
      for index in 0..<configuration.readerCount {
        let thread = try await StoreThread.start(name: "store-read-\(index)") {
          () throws(StoreError) in
          try configuration.openReader(memory)
        } work: { connection in
          while let job = queue.wait() {
            job.caller.resume(with: Result { try job.work(connection) })
          }
        }
        threads.append(thread)
      }
    } catch {
      await StoreReaders(queue: queue, threads: threads).close()
      throw error
    }
    return StoreReaders(queue: queue, threads: threads)
  }

  /// Answers what waits, then ends the threads.
  func close() async {
    queue.close()
    for thread in threads { await thread.ended() }
  }
}
