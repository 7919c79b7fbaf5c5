/// The parts that only RPCKit servers take part in: settings, GOAWAY, flow control, keepalive.
extension ClientConnectionMachine {
  enum OnDialect: Equatable {
    /// The server speaks plain ttrpc: writers that wait for credit may continue.
    case resumeWriters
    case unchanged
  }

  /// Looks at the first frame of the server: an answer to HELLO comes before everything else, so
  /// another frame means that there will be none.
  mutating func settleDialect(by header: FrameHeader) -> OnDialect {
    guard dialect == .undecided, phase != .closed else { return .unchanged }
    guard header.type == .response || header.type == .data else { return .unchanged }
    return assumeStock()
  }

  /// Takes the server for a stock one: it answered without HELLO, or has been silent for long.
  mutating func assumeStock() -> OnDialect {
    guard dialect == .undecided, phase != .closed else { return .unchanged }
    dialect = .stock
    streams.updateAll { _, stream in stream.sendCredit = .max }
    return .resumeWriters
  }

  /// Whether a stream waits for credit from a server of which nothing is known yet.
  mutating func hasStreamOutOfCredit() -> Bool {
    guard dialect == .undecided else { return false }
    var found = false
    streams.updateAll { _, stream in
      if stream.isOutboundOpen, stream.sendCredit <= 0 { found = true }
    }
    return found
  }

  /// Notes the server's settings and corrects the credit of calls that began on the assumed window.
  mutating func agree(_ settings: ConnectionSettings) {
    precondition(dialect == .undecided, "settings are agreed once")
    dialect = .extended(settings)
    let difference = settings.streamWindowByteCount - Self.assumedWindowByteCount
    streams.updateAll { _, stream in stream.sendCredit += difference }
  }

  /// The server serves calls up to `lastAccepted` and no others; returns those that it will not
  /// serve, which may be sent elsewhere.
  mutating func goAway(lastAccepted: StreamID) -> [Call] {
    guard phase != .closed else { return [] }
    phase = .draining
    return removeStreams { $0 > lastAccepted }
  }

  /// Removes calls, in the order they began.
  mutating func removeStreams(where isRemoved: (StreamID) -> Bool) -> [Call] {
    streams.ids.filter(isRemoved).sorted().compactMap { streams.remove($0)?.call }
  }

  // MARK: - Sending messages

  enum OnSend: Equatable {
    /// Append the Data frame and call `sent`.
    case send
    /// Wait for credit.
    case wait
    /// This side has finished or the call is over.
    case refuse
  }

  /// Whether a message may be sent now.
  ///
  /// One that is larger than the credit left may go, so that no message is too large for the
  /// window; the debt is paid before the next.
  mutating func admitMessage(_ id: StreamID) -> OnSend {
    streams.update(id) { stream in
      guard stream.isOutboundOpen else { return .refuse }
      return stream.sendCredit > 0 ? .send : .wait
    } ?? .refuse
  }

  /// Takes what a sent message costs.
  mutating func sent(_ id: StreamID, payloadByteCount: Int) {
    guard dialect != .stock else { return }
    _ = streams.update(id) { $0.sendCredit -= Self.cost(payloadByteCount) }
  }

  /// Adds credit that the server granted; true when the call is open.
  mutating func addCredit(_ id: StreamID, byteCount: Int) -> Bool {
    streams.update(id) { stream in
      let (sum, overflow) = stream.sendCredit.addingReportingOverflow(byteCount)
      stream.sendCredit = overflow ? .max : sum
      return true
    } ?? false
  }

  /// Ends this side of a call's messages; true when an end must be sent.
  mutating func finishSending(_ id: StreamID) -> Bool {
    streams.update(id) { stream in
      defer { stream.isOutboundOpen = false }
      return stream.isOutboundOpen
    } ?? false
  }

  // MARK: - Receiving messages

  /// Takes what a message was larger before it was deflated: windows bound memory, so they count
  /// messages as they are held and not as they travelled.
  mutating func chargeInflated(_ id: StreamID, byteCount: Int) {
    _ = streams.update(id) { $0.receiveCredit -= byteCount }
  }

  /// Notes that the caller took a message; returns the credit to grant once it is worth a frame.
  mutating func consumed(_ id: StreamID, cost: Int) -> Int? {
    guard case .extended = dialect else { return nil }
    let window = windowByteCount
    return streams.update(id) { stream -> Int? in
      stream.unreturnedCredit += cost
      guard stream.unreturnedCredit >= window / 2 else { return nil }
      defer { stream.unreturnedCredit = 0 }
      stream.receiveCredit += stream.unreturnedCredit
      return stream.unreturnedCredit
    } ?? nil
  }

  // MARK: - Keepalive

  /// Whether the server is known to be alive.
  enum Keepalive: Equatable {
    /// Bytes arrive, or the next PING is not due.
    case listening
    /// A PING is out.
    ///
    /// Any byte answers it.
    case probing(since: MonotonicInstant)
  }

  enum OnKeepalive: Equatable {
    case sendPing
    case wait
    /// Nothing came back in time: the connection is dead.
    case lost
  }

  /// Looks at the clock.
  ///
  /// `lastRead` is when bytes last arrived.
  mutating func checkKeepalive(
    now: MonotonicInstant,
    lastRead: MonotonicInstant,
    interval: Duration,
    timeout: Duration
  ) -> OnKeepalive {
    guard phase == .open || phase == .draining, case .extended = dialect else { return .wait }
    switch keepalive {
    case .listening:
      guard now >= lastRead.advanced(by: interval) else { return .wait }
      keepalive = .probing(since: now)
      return .sendPing
    case .probing(let since):
      if lastRead >= since {
        keepalive = .listening
        return .wait
      }
      return now >= since.advanced(by: timeout) ? .lost : .wait
    }
  }
}
