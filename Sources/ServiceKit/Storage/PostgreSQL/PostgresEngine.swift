/// PostgreSQL's side of a store on a server.
///
/// One program writes at a time: who holds the advisory lock of the store's schema. What the server keeps of
/// deleted rows until it is vacuumed, and in its log and archives, is its operator's (docs/operations).
final class PostgresEngine: StoreEngine {
  var connection: any StoreConnection { server }
  /// The newest change that was ever logged, or 0.
  let lastRevision: Int64
  private let server: PostgresConnection
  /// Whether the connection that there is holds the lock.
  private var isLocked = true

  /// Tells our locks from others' in the same database.
  private static let lockClass = 0x6761_7465

  /// Connects, locks the store, makes it or brings it to the newest schema.
  init(
    _ location: PostgresLocation,
    applicationID: Int32,
    migrations: [Migration]
  ) throws(StoreError) {
    server = try PostgresConnection(location)
    guard try Self.lock(server) else { throw .inUse(path: server.path) }
    try PostgresSchema(connection: server, applicationID: applicationID).bringUp(migrations)
    lastRevision = try StoreSchema.newestRevision(server)
  }

  private static func lock(_ server: PostgresConnection) throws(StoreError) -> Bool {
    let schema = try server.first("SELECT current_schema()") { $0.optionalText(0) }
    guard let schema, schema != nil else {
      throw .cannotOpen(
        path: server.path,
        detail: "the schema in its search_path does not exist: CREATE SCHEMA first"
      )
    }
    let isLocked = try server.first(
      """
      SELECT pg_try_advisory_lock(\(lockClass), CAST(CAST(oid AS bigint) AS integer))
      FROM pg_namespace WHERE nspname = current_schema()
      """
    ) { $0.boolean(0) }
    return isLocked == true
  }

  func begin(after revision: Int64) throws(StoreError) -> [Change] {
    if isLocked, server.isConnected {
      do throws(StoreError) {
        try server.run("BEGIN")
        return []
      } catch  where !server.isConnected {
        // It was closed since it was used last.
      }
    }
    isLocked = false
    try server.connectForUse()
    guard try Self.lock(server) else {
      throw .unavailable("another program has taken \(server.path) over")
    }
    isLocked = true
    let untold = try changes(after: revision)
    try server.run("BEGIN")
    return untold
  }

  /// The changes of a commit whose answer was lost with the connection.
  private func changes(after revision: Int64) throws(StoreError) -> [Change] {
    let purged = try server.first("SELECT purged_revision FROM store_version") { $0.integer(0) }
    guard let purged, purged <= revision else {
      throw .unavailable("\(server.path) was written by another program: start this one again")
    }
    let columns = Change.columns
    do {
      return try server.query(
        "\(columns.selection) WHERE revision > ? ORDER BY revision",
        [.integer(revision)]
      ) { row in try columns.record(row) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .corrupt(path: server.path, detail: "\(error)")
    }
  }

  func committed(revision: Int64) {}

  func tidy() {}

  func truncateLog() -> Bool { true }

  func condition(after failure: StoreError) -> StoreCondition { .failing("\(failure)") }

  func finish() {}
}
