internal import RPCKit

/// Lists, in slices: a check waits for a slice at most, however much there is to list.
extension PermissionEngine {
  /// Entities that a walk looks at while it holds the lock: well under a millisecond.
  static let sliceStepCount = 200

  /// Runs a walk to its end, letting other work of the thread run after each slice; nil when there is
  /// nothing to walk over.
  ///
  /// `start` begins it, again when the forest was exchanged meanwhile; `finish` says what was found,
  /// in the hold of the lock that has verified it.
  func walk<R: Sendable>(
    start: (borrowing Forest) -> AccessWalk?,
    finish: (AccessWalk, borrowing Forest) throws -> R
  ) async throws -> R? {
    while let id = open(start) {
      defer { close(id) }
      while case .more = slice(id) {
        try Task.checkCancellation()
        await Task.yield()
      }
      if let result = try ended(id, finish) { return result }
    }
    return nil
  }

  /// As `walk`, where one cannot wait; only the lock is let go between slices.
  func walkAtOnce<R: Sendable>(
    start: (borrowing Forest) -> AccessWalk?,
    finish: (AccessWalk, borrowing Forest) throws -> R
  ) throws -> R? {
    while let id = open(start) {
      defer { close(id) }
      while case .more = slice(id) {}
      if let result = try ended(id, finish) { return result }
    }
    return nil
  }
}
