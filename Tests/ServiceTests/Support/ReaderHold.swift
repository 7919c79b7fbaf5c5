import Foundation
import RPCKit
import ServiceKit

/// Keeps all readers of a store from their next read, so that a test can queue reads.
struct ReaderHold: Sendable {
  private let held: Task<Void, any Error>
  private let isOver = DispatchSemaphore(value: 0)

  /// Returns once all readers are held.
  init(_ database: Database) async {
    let (started, continuation) = AsyncStream<Void>.makeStream()
    let isOver = isOver
    let count = database.configuration.readerCount
    held = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            try await database.read { _ in
              continuation.yield()
              isOver.wait()
              isOver.signal()
            }
          }
        }
        try await group.waitForAll()
      }
    }
    var heldCount = 0
    for await _ in started {
      heldCount += 1
      if heldCount == count { break }
    }
  }

  /// Lets the readers go.
  func end() async throws {
    isOver.signal()
    try await held.value
  }
}
