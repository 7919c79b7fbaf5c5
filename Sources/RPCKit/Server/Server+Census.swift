extension Server {
  /// Counts what the server's connections hold.
  package func census() async -> ConnectionCensus {
    var census = ConnectionCensus()
    for connection in core.connections {
      let found = await connection.loop.result {
        var one = ConnectionCensus()
        one.openCallCount = connection.machine.streams.count
        one.queuedByteCount = connection.output.byteCount
        one.unconsumedByteCount = connection.unconsumedByteCount
        return one
      }
      census.add(found)
    }
    return census
  }
}
