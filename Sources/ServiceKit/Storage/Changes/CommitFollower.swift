/// Memory that follows the store so closely that writes may decide by it.
///
/// Before a write begins, a follower has taken over every commit there ever was. What it does not know
/// are the earlier writes of the same commit, so a write that decides by it says what it went by with
/// `StoreTransaction.rely`, and those who change such things say so in `appendChange`. See
/// docs/decisions/0044.
public protocol CommitFollower: Sendable {
  /// Takes over changes that were just committed, in their order, before any of their callers is
  /// answered.
  ///
  /// Runs on a thread that writes, one call after the other, so everybody who writes waits for it, and it must not wait
  /// for the store.
  func follow(_ changes: [Change])
}

extension Database {
  /// Has `follower` follow all commits after a revision that it has, and returns once it is up to date.
  ///
  /// A store has one follower, for as long as it is open. Throws `StoreError.unavailable` when the
  /// change log no longer goes back to the revision.
  public func attach(_ follower: any CommitFollower, after revision: Int64) async throws {
    try await write { tx in
      try tx.relyOnEverything()
      guard try tx.forEachChange(after: revision, follower.follow) else {
        throw StoreError.unavailable("changes after \(revision) are no longer in the log")
      }
      try tx.attach(follower)
    }
  }
}

extension StoreTransaction where Self: ~Copyable {
  /// Gives `body` all changes after a revision that this transaction sees, in order, some at a time;
  /// false when the log no longer goes back that far, and then `body` has seen none.
  public func forEachChange(
    after revision: Int64,
    _ body: ([Change]) throws -> Void
  ) throws -> Bool {
    var position = revision
    while let changes = try changes(after: position, limit: 1000) {
      guard let last = changes.last else { return true }
      try body(changes)
      position = last.revision
    }
    return false
  }

  /// The first changes after a revision, up to another one; nil when the log no longer goes back there.
  func changes(
    after revision: Int64,
    through last: Int64 = .max,
    limit: Int
  ) throws -> [Change]? {
    let purged = try first("SELECT purged_revision FROM store_version") { $0.integer(0) }
    guard let purged, purged <= revision else { return nil }
    return try query(
      Change.columns,
      "WHERE revision > ? AND revision <= ? ORDER BY revision LIMIT ?",
      .integer(revision),
      .integer(last),
      .integer(limit)
    )
  }
}
