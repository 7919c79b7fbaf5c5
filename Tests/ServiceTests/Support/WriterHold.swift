import Foundation
import RPCKit
import ServiceKit

/// Keeps the writer of a store from its next write, so that a test can queue writes in an order of its
/// choice: they are all done together, in that order, once it is let go.
struct WriterHold: Sendable {
  private let held: Task<Void, any Error>
  private let isOver = DispatchSemaphore(value: 0)

  /// Returns once the writer is held.
  init(_ database: Database) async {
    let (started, continuation) = AsyncStream<Void>.makeStream()
    let isOver = isOver
    held = Task {
      try await database.write { _ in
        continuation.finish()
        isOver.wait()
        // The write may have to run again, and is not held then.
        isOver.signal()
      }
    }
    for await _ in started {}
  }

  /// Lets the writer go.
  func end() async throws {
    isOver.signal()
    try await held.value
  }

  /// Begins `call` and returns once its write waits behind those that wait already, or it is over.
  static func queue<R: Sendable>(
    in database: Database,
    _ call: @escaping @Sendable () async -> R
  ) async -> Task<R, Never> {
    let count = database.waitingWriteCount
    let isDone = Lock(false)
    let task = Task {
      let result = await call()
      isDone.withLock { $0 = true }
      return result
    }
    while database.waitingWriteCount == count, !isDone.withLock({ $0 }) { await Task.yield() }
    return task
  }
}
