/// The holdings of connections at a moment: everything here is zero when no call is open.
///
/// For tests that look for leaks; each connection is asked on its own loop.
package struct ConnectionCensus: Hashable, Sendable {
  /// Calls in the tables of the connections.
  package var openCallCount = 0
  /// Calls that were given to a connection and not taken off again.
  package var load = 0
  /// Calls that wait for a connection.
  package var waitingCallCount = 0
  /// Bytes of output that the transports have not taken.
  package var queuedByteCount = 0
  /// Bytes of stream messages that were received and not consumed.
  package var unconsumedByteCount = 0

  /// Whether nothing is held.
  package var isZero: Bool { self == ConnectionCensus() }

  /// Makes the census of one connection; without arguments it is empty.
  package init(
    openCallCount: Int = 0,
    queuedByteCount: Int = 0,
    unconsumedByteCount: Int = 0
  ) {
    self.openCallCount = openCallCount
    self.queuedByteCount = queuedByteCount
    self.unconsumedByteCount = unconsumedByteCount
  }

  /// Adds what other connections hold.
  package mutating func add(_ other: ConnectionCensus) {
    openCallCount += other.openCallCount
    load += other.load
    waitingCallCount += other.waitingCallCount
    queuedByteCount += other.queuedByteCount
    unconsumedByteCount += other.unconsumedByteCount
  }
}
