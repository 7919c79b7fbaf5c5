/// A store on a server that is copied, beside programs that may serve it.
struct ServerCopySource: StoreCopySource {
  var connection: any StoreConnection { server }
  let hasEveryRevision = false
  private let server: PostgresConnection

  init(_ location: PostgresLocation, _ definition: StoreDefinition) throws(StoreError) {
    server = try PostgresConnection(location)
    try server.waitPatiently()
    try PostgresSchema(connection: server, applicationID: definition.applicationID)
      .requireNewest(definition.migrations)
  }

  func freeze(for target: String) throws(StoreError) {
    let move = PostgresMove(server)
    if let known = try move.target { throw .moved(path: server.path, to: known) }
    let tables = try CopiedTable.all(in: server)
    try PostgresTurn(server).hold(on: server) { () throws(StoreError) in
      try server.run("BEGIN")
      do throws(StoreError) {
        try move.mark(tables, for: target)
        try server.run("COMMIT")
      } catch {
        if server.isInTransaction { try server.run("ROLLBACK") }
        throw error
      }
    }
    do throws(StoreError) {
      try server.beginReading()
      try server.settle()
    } catch {
      _ = try? move.unmark()
      throw error
    }
  }

  func resume() throws(StoreError) -> Bool {
    if server.isInTransaction { try server.run("ROLLBACK") }
    return try PostgresMove(server).unmark()
  }

  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    try server.scan(table, body)
  }

  func lastKey(of table: CopiedTable) throws(StoreError) -> Int64 {
    guard let sequence = try server.keySequence(of: table) else { return 0 }
    return try server.first(
      "SELECT coalesce(pg_sequence_last_value(CAST(? AS regclass)), 0)",
      [.text(sequence)]
    ) { $0.integer(0) } ?? 0
  }
}
