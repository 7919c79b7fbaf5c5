/// The timers of a connection that are not a call's deadline, and what they compare with.
struct ConnectionTimers {
  var frame = TimerID.none
  var stall = TimerID.none
  var streamStall = TimerID.none
  var keepalive = TimerID.none
  var age = TimerID.none
  /// While a drain waits for the first frame, and while the client may still read.
  var linger = TimerID.none
  /// Bounds the whole end of the connection.
  var close = TimerID.none
  var firstFrame = TimerID.none
  /// When the last call began.
  var lastCall = MonotonicInstant(nanoseconds: 0)
  /// When bytes last arrived.
  var lastRead = MonotonicInstant(nanoseconds: 0)
  /// When the PING went out that nothing was read after.
  var pingSent: MonotonicInstant?

  mutating func cancelAll(_ loop: any EventLoop) {
    cancelUse(loop)
    for timer in [stall, close] where timer != .none { loop.cancel(timer) }
    self = ConnectionTimers()
  }

  /// Cancels those that watch a connection in use, and not how it ends.
  mutating func cancelUse(_ loop: any EventLoop) {
    for timer in [frame, streamStall, keepalive, age, linger, firstFrame] where timer != .none {
      loop.cancel(timer)
    }
    frame = .none
    streamStall = .none
    keepalive = .none
    age = .none
    linger = .none
    firstFrame = .none
  }
}

extension ServerConnection {
  /// Which timer fired: above every call number, which are tokens too.
  enum TimerToken: UInt64 {
    case frame = 0x1_0000_0000
    case stall
    case streamStall
    case keepalive
    case age
    case linger
    case close
    case firstFrame
  }

  func timerFired(_ token: UInt64) {
    guard let kind = TimerToken(rawValue: token) else {
      return deadlinePassed(StreamID(rawValue: UInt32(truncatingIfNeeded: token)))
    }
    switch kind {
    case .frame:
      timers.frame = .none
      // While this side does not read, the rest of the frame cannot come.
      guard reading == .on else { return startTimer(&timers.frame, .frame, limits.frameTimeout) }
      core.observer.limitReached(.frameTime, source: source)
      end(.limit)
    case .stall:
      timers.stall = .none
      core.observer.limitReached(.outputStallTime, source: source)
      close(.limit)
    case .streamStall:
      timers.streamStall = .none
      failStalledStreams()
    case .keepalive:
      timers.keepalive = .none
      keepAlive()
    case .age:
      timers.age = .none
      drain()
    case .linger:
      timers.linger = .none
      lingerTimePassed()
    case .close:
      timers.close = .none
      core.observer.limitReached(.closeTime, source: source)
      close(.limit)
    case .firstFrame:
      timers.firstFrame = .none
      core.observer.limitReached(.firstFrameTime, source: source)
      // Nothing was answered, so nothing can be lost.
      close(.idle)
    }
  }

  private func deadlinePassed(_ id: StreamID) {
    // The call may have ended in the turn in which its timer was due.
    machine.streams[id]?.call.deadlinePassed()
  }

  func startTimer(_ timer: inout TimerID, _ token: TimerToken, _ span: Duration) {
    guard timer == .none else { return }
    timer = loop.schedule(at: loop.now.advanced(by: span), target: self, token: token.rawValue)
  }

  func stopTimer(_ timer: inout TimerID) {
    guard timer != .none else { return }
    loop.cancel(timer)
    timer = .none
  }

  /// Output that the peer does not take must not wait forever.
  func watchStalledOutput(hasProgress: Bool) {
    if hasProgress { stopTimer(&timers.stall) }
    startTimer(&timers.stall, .stall, limits.outputStallTimeout)
  }

  /// Streams of a peer without flow control whose handlers do not take their messages hold up the
  /// whole connection; they end so that it continues.
  private func failStalledStreams() {
    for call in machine.openCalls where (call.inbound?.waitingByteCount ?? 0) > 0 {
      core.observer.limitReached(.streamStallTime)
      core.observer.streamFailedStalled()
      call.fail(
        RPCError(
          .resourceExhausted,
          .streamStalled,
          "the stream's messages were not consumed in time; retry after the given delay",
          retryAfter: .milliseconds(100)
        )
      )
    }
  }

  func scheduleKeepalive() {
    guard let interval = core.configuration.keepalive?.interval else { return }
    startTimer(&timers.keepalive, .keepalive, interval)
  }

  /// Asks an extended peer for a sign of life when it gave none for an interval.
  ///
  /// A stock peer cannot be asked; the kernel's own keepalive watches it.
  private func keepAlive() {
    guard let keepalive = core.configuration.keepalive else { return }
    // Anything that was read since the PING is a sign of life, its answer or not.
    if let sent = timers.pingSent, timers.lastRead <= sent {
      core.observer.limitReached(.keepaliveTime)
      return close(.limit)
    }
    timers.pingSent = nil
    let silence = timers.lastRead.nanoseconds(to: loop.now)
    let interval = keepalive.interval.nanosecondsSaturated
    if machine.dialect != .stock, silence >= interval {
      ControlFrame.appendPing(to: &output, opaque: loop.randomNumber())
      timers.pingSent = loop.now
      scheduleFlush()
      startTimer(&timers.keepalive, .keepalive, keepalive.timeout)
    } else {
      // Looks again when the silence could have become long enough.
      startTimer(&timers.keepalive, .keepalive, .nanoseconds(max(interval - silence, interval / 8)))
    }
  }

  /// Long-lived connections pin load to old servers; each is asked to move on at some age, spread
  /// by ±10 % so that they do not all move at once.
  func scheduleAgeLimit() {
    guard let age = core.configuration.connectionAgeMax else { return }
    let spread = Double(loop.randomNumber() % 2001) / 10_000 - 0.1
    startTimer(&timers.age, .age, age * (1 + spread))
  }
}
