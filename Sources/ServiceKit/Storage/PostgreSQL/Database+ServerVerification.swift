extension Database {
  /// Reads what a service promises about the rows of a store on a server, and returns what is wrong; empty when all
  /// is in order.
  ///
  /// Changes nothing; a service may have the store open. Pages and references between tables are for the
  /// server's own tools (pg_amcheck, checksums). Throws `StoreError` for a store that cannot be opened, of another
  /// service, or with another schema than this program's.
  public static func verify(
    _ server: PostgresLocation,
    _ definition: StoreDefinition,
    progress: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(StoreError) -> [String] {
    try await StoreThread.result(name: "store-verify") { () throws(StoreError) in
      let connection = try PostgresConnection(server)
      try PostgresSchema(connection: connection, applicationID: definition.applicationID)
        .requireNewest(definition.migrations)
      progress("the store of this service, with the schema of this program")
      var findings: [String] = []
      for check in definition.checks {
        let found = try check.findings(on: connection)
        findings += found.map { "\(connection.path): \($0)" }
        if found.isEmpty { progress("\(check.name): no damage found") }
      }
      return findings
    }
  }
}
