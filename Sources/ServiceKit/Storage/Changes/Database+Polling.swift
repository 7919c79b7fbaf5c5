/// The changes after a position of the change log.
package enum ChangePoll: Sendable {
  /// These come next; there may be more.
  case changes([Change])
  /// Changes are missing between the position and this revision; see `ChangeEvent.resync`.
  case resync(revision: Int64)
  /// Nothing is new.
  case nothing
  /// Nothing will ever come, because the store is closed.
  case ended
}

extension Database {
  /// Changes that `poll` returns at most.
  private static let pollCountMax = 256

  /// The changes after a position, without waiting for them.
  ///
  /// Reads the change log only if the position is no longer in memory. Throws `StoreError` when the
  /// log cannot be read.
  package func poll(
    after position: Int64,
    lagCountMax: Int64 = ChangeSubscription.defaultLagCountMax
  ) async throws -> ChangePoll {
    switch feed.poll(after: position, limit: Self.pollCountMax) {
    case .changes(let changes): return .changes(changes)
    case .wait: return .nothing
    case .ended: return .ended
    case .behind(let newest):
      let changes = try await catchUp(from: position, to: newest, lagCountMax: lagCountMax)
      return changes.map { .changes($0) } ?? .resync(revision: newest)
    }
  }

  /// Returns when there may be something after a position, and early when the task is cancelled.
  package func waitForChange(after position: Int64) async { await feed.wait(after: position) }

  /// The next changes from the log; nil when some of them are gone, are too many to be worth
  /// following one by one, or when the position is from the future of a restored store.
  private func catchUp(
    from position: Int64,
    to newest: Int64,
    lagCountMax: Int64
  ) async throws -> [Change]? {
    guard position >= 0, position < newest, newest - position <= lagCountMax else { return nil }
    return try await read { tx in
      // Not past `newest`: later ones are committed, but may not be published yet.
      try tx.changes(after: position, through: newest, limit: Self.pollCountMax)
    }
  }
}
