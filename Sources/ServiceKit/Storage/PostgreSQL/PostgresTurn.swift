/// The turn to write in a store that several programs serve, and the one to lead them: advisory locks of its schema.
///
/// Locks of the server end with the transaction or the connection that holds them, so a program that was cut off cannot
/// write: no time and no promise of the program's own is involved (PostgreSQL, "Advisory Locks").
struct PostgresTurn {
  private let schemaID: Int64

  /// Tells our locks from others' in the same database.
  private static let writing = 0x6761_7465
  private static let leading = 0x6761_7466
  /// How long a turn is waited for, in seconds: longer than the server lets a program that has stopped hold one.
  private static let waitMax = 15

  /// The locks of the schema that a connection uses.
  init(_ server: PostgresConnection) throws(StoreError) {
    let id = try server.first(
      "SELECT CAST(oid AS bigint) FROM pg_namespace WHERE nspname = current_schema()"
    ) { $0.integer(0) }
    guard let id else {
      throw .cannotOpen(
        path: server.path,
        detail: "the schema in its search_path does not exist: CREATE SCHEMA first"
      )
    }
    schemaID = id
  }

  /// The two numbers of a lock; the second is a signed one of 32 bits.
  private func key(_ lockClass: Int) -> String {
    "\(lockClass), \(Int32(truncatingIfNeeded: schemaID))"
  }

  /// Begins a transaction that has the turn to write until its end, and runs a statement in it.
  func begin(on server: PostgresConnection, with statement: String) throws(StoreError) {
    try server.run(
      """
      BEGIN; SET LOCAL lock_timeout = '\(Self.waitMax)s';
      SELECT pg_advisory_xact_lock(\(key(Self.writing))); \(statement)
      """
    )
  }

  /// Runs `body` with the turn to write, over several transactions.
  func hold(
    on server: PostgresConnection,
    _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    try server.run(
      """
      BEGIN; SET LOCAL lock_timeout = '\(Self.waitMax)s';
      SELECT pg_advisory_lock(\(key(Self.writing))); COMMIT
      """
    )
    let result = Result { () throws(StoreError) in try body() }
    // It ends with the connection.
    if server.isConnected { try server.run("SELECT pg_advisory_unlock(\(key(Self.writing)))") }
    try result.get()
  }

  /// Tries to lead; what leads is the connection, until it ends.
  func lead(on server: PostgresConnection) throws(StoreError) -> Bool {
    let isLeading = try server.first(
      "SELECT pg_try_advisory_lock(\(key(Self.leading)))"
    ) { $0.boolean(0) }
    return isLeading == true
  }

  /// Leads no longer, so that another program may.
  func stopLeading(on server: PostgresConnection) throws(StoreError) {
    try server.run("SELECT pg_advisory_unlock(\(key(Self.leading)))")
  }
}
