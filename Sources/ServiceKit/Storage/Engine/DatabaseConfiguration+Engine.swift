extension DatabaseConfiguration {
  /// Opens the store for the thread that writes.
  func openEngine(
    _ migrations: [Migration],
    _ state: SharedCondition,
    _ memory: StoreTimeline
  ) throws(StoreError) -> any StoreEngine {
    guard let server else {
      return try FileEngine(self, migrations: migrations, state: state)
    }
    return try PostgresEngine(
      server,
      memory,
      applicationID: applicationID,
      migrations: migrations,
      logger: logger
    )
  }

  /// Opens a lane of a store that is open; nil for a file, which has none.
  func openLane(
    _ migrations: [Migration],
    _ memory: StoreTimeline
  ) throws(StoreError) -> PostgresLane? {
    guard let server else { return nil }
    return try PostgresLane(server, memory, migrations: migrations)
  }

  /// Opens a connection of a thread that reads; the store must exist.
  func openReader(_ memory: StoreTimeline) throws(StoreError) -> any StoreConnection {
    guard let server else {
      return try SQLiteConnection(
        path: path,
        role: .reader,
        cacheByteCount: cacheByteCount,
        fileSystem: fileSystem
      )
    }
    return try PostgresConnection(server, memory)
  }
}
