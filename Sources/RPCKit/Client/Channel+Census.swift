import Synchronization

extension Channel {
  /// Counts what the channel's usable connections hold.
  package func census() async -> ConnectionCensus {
    let (connections, waitingCount) = pool.state.withLock { state in
      (state.picker.connections, state.waiters.count)
    }
    var census = ConnectionCensus()
    census.waitingCallCount = waitingCount
    for connection in connections {
      let found = await connection.loop.result {
        var one = ConnectionCensus()
        one.openCallCount = connection.machine.streamCount
        one.load = connection.load.load(ordering: .relaxed)
        one.queuedByteCount = connection.output.byteCount
        one.unconsumedByteCount = connection.unconsumedByteCount
        return one
      }
      census.add(found)
    }
    return census
  }
}
