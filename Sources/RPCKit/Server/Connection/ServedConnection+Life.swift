/// How a connection begins and ends, whatever wire it speaks.
extension ServedConnection {
  // MARK: - The beginning

  /// Notes what is known of the client now that the stream can be used.
  package func noteConnected() {
    guard let transport else { return }
    peer = transport.peer
    if transport is TLSTransport { core.observer.handshakeEnded(succeeded: true) }
    endHandshake()
    scheduleAgeLimit()
  }

  /// Notes that a TLS handshake begins, if one does; others may have to make room for it.
  func beginHandshake() {
    guard transport is TLSTransport else { return }
    let (number, victim) = resources.handshakes.begin(self, now: loop.now)
    handshakeNumber = number
    count(.sessions, TLSTransport.handshakeByteCount)
    guard let victim else { return }
    core.observer.limitReached(victim.limit, source: victim.connection.source)
    victim.connection.close(.limit)
  }

  /// Notes that no handshake is under way: what is left of it is what a connection keeps.
  func endHandshake() {
    if handshakeNumber != 0 { resources.handshakes.end(handshakeNumber) }
    handshakeNumber = 0
    countSession(0)
  }

  /// Notes what a connection takes by itself: what its wire takes beside what TLS does.
  package func countSession(_ wireByteCount: Int) {
    let isSecured = transport is TLSTransport
    count(.sessions, wireByteCount + (isSecured ? TLSTransport.openByteCount : 0))
  }

  /// Counts a handshake that the end of the stream shows to have failed.
  func noteHandshakeFailure(_ error: TransportError?) {
    guard error?.reason == .tlsFailed || error?.reason == .handshakeTimedOut else { return }
    core.observer.handshakeEnded(succeeded: false)
  }

  // MARK: - The end, in order

  /// Watches that the connection ends in time, and no longer what is for one in use.
  package func beginToEnd(_ reason: ConnectionCloseReason) {
    note(reason)
    stopTimer(&timers.age)
    count(.assembly, 0)
    startTimer(&timers.close, ConnectionTimerToken.close, limits.closeTimeout)
  }

  /// Sends the end of stream and waits for the client's.
  ///
  /// Closing while the client still sends would make the kernel drop what the client has not read (RFC 9112
  /// section 9.6), so what comes is read and thrown away.
  package func linger() {
    transport?.closeOutput()
    startLingerTimer()
  }

  // MARK: - The end, at once

  package func close(_ reason: ConnectionCloseReason) {
    note(reason)
    transport?.close()
    lose()
  }

  /// The stream is gone: everything is over; nothing when it was before.
  package func lose() {
    guard transport != nil else { return }
    transport = nil
    // It holds the connection.
    spareCall = nil
    endHandshake()
    lost()
    timers.cancelAll(loop)
    for sort in HeldSort.allCases { count(sort, 0) }
    core.connectionClosed(self, closeReason)
  }

  /// The first reason that this end has for it is why the connection ends.
  private func note(_ reason: ConnectionCloseReason) {
    if closeReason == .peer { closeReason = reason }
  }

  // MARK: - For the good of the others

  package func evict() {
    core.observer.limitReached(.idleTime, source: source)
    closeReason = .idle
    drain()
  }

  package func drainIdle() { drain() }

  package func shed(_ sort: HeldSort) {
    if sort != .sessions || !endIdle() { close(.limit) }
  }

  /// Ends a connection on which nothing is open, in order; false if something is.
  func endIdle() -> Bool {
    guard isIdle else { return false }
    // Its memory is free as soon as the turn has ended.
    count(.sessions, 0)
    closeReason = .idle
    drainIdle()
    return true
  }

  /// How long nothing has happened, times what it costs: of connections that cost the same, the longest at rest.
  package func restingBurden(since instant: MonotonicInstant) -> Double {
    Double(countedByteCount(.sessions)) * Double(max(1, instant.nanoseconds(to: loop.now)))
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
