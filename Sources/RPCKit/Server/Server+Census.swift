extension Server {
  /// Counts what the server's connections hold.
  package func census() async -> ConnectionCensus {
    var census = ConnectionCensus()
    for connection in core.connections {
      census.add(await connection.loop.result { connection.census })
    }
    return census
  }
}
