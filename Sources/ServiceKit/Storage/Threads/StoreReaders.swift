internal import RPCKit

/// The threads that answer reads, each with a connection of its own.
final class StoreReaders: Sendable {
  typealias Queue = WorkQueue<SQLiteConnection>

  let queue: Queue
  private let threads: [StoreThread]

  private init(queue: Queue, threads: [StoreThread]) {
    self.queue = queue
    self.threads = threads
  }

  /// Opens the connections; the file must exist.
  static func start(_ configuration: DatabaseConfiguration) async throws(StoreError) -> StoreReaders
  {
    let queue = Queue(
      countMax: configuration.waitingReadCountMax,
      unsharedCountMax: 2 * configuration.readerCount
    )
    var threads: [StoreThread] = []
    do throws(StoreError) {
      for index in 0..<configuration.readerCount {
        let thread = try await StoreThread.start(name: "store-read-\(index)") {
          () throws(StoreError) in
          try SQLiteConnection(
            path: configuration.path,
            role: .reader,
            cacheByteCount: configuration.cacheByteCount,
            fileSystem: configuration.fileSystem
          )
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

extension SQLiteConnection {
  /// Runs `body` on one snapshot of the file.
  // The optimizer of Swift 6.3.1 crashes when it inlines this where `body` sets a variable.
  @inline(never)
  func inReadTransaction(_ body: (borrowing ReadTransaction) throws -> Void) throws {
    try execute("BEGIN")
    do {
      try body(ReadTransaction(self))
      try execute("COMMIT")
    } catch {
      if isInTransaction { try execute("ROLLBACK") }
      throw error
    }
  }
}
