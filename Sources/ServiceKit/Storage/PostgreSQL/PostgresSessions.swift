/// Whether connections are sessions of the server.
///
/// A pooler that hands its sessions out by the transaction lends each transaction another one. Statements that were
/// prepared, settings, and the lock of the program that leads belong to a session, so a store behind such a pooler would
/// fail now and then, or two programs would lead.
enum PostgresSessions {
  /// Throws `cannotOpen` if a pooler lends sessions by the transaction.
  ///
  /// A pooler lends the session that was given back last first (PgBouncer, `server_round_robin`). While another
  /// connection is in a transaction, the first one gets a different session then, or waits for one until the server ends
  /// that transaction.
  static func require(
    _ server: PostgresConnection,
    at location: PostgresLocation
  ) throws(StoreError) {
    let other = try PostgresConnection(location)
    let before = try identifier(of: server)
    try other.run("BEGIN")
    _ = try identifier(of: other)
    let after = try identifier(of: server)
    guard before == after else {
      throw .cannotOpen(
        path: server.path,
        detail: "a pooler lends its sessions by the transaction: have it lend them by the session "
          + "(pool_mode = session), or name the server itself"
      )
    }
    try other.run("ROLLBACK")
  }

  /// The process of the session.
  private static func identifier(of server: PostgresConnection) throws(StoreError) -> Int64? {
    try server.first("SELECT CAST(pg_backend_pid() AS bigint)") { $0.integer(0) }
  }
}
