/// The timers that every connection of a server has beside the deadlines of its calls, and what they compare with.
struct ConnectionTimers {
  /// Output that the client does not take.
  var stall = TimerID.none
  /// The age at which the connection is asked to move on.
  var age = TimerID.none
  /// The client may still read.
  var linger = TimerID.none
  /// Bounds the whole end of the connection.
  var close = TimerID.none
  /// When the last call began, or the connection if there was none.
  var lastCall: MonotonicInstant
  /// When bytes last arrived.
  var lastRead = MonotonicInstant(nanoseconds: 0)

  mutating func cancelAll(_ loop: any EventLoop) {
    for timer in [stall, age, linger, close] where timer != .none { loop.cancel(timer) }
    stall = .none
    age = .none
    linger = .none
    close = .none
  }
}

/// Which of the timers of every connection fired: above every number of a call, which are tokens too.
package enum ConnectionTimerToken: UInt64 {
  case stall = 0x1_0000_0000
  case age
  case linger
  case close

  /// Tokens from this one on are for the timers that a wire has of its own.
  package static let firstOfWire: UInt64 = 0x2_0000_0000
}

extension ServedConnection {
  /// Starts a timer, unless it runs already.
  package func startTimer(
    _ timer: inout TimerID,
    _ token: some RawRepresentable<UInt64>,
    _ span: Duration
  ) {
    guard timer == .none else { return }
    timer = loop.schedule(at: loop.now.advanced(by: span), target: self, token: token.rawValue)
  }

  /// Stops a timer, if it runs.
  package func stopTimer(_ timer: inout TimerID) {
    guard timer != .none else { return }
    loop.cancel(timer)
    timer = .none
  }

  /// Output that the client does not take must not wait forever.
  ///
  /// Called when output was written: `hasProgress` says whether the client took any of it, `isWaiting` whether
  /// some is left.
  package func watchOutput(isWaiting: Bool, hasProgress: Bool) {
    if hasProgress || !isWaiting { stopTimer(&timers.stall) }
    if isWaiting {
      startTimer(&timers.stall, ConnectionTimerToken.stall, limits.outputStallTimeout)
    }
  }

  /// Long-lived connections pin load to old servers; each is asked to move on at some age, spread
  /// by ±10 % so that they do not all move at once.
  func scheduleAgeLimit() {
    guard let age = core.configuration.connectionAgeMax else { return }
    let spread = Double(loop.randomNumber() % 2001) / 10_000 - 0.1
    startTimer(&timers.age, ConnectionTimerToken.age, age * (1 + spread))
  }

  /// Does what is due when one of the timers of every connection fired.
  package func fired(_ timer: ConnectionTimerToken) {
    switch timer {
    case .stall:
      timers.stall = .none
      core.observer.limitReached(.outputStallTime, source: source)
      close(.limit)
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
    }
  }

  /// A slow reader still reads, and one that still sends has not seen the end: what it sent to a closed
  /// connection would make its writes fail, and many a client gives up then without reading on.
  private func lingerTimePassed() {
    let isQuiet = lastRead.duration(to: loop.now) >= limits.lingerTimeout
    guard isQuiet, transport?.unacknowledgedByteCount == 0 else { return startLingerTimer() }
    close(closeReason)
  }

  func startLingerTimer() {
    startTimer(&timers.linger, ConnectionTimerToken.linger, limits.lingerTimeout)
  }
}
