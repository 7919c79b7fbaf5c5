internal import RPCKit

/// One of the connections that write to a store on a server beside the one with the turn to write.
///
/// A lane excludes writes of the same heads, be it of other programs, and those that have the turn, and nothing else. So
/// it is for writes that decide by rows of their heads: no change that another lane commits in the meantime matters to
/// them. What is numbered in the order of commits is added when everything else is done, behind a lock for that order,
/// which the commit ends (docs/decisions/0248).
final class PostgresLane: ServerEngine {
  let isLane = true
  let lastRevision: Int64 = 0
  let lastTime = Int64.min
  let store: FollowedStore
  private var server: PostgresConnection { store.server }
  private var foundTurn: PostgresTurn?

  /// For a store that is open; connects with the first write.
  init(
    _ location: PostgresLocation,
    _ memory: StoreTimeline,
    migrations: [Migration]
  ) throws(StoreError) {
    store = FollowedStore(try PostgresConnection(unconnected: location, memory), migrations)
  }

  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion],
    locking heads: Set<ConflictKey>
  ) throws(StoreError) -> [Change] {
    try store.begin(after: revision, asking: questions) { () throws(StoreError) in
      try turn().beginBeside(on: server, with: store.version.guarding, locking: heads)
    }
  }

  private func turn() throws(StoreError) -> PostgresTurn {
    if let foundTurn { return foundTurn }
    let turn = try PostgresTurn(server)
    foundTurn = turn
    return turn
  }

  func commit(_ session: WriteSession, after revision: Int64) throws(StoreError) -> [Change] {
    guard !session.numbered.isEmpty else {
      try server.commit()
      return []
    }
    try turn().takeOrder(on: server)
    for row in session.numbered { try server.post(row.sql, row.values) }
    guard session.hasAnnounced else {
      try server.commit()
      return []
    }
    return try store.changes(in: try server.commit(asking: FollowedStore.changes(after: revision)))
  }
}
