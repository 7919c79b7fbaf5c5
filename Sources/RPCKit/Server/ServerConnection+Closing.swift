extension ServerConnection {
  // MARK: - In order

  /// Begins to drain: no new calls, the open ones finish.
  ///
  /// Loop only.
  func drain() {
    switch machine.drain() {
    case .sendGoAway(let lastAccepted):
      ControlFrame.appendGoAway(to: &output, lastAccepted: lastAccepted)
      scheduleFlush()
    case .awaitFirstFrame:
      startTimer(&timers.linger, .linger, limits.lingerTimeout)
    case .finishCalls:
      scheduleFlush()
    case .ignore: break
    }
  }

  /// Ends the connection from this side: the open calls are cancelled, and what was answered before
  /// still reaches the client.
  func end(_ reason: ConnectionCloseReason) {
    guard let calls = machine.abandonCalls() else { return }
    for call in calls { call.cancel(RPCError(.cancelled, "connection closed")) }
    beginToEnd(reason)
    scheduleFlush()
  }

  /// Stops everything that is for a connection in use; the machine flushes already.
  func beginToEnd(_ reason: ConnectionCloseReason) {
    if closeReason == .peer { closeReason = reason }
    timers.cancelUse(loop)
    decoder.abandon()
    let counts = counted
    if counts[.assembly] != 0 { count(.assembly, 0) }
    startTimer(&timers.close, .close, limits.closeTimeout)
  }

  /// Sends the end of stream and waits for the client's.
  func linger() {
    transport?.closeOutput()
    startTimer(&timers.linger, .linger, limits.lingerTimeout)
  }

  /// Throws away what comes on a connection that is ending.
  func discard(_ bytes: Span<UInt8>) {
    machine.discard(byteCount: bytes.count)
    updateReading()
  }

  /// The client did not say anything in time, or not end its side.
  func lingerTimePassed() {
    guard machine.phase == .lingering else { return flush() }
    // A slow reader still reads, and one that still sends has not seen the end: what it sent to a closed
    // connection would make its writes fail, and many a client gives up then without reading on.
    let isQuiet = timers.lastRead.duration(to: loop.now) >= limits.lingerTimeout
    guard isQuiet, transport?.unacknowledgedByteCount == 0 else {
      return startTimer(&timers.linger, .linger, limits.lingerTimeout)
    }
    close(.drained)
  }

  // MARK: - At once

  /// Closes at once; every handler is cancelled.
  ///
  /// What the client has not taken may be lost: for a client that is gone, or does not read.
  ///
  /// Loop only.
  func close(_ reason: ConnectionCloseReason = .peer) {
    if closeReason == .peer { closeReason = reason }
    transport?.close()
    lose()
  }

  /// The transport is gone: every call is over.
  func lose() {
    transport = nil
    guard machine.phase != .closed else { return }
    timers.cancelAll(loop)
    for call in machine.close() { call.cancel(RPCError(.cancelled, "connection lost")) }
    output.release()
    decoder.abandon()
    let counts = counted
    for sort in HeldSort.allCases where counts[sort] != 0 { count(sort, 0) }
    core.connectionClosed(self, closeReason)
  }

  // MARK: - For the good of the others

  /// Whether nothing would be lost if the connection closed now: no call is open and every answer
  /// is with the client.
  var isIdle: Bool {
    machine.takesFrames && machine.streams.isEmpty && output.isEmpty && !decoder.isInsideFrame
  }

  var census: ConnectionCensus {
    var census = ConnectionCensus()
    census.openCallCount = machine.streams.count
    census.queuedByteCount = output.byteCount
    census.unconsumedByteCount = unconsumedByteCount
    return census
  }

  /// Gives its place to others: the server is nearly full and nothing happens here.
  func evict() {
    core.observer.limitReached(.idleTime, source: source)
    closeReason = .idle
    drain()
  }

  /// Gives its memory to others: all connections together hold too much.
  func shed(_ sort: HeldSort) {
    core.observer.limitReached(sort.limitName, source: source)
    switch sort {
    case .assembly: end(.limit)
    // Its client does not read, so nothing would come of lingering.
    case .output: close(.limit)
    }
  }

  /// How much of a burden it is on the others, in terms that compare connections.
  func burden(_ sort: HeldSort) -> Double {
    switch sort {
    case .output: Double(counted[.output])
    case .assembly:
      // Bytes times the time that they have been held for: slow ones first, of those large ones. A
      // client that has finished frames before is more likely to finish this one.
      Double(counted[.assembly])
        * Double(max(1, (frameStart ?? loop.now).nanoseconds(to: loop.now)))
        / Double(1 + frameCount)
    }
  }
}

/// Why a connection ended: a label in metrics.
package enum ConnectionCloseReason: String, Sendable, CaseIterable {
  /// The peer closed it, or it was lost.
  case peer
  /// It was drained.
  case drained
  /// It reached a limit.
  case limit
  /// The peer broke the protocol.
  case violation
  /// Nothing came in time, or its place was needed for others.
  case idle
}
