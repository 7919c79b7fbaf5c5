/// An engine whose store is on a server, be it the one with the turn or a lane: what the server does by itself.
protocol ServerEngine: StoreEngine {
  /// The store, as its connection sees it.
  var store: FollowedStore { get }
}

extension ServerEngine {
  var connection: any StoreConnection { store.server }

  var isShared: Bool { true }

  func news(after revision: Int64) throws(StoreError) -> [Change] {
    try store.news(after: revision)
  }

  func committed(_ last: Change?) { store.note(last) }

  /// Nothing: the server moves its log by itself.
  func tidy() {}

  /// Nothing: what the server keeps of deleted rows is its operator's.
  func truncateLog() -> Bool { true }

  func condition(after failure: StoreError) -> StoreCondition { store.condition(after: failure) }

  /// Nothing: the connection ends with the engine.
  func finish() {}
}
