/// Whether connections are sessions of the server.
///
/// A pooler that hands its sessions out by the transaction lends each transaction another one. Statements that were
/// prepared, settings, and the lock of the program that leads belong to a session, so a store behind such a pooler would
/// fail now and then, or two programs would lead.
enum PostgresSessions {
  /// Throws `cannotOpen` if a pooler lends sessions by the transaction; leaves the other connection in one.
  ///
  /// A pooler lends the session that was given back last first (PgBouncer, `server_round_robin`). While another
  /// connection is in a transaction, the first one gets a different session then, which does not have its setting, or
  /// waits for one until the server ends that transaction. Nothing is prepared for this: that would fail by itself,
  /// with an error that does not name the cause.
  static func require(
    _ server: PostgresConnection,
    beside other: PostgresConnection
  ) throws(StoreError) {
    try server.run("SELECT set_config('gatehouse.session', 'first', false)")
    try other.run("SELECT set_config('gatehouse.session', 'other', false)")
    try other.run("BEGIN; SELECT 1")
    do throws(StoreError) {
      // Divides by zero elsewhere.
      try server.run(
        "SELECT 1 / CAST(coalesce(current_setting('gatehouse.session', true), '') = 'first' AS integer)"
      )
    } catch {
      guard server.isConnected else { throw error }
      throw .cannotOpen(
        path: server.path,
        detail: "a pooler lends its sessions by the transaction: have it lend them by the session "
          + "(pool_mode = session), or name the server itself"
      )
    }
    try server.run("SELECT set_config('gatehouse.session', '', false)")
  }
}
