internal import RPCKit

/// PostgreSQL's side of a store on a server, which several programs may serve.
///
/// All commits are in one order: a transaction that writes takes the turn of the store's schema first and hears of all
/// commits before its own, so that writes decide by memory that has them (docs/decisions/0226). Writes that need no such
/// memory may go beside it, in lanes (`PostgresLane`). What the server keeps of deleted rows until it is vacuumed, and in
/// its log and archives, is its operator's (docs/operations).
final class PostgresEngine: ServerEngine {
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  let lastTime: Int64
  var hasLanes: Bool { !turn.isByRows }
  let store: FollowedStore
  private var server: PostgresConnection { store.server }
  private let turn: PostgresTurn

  /// Connects, makes the store or brings it to the newest schema.
  init(
    _ location: PostgresLocation,
    _ memory: StoreTimeline,
    applicationID: Int32,
    migrations: [Migration],
    logger: Logger?
  ) throws(StoreError) {
    let server = try PostgresConnection(location, memory)
    store = FollowedStore(server, migrations)
    let profile = try PostgresProbe.profile(of: server, at: location, memory)
    var schema = PostgresSchema(connection: server, applicationID: applicationID)
    schema.turnsAreByRows = profile.isByRows
    let making = try PostgresTurn(server, makingRows: profile.isByRows)
    try making.hold(on: server) { () throws(StoreError) in try schema.bringUp(migrations) }
    // Another program may have made the store in the meantime.
    turn = try PostgresTurn(server)
    guard turn.isByRows || !profile.isByRows else { throw PostgresProbe.lostLocks(server.path) }
    try SequenceOrder.require(server)
    profile.log(logger)
    lastRevision = try StoreSchema.newestRevision(server)
    let last = try server.first(
      "SELECT recorded_at FROM change_log WHERE revision = ?",
      [.integer(lastRevision)]
    ) { $0.integer(0) }
    lastTime = last ?? .min
  }

  func begin(
    after revision: Int64,
    asking questions: [StoreQuestion],
    locking heads: Set<ConflictKey>
  ) throws(StoreError) -> [Change] {
    try store.begin(after: revision, asking: questions) { () throws(StoreError) in
      try turn.begin(on: server, with: store.version.guarding)
    }
  }
}
