internal import RPCKit

/// The state of a request to empty a store's write-ahead log with a commit.
final class LogTruncation: Sendable {
  private let state = Lock(false)

  /// Whether the log was moved into the file and cut to nothing.
  var isDone: Bool { state.withLock { $0 } }

  func end(isDone: Bool) { state.withLock { $0 = isDone } }
}

extension Database {
  /// Moves everything that was committed into the file and cuts the log to nothing, so that no earlier
  /// content of a page is left beside the store; false when a reader that takes long was in the way, or
  /// the disk did not take it, and then it is worth another attempt.
  ///
  /// Deleting rows leaves copies of them in the log until then, however often it is checkpointed otherwise.
  /// Throws `StoreError`.
  public func truncateLog() async throws -> Bool {
    let truncation = LogTruncation()
    try await write { tx in try tx.truncateLog(truncation) }
    return truncation.isDone
  }
}
