package import RPCKit

/// How the server and the stream drive a connection, from its beginning to its end.
extension HTTPConnection: ServedConnection {
  package final func start() {
    preconditionFailure(
      "an HTTP connection takes over a stream that was started to find out what it speaks"
    )
  }

  // MARK: - The stream

  package final func transportConnected() {
    guard stream != nil else { return }
    noteConnected()
    isTrustedProxy = configuration.trustedProxies.contains(remotePeer)
    connected()
  }

  package final func transportReceived(_ bytes: Span<UInt8>) {
    core.observer.received(byteCount: bytes.count)
    lastRead = loop.now
    guard phase == .serving || phase == .draining else {
      discardedByteCount += bytes.count
      return updateReading()
    }
    process(bytes)
    if phase == .serving || phase == .draining { countInput() }
    scheduleFlush()
  }

  package final func transportReceivedEnd() {
    hasClientEnded = true
    switch phase {
    case .serving, .draining: clientEnded()
    // It may still read.
    case .flushing: break
    case .lingering, .closed: close(.peer)
    }
  }

  package final func transportBecameWritable() {
    flush()
  }

  package final func transportClosed(_ error: TransportError?) {
    lose()
  }

  package final func timerFired(_ token: UInt64) {
    if let id = UInt32(exactly: token) {
      // The call may have ended in the turn in which its timer was due.
      calls[id]?.call?.deadlinePassed()
    } else if let timer = ConnectionTimerToken(rawValue: token) {
      fired(timer)
    } else {
      versionTimerFired(token)
    }
  }

  // MARK: - What the server knows

  package final var isIdle: Bool {
    phase == .serving && exchanges.isEmpty && !hasBegunRequest && outputByteCount == 0
  }

  package final var census: ConnectionCensus {
    ConnectionCensus(
      openCallCount: exchanges.count,
      queuedByteCount: outputByteCount,
      unconsumedByteCount: heldRequestByteCount
    )
  }

  package final func burden(_ sort: HeldSort) -> Double {
    switch sort {
    case .output: Double(countedByteCount(.output))
    case .sessions: calls.isEmpty ? restingBurden(since: lastActivity) : 0
    case .assembly:
      // Bytes times the time that the client has made the oldest request wait, as for frames.
      Double(countedByteCount(.assembly)) * Double(max(1, oldestWait.nanoseconds(to: loop.now)))
    }
  }

  /// Since when the client has made a request wait; now if it makes none.
  private final var oldestWait: MonotonicInstant {
    exchanges.values.reduce(requestStart ?? loop.now) { oldest, exchange in
      exchange.waitsForClient ? min(oldest, exchange.received) : oldest
    }
  }

  // MARK: - The end

  package final func drain() {
    guard phase == .serving, !warnsOfDrain() else { return }
    beginDraining()
  }

  package final func drainIdle() { beginDraining() }

  /// Takes no further exchange from now on.
  final func beginDraining() {
    guard phase == .serving else { return }
    phase = .draining
    announceDrain()
    scheduleFlush()
  }

  package final func endResponseStreams() {
    for exchange in calls.values { exchange.call?.endResponseStream() }
  }

  /// Ends the connection from this side: what is open is given up, what was answered before still goes out.
  final func end(_ reason: ConnectionCloseReason) {
    guard phase == .serving || phase == .draining else { return }
    giveUpExchanges()
    stopUse(reason)
    scheduleFlush()
  }

  /// Stops everything that is for a connection in use; what was answered goes out.
  final func stopUse(_ reason: ConnectionCloseReason) {
    phase = .flushing
    stopped()
    beginToEnd(reason)
  }

  /// Everything is out: the client gets the end of stream, unless it has ended its own already.
  final func finishOutput() {
    phase = .lingering
    linger()
    if hasClientEnded { close(.peer) }
  }

  package final func lost() {
    phase = .closed
    giveUpExchanges()
    stopped()
    output.release()
  }
}
