/// A connection as the server's core knows it, whatever wire it speaks.
///
/// All members are loop only.
package protocol ServedConnection: CallHost, TransportReceiver, TimerTarget {
  /// Whether nothing would be lost if the connection closed now.
  var isIdle: Bool { get }

  /// The bytes it holds for its peer now.
  var census: ConnectionCensus { get }

  /// Begins to serve a stream that nobody has started.
  func start()

  /// Begins to drain: no new calls, the open ones finish.
  func drain()

  /// Ends every call that answers a stream, because the server goes.
  func endResponseStreams()

  /// Closes at once; every handler is cancelled, and what the client has not taken may be lost.
  func close(_ reason: ConnectionCloseReason)

  /// The stream is gone: gives up every call and whatever is kept for the client.
  ///
  /// Called once, by `lose`.
  func lost()

  /// Begins to drain while nothing is open: without waiting until the client knows.
  func drainIdle()

  /// Gives its place to others: the server is nearly full and nothing happens here.
  func evict()

  /// Gives its memory to others: all connections together hold too much.
  func shed(_ sort: HeldSort)

  /// How much of a burden it is on the others, in terms that compare connections.
  func burden(_ sort: HeldSort) -> Double
}
