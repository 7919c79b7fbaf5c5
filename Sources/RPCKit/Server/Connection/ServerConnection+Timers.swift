/// The timers of a connection that speaks in frames, beside those that every connection has.
struct FrameTimers {
  var frame = TimerID.none
  var streamStall = TimerID.none
  var keepalive = TimerID.none
  /// A drain waits for the first frame.
  var drain = TimerID.none
  var firstFrame = TimerID.none
  /// When the PING went out that nothing was read after.
  var pingSent: MonotonicInstant?

  /// Which timer fired.
  enum Token: UInt64 {
    case frame = 0x2_0000_0000
    case streamStall
    case keepalive
    case drain
    case firstFrame
  }

  mutating func cancelAll(_ loop: any EventLoop) {
    for timer in [frame, streamStall, keepalive, drain, firstFrame] where timer != .none {
      loop.cancel(timer)
    }
    self = FrameTimers()
  }
}

extension ServerConnection {
  typealias TimerToken = FrameTimers.Token

  func timerFired(_ token: UInt64) {
    if let id = UInt32(exactly: token) { return deadlinePassed(StreamID(rawValue: id)) }
    if let timer = ConnectionTimerToken(rawValue: token) { return fired(timer) }
    guard let timer = TimerToken(rawValue: token) else { return }
    switch timer {
    case .frame:
      frameTimers.frame = .none
      // While this side does not read, the rest of the frame cannot come.
      guard reading == .on else {
        return startTimer(&frameTimers.frame, TimerToken.frame, limits.frameTimeout)
      }
      core.observer.limitReached(.frameTime, source: source)
      end(.limit)
    case .streamStall:
      frameTimers.streamStall = .none
      failStalledStreams()
    case .keepalive:
      frameTimers.keepalive = .none
      keepAlive()
    case .drain:
      frameTimers.drain = .none
      flush()
    case .firstFrame:
      frameTimers.firstFrame = .none
      core.observer.limitReached(.firstFrameTime, source: source)
      // Nothing was answered, so nothing can be lost.
      close(.idle)
    }
  }

  private func deadlinePassed(_ id: StreamID) {
    // The call may have ended in the turn in which its timer was due.
    machine.streams[id]?.call.deadlinePassed()
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
    startTimer(&frameTimers.keepalive, TimerToken.keepalive, interval)
  }

  /// Asks an extended peer for a sign of life when it gave none for an interval.
  ///
  /// A stock peer cannot be asked; the kernel's own keepalive watches it.
  private func keepAlive() {
    guard let keepalive = core.configuration.keepalive else { return }
    // Anything that was read since the PING is a sign of life, its answer or not.
    if let sent = frameTimers.pingSent, lastRead <= sent {
      core.observer.limitReached(.keepaliveTime)
      return close(.limit)
    }
    frameTimers.pingSent = nil
    let silence = lastRead.nanoseconds(to: loop.now)
    let interval = keepalive.interval.nanosecondsSaturated
    if machine.dialect != .stock, silence >= interval {
      ControlFrame.appendPing(to: &output, opaque: loop.randomNumber())
      frameTimers.pingSent = loop.now
      scheduleFlush()
      startTimer(&frameTimers.keepalive, TimerToken.keepalive, keepalive.timeout)
    } else {
      // Looks again when the silence could have become long enough.
      startTimer(
        &frameTimers.keepalive,
        TimerToken.keepalive,
        .nanoseconds(max(interval - silence, interval / 8))
      )
    }
  }
}
