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
      startTimer(&frameTimers.drain, TimerToken.drain, limits.lingerTimeout)
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
    stopUse(reason)
    scheduleFlush()
  }

  /// Stops everything that is for a connection in use; the machine flushes already.
  func stopUse(_ reason: ConnectionCloseReason) {
    frameTimers.cancelAll(loop)
    decoder.abandon()
    beginToEnd(reason)
  }

  /// Throws away what comes on a connection that is ending.
  func discard(_ bytes: Span<UInt8>) {
    machine.discard(byteCount: bytes.count)
    updateReading()
  }

  // MARK: - At once

  func lost() {
    for call in machine.close() { call.cancel(RPCError(.cancelled, "connection lost")) }
    frameTimers.cancelAll(loop)
    output.release()
    decoder.abandon()
  }

  // MARK: - For the good of the others

  /// Whether nothing would be lost if the connection closed now: no call is open and every answer
  /// is with the client.
  var isIdle: Bool {
    machine.takesFrames && machine.streams.isEmpty && output.isEmpty && !decoder.isInsideFrame
  }

  var census: ConnectionCensus {
    ConnectionCensus(
      openCallCount: machine.streams.count,
      queuedByteCount: output.byteCount,
      unconsumedByteCount: unconsumedByteCount
    )
  }

  /// Gives its memory to others: all connections together hold too much.
  func shed(_ sort: HeldSort) {
    switch sort {
    case .assembly: end(.limit)
    // Its client does not read, so nothing would come of lingering.
    case .output: close(.limit)
    case .sessions: if !endIdle() { end(.limit) }
    }
  }

  /// How much of a burden it is on the others, in terms that compare connections.
  func burden(_ sort: HeldSort) -> Double {
    switch sort {
    case .output: Double(countedByteCount(.output))
    case .sessions: machine.streams.isEmpty ? restingBurden(since: lastCall) : 0
    case .assembly:
      // Bytes times the time that they have been held for: slow ones first, of those large ones. A
      // client that has finished frames before is more likely to finish this one.
      Double(countedByteCount(.assembly))
        * Double(max(1, (frameStart ?? loop.now).nanoseconds(to: loop.now)))
        / Double(1 + frameCount)
    }
  }
}
