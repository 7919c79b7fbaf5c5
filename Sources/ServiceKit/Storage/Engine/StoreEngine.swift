/// The engine that keeps a store: what differs around the transactions of the one that writes.
///
/// Confined to the writer's thread.
protocol StoreEngine: AnyObject {
  /// The connection that writes.
  var connection: any StoreConnection { get }

  /// The newest change that was ever logged when the store was opened, or 0.
  var lastRevision: Int64 { get }

  /// Begins a transaction that may write, and returns the changes after `revision` of a commit whose answer was
  /// lost, so that nobody has heard of them.
  func begin(after revision: Int64) throws(StoreError) -> [Change]

  /// Takes note of a commit, before its callers are answered.
  ///
  /// `revision` is that of its last change, or 0.
  func committed(revision: Int64)

  /// Does what is due after a commit, when its callers were answered.
  func tidy()

  /// Removes what the engine keeps of rows that were deleted, as far as it can at once; whether it has.
  func truncateLog() -> Bool

  /// The state after a failure: whether the store must be opened again.
  func condition(after failure: StoreError) -> StoreCondition

  /// Lets go of the store in order.
  func finish()
}
