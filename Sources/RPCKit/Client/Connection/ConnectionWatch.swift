/// The state that a connection keeps for its regular look at the clock.
struct ConnectionWatch {
  /// How often an active connection looks.
  static let interval = Duration.seconds(1)

  var connected = MonotonicInstant(nanoseconds: 0)
  /// When bytes last arrived.
  var lastRead = MonotonicInstant(nanoseconds: 0)
  /// When the transport last took output, or there was none.
  var outputProgressed = MonotonicInstant(nanoseconds: 0)
  /// Frames so far: tells one incomplete frame from the next.
  var frameCount: UInt64 = 0
  /// The incomplete frame that was seen at an earlier look, and when.
  var partialFrame: (count: UInt64, since: MonotonicInstant)?
  /// Since when reading is paused because callers do not take their messages.
  var pausedSince: MonotonicInstant?
  var timer = TimerID.none
  var isTickSlow = false

  mutating func cancelTick(on loop: any EventLoop) {
    loop.cancel(timer)
    timer = .none
  }
}

/// Timers of a connection: one for each deadline, and one regular look at everything else, so that
/// reading and writing never touch a timer.
extension ClientConnection {
  /// Names the regular look; deadlines are named by the number of their call, which is odd.
  static var tickToken: UInt64 { 0 }

  func timerFired(_ token: UInt64) {
    guard !isClosed else { return }
    guard token == Self.tickToken else {
      deadlinePassed(StreamID(rawValue: UInt32(truncatingIfNeeded: token)))
      return
    }
    watch.timer = .none
    tick()
    if !isClosed { scheduleTick() }
  }

  /// Makes sure that an active connection is looked at soon.
  func watchActivity() {
    guard watch.isTickSlow else { return }
    watch.cancelTick(on: loop)
    scheduleTick()
  }

  func scheduleTick() {
    let isIdle =
      machine.streamCount == 0 && output.isEmpty && output.allocatedByteCount == 0
      && !decoder.isInsideFrame && machine.keepalive == .listening
    watch.isTickSlow = isIdle
    let due =
      isIdle
      ? max(
        watch.lastRead.advanced(by: configuration.keepaliveInterval),
        loop.now.advanced(by: ConnectionWatch.interval)
      )
      : loop.now.advanced(by: ConnectionWatch.interval)
    watch.timer = loop.schedule(at: due, target: self, token: Self.tickToken)
  }

  private func tick() {
    let now = loop.now
    if let problem = partialFrameProblem(now) ?? outputProblem(now) ?? keepaliveProblem(now) {
      close(TransportError(.connectionLost, problem))
      return
    }
    checkStalledReading(now)
    assumeStockIfSilent(now)
    if output.isEmpty, machine.streamCount == 0 {
      output.release()
      codec.compression.release()
    }
  }

  private func partialFrameProblem(_ now: MonotonicInstant) -> String? {
    guard decoder.isInsideFrame, !isReadingPaused else {
      watch.partialFrame = nil
      return nil
    }
    guard let seen = watch.partialFrame, seen.count == watch.frameCount else {
      watch.partialFrame = (watch.frameCount, now)
      return nil
    }
    guard now >= seen.since.advanced(by: configuration.limits.frameTimeout) else { return nil }
    return "a frame of the server did not complete in time"
  }

  private func outputProblem(_ now: MonotonicInstant) -> String? {
    guard !output.isEmpty,
      now >= watch.outputProgressed.advanced(by: configuration.limits.outputStallTimeout)
    else { return nil }
    return "the server does not take what is sent to it"
  }

  private func keepaliveProblem(_ now: MonotonicInstant) -> String? {
    // While this side does not read, silence says nothing of the server.
    guard !isReadingPaused else { return nil }
    switch machine.checkKeepalive(
      now: now,
      lastRead: watch.lastRead,
      interval: configuration.keepaliveInterval,
      timeout: configuration.keepaliveTimeout
    ) {
    case .wait:
      return nil
    case .sendPing:
      ControlFrame.appendPing(to: &output, opaque: UInt64(bitPattern: now.nanoseconds))
      scheduleFlush()
      return nil
    case .lost:
      return "the server did not answer a PING in time"
    }
  }

  /// How long writers wait for a server's HELLO before they take it for a stock one.
  ///
  /// A stock server that reads a whole stream before it answers would wait for the rest forever.
  static var helloPatience: Duration { .seconds(2) }

  private func assumeStockIfSilent(_ now: MonotonicInstant) {
    guard machine.hasStreamOutOfCredit(),
      now >= watch.connected.advanced(by: Self.helloPatience),
      machine.assumeStock() == .resumeWriters
    else { return }
    resumeAllStreams()
  }
}

/// Messages that callers have not taken.
///
/// Only servers without our flow control can pile them up.
extension ClientConnection {
  func receivedUnconsumed(_ cost: Int) {
    unconsumedByteCount += cost
    guard machine.dialect == .stock, !isReadingPaused,
      unconsumedByteCount > configuration.limits.unconsumedByteCountMax
    else { return }
    isReadingPaused = true
    watch.pausedSince = loop.now
    transport.setReading(false)
  }

  /// The caller took messages, or dropped them with its call.
  ///
  /// Loop only.
  func releasedUnconsumed(_ cost: Int) {
    unconsumedByteCount -= cost
    guard isReadingPaused, !isClosed,
      unconsumedByteCount <= configuration.limits.unconsumedByteCountMax / 2
    else { return }
    isReadingPaused = false
    watch.pausedSince = nil
    transport.setReading(true)
  }

  /// Fails the calls that hold up the others: they had their time.
  private func checkStalledReading(_ now: MonotonicInstant) {
    guard let since = watch.pausedSince,
      now >= since.advanced(by: configuration.limits.streamStallTimeout)
    else { return }
    watch.pausedSince = now
    var slowest: (id: StreamID, byteCount: Int)?
    machine.streams.updateAll { id, stream in
      guard case .call(let call) = stream.call.target else { return }
      let byteCount = call.unconsumedByteCount
      if byteCount > slowest?.byteCount ?? 0 { slowest = (id, byteCount) }
    }
    guard let slowest else { return }
    failOpen(
      slowest.id,
      RPCError(.resourceExhausted, "the stream's messages were not consumed in time"),
      sendsCancel: true
    )
  }
}
