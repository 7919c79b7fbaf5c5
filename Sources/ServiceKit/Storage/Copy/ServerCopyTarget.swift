/// An empty schema of a server that gets a copy of a store.
struct ServerCopyTarget: StoreCopyTarget {
  let location: PostgresLocation
  let definition: StoreDefinition

  var path: String { location.description }

  func make(_ body: (any StoreCopyTables) throws(StoreError) -> Void) throws(StoreError) {
    let memory = StoreTimeline()
    let server = try PostgresConnection(location, memory)
    let profile = try PostgresProbe.profile(of: server, at: location, memory)
    try server.waitPatiently()
    var schema = PostgresSchema(
      connection: server,
      applicationID: definition.applicationID
    )
    schema.turnsAreByRows = profile.isByRows
    let turn = try PostgresTurn(server, makingRows: profile.isByRows)
    try turn.hold(on: server) { () throws(StoreError) in
      try schema.make(definition.migrations) { _ throws(StoreError) in
        try body(ServerCopyTables(server: server))
      }
    }
  }
}

/// The tables of a store that is made on a server.
private struct ServerCopyTables: StoreCopyTables {
  let server: PostgresConnection
  let wantsEveryRevision = false

  func fill(
    _ table: CopiedTable,
    _ rows: ((CopiedRow) throws(StoreError) -> Void) throws(StoreError) -> Void
  ) throws(StoreError) {
    try server.copyRows(to: table, rows)
  }

  func continueKeys(of table: CopiedTable, after last: Int64) throws(StoreError) {
    guard last > 0, let sequence = try server.keySequence(of: table) else { return }
    _ = try server.first(
      "SELECT setval(CAST(? AS regclass), ?)",
      [.text(sequence), .integer(last)]
    ) { $0.integer(0) }
  }

  func rows(
    of table: CopiedTable,
    _ body: (any StoreCursor) throws(StoreError) -> Void
  ) throws(StoreError) {
    try server.scan(table, body)
  }

  func execute(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
    try server.execute(sql, values)
  }
}
