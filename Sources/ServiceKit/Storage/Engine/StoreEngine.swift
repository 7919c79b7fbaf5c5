/// The engine that keeps a store: what differs around the transactions of the one that writes.
///
/// Confined to the writer's thread.
protocol StoreEngine: AnyObject {
  /// The connection that writes.
  var connection: any StoreConnection { get }

  /// The newest change that was ever logged when the store was opened, or 0.
  var lastRevision: Int64 { get }

  /// The time of that change in a store that others write by clocks of their own; else, and without one, the smallest
  /// number.
  var lastTime: Int64 { get }

  /// Whether other programs may write the store as well.
  var isShared: Bool { get }

  /// Whether its transactions exclude only those that write the same heads, and are put in order when they end.
  var isLane: Bool { get }

  /// Whether lanes may write beside it.
  var hasLanes: Bool { get }

  /// Begins a transaction that may write, and returns the changes after `revision` that nobody here has heard of: of other
  /// programs, or of a commit whose answer was lost.
  ///
  /// A pipelined connection knows the answers to `questions` then, which were asked in the same round trip. In a lane no
  /// other transaction has one of `heads` at the same time.
  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion],
    locking heads: Set<ConflictKey>
  ) throws(StoreError) -> [Change]

  /// Commits the writes of a session; the changes after `revision` that nobody here may have heard of, its own among
  /// them.
  func commit(_ session: WriteSession, after revision: Int64) throws(StoreError) -> [Change]

  /// The changes after `revision` that other programs have committed, outside of a transaction.
  func news(after revision: Int64) throws(StoreError) -> [Change]

  /// Takes note of a commit, by its last change if it has one, before its callers are answered.
  func committed(_ last: Change?)

  /// Does what is due after a commit, when its callers were answered.
  func tidy()

  /// Removes what the engine keeps of rows that were deleted, as far as it can at once; whether it has.
  func truncateLog() -> Bool

  /// The state after a failure: whether the store must be opened again.
  func condition(after failure: StoreError) -> StoreCondition

  /// Lets go of the store in order.
  func finish()
}

extension StoreEngine {
  /// No.
  var isLane: Bool { false }

  /// No.
  var hasLanes: Bool { false }

  /// With the revisions that it has given its changes.
  func commit(_ session: WriteSession, after revision: Int64) throws(StoreError) -> [Change] {
    try connection.commit()
    return session.changes
  }
}
