internal import RPCKit

/// The timers of a connection of HTTP/2 beside those of every HTTP connection.
struct HTTP2Timers {
  /// The preface, or fields that are not complete.
  var head = TimerID.none
  /// Looks after streams and idle time now and then.
  var watch = TimerID.none
  /// When `watch` is due.
  var watchTime = MonotonicInstant.distantFuture
  /// The client was warned of a drain.
  var drain = TimerID.none

  enum Token: UInt64 {
    case head = 0x2_0000_0000
    case watch
    case drain
  }
}

extension HTTP2Connection {
  /// How often streams are looked after: what takes too long ends so much later at most.
  private static let watchInterval = Duration.seconds(5)

  /// A timer that `versionTimers` has started is due.
  func fired(_ token: UInt64) {
    switch HTTP2Timers.Token(rawValue: token) {
    case .head:
      versionTimers.head = .none
      core.observer.limitReached(.frameTime, source: source)
      close(.limit)
    case .watch:
      versionTimers.watch = .none
      watch()
    case .drain:
      versionTimers.drain = .none
      beginDraining()
    case .none: break
    }
  }

  /// The preface has to be complete in time.
  func startHeadTimer() {
    startTimer(&versionTimers.head, HTTP2Timers.Token.head, configuration.limits.headTimeout)
  }

  /// Called when what came was read.
  func updateTimers(_ session: HTTP2Session) {
    if session.isInsideFields || !session.hasSettings {
      startHeadTimer()
    } else {
      stopTimer(&versionTimers.head)
    }
    if versionTimers.watch != .none {
      let isLate = versionTimers.watchTime > loop.now.advanced(by: Self.watchInterval)
      guard isLate, !session.isEmpty else { return }
      stopTimer(&versionTimers.watch)
    }
    startWatch(after: Self.watchInterval)
  }

  private func startWatch(after span: Duration) {
    versionTimers.watchTime = loop.now.advanced(by: span)
    startTimer(&versionTimers.watch, HTTP2Timers.Token.watch, span)
  }

  func cancelTimers() {
    stopTimer(&versionTimers.head)
    stopTimer(&versionTimers.watch)
    stopTimer(&versionTimers.drain)
  }

  // MARK: - Watching

  private func watch() {
    guard let session, phase == .serving || phase == .draining else { return }
    for stream in session.openStreams {
      if isStalled(stream) {
        core.observer.limitReached(.outputStallTime, source: source)
        giveUp(stream)
      } else if isSlow(stream) {
        core.observer.limitReached(.frameTime, source: source)
        giveUp(stream)
      }
    }
    guard session.isEmpty else { return startWatch(after: Self.watchInterval) }
    session.rest()
    rest()
    let end = max(lastStreamClosed, lastCall).advanced(by: configuration.limits.idleTimeout)
    guard end <= loop.now else { return startWatch(after: loop.now.duration(to: end)) }
    core.observer.limitReached(.idleTime, source: source)
    drain()
  }

  /// Whether an answer waits for its window for too long.
  private func isStalled(_ stream: HTTP2Stream) -> Bool {
    stream.waitingByteCount > 0
      && stream.lastSent.advanced(by: limits.outputStallTimeout) <= loop.now
  }

  /// Whether a request that no handler has yet does not get on: one that a handler reads may take its time.
  private func isSlow(_ stream: HTTP2Stream) -> Bool {
    !stream.isRequestEnded && !stream.isAnswerEnded && exchanges[stream.id]?.call == nil
      && stream.lastReceived.advanced(by: configuration.limits.bodyTimeout) <= loop.now
  }

  private func giveUp(_ stream: HTTP2Stream) {
    session?.reset(stream.id, .cancel)
    scheduleFlush()
  }

  // MARK: - Draining

  /// Warns the client by a GOAWAY frame that refuses nothing yet, so that no request is lost on its way
  /// (RFC 9113 section 6.8).
  func warnClient() -> Bool {
    guard let session, !isTerminated else { return false }
    guard versionTimers.drain == .none else { return true }
    session.warnOfShutdown()
    startTimer(
      &versionTimers.drain,
      HTTP2Timers.Token.drain,
      configuration.limits.drainWarningTimeout
    )
    scheduleFlush()
    return true
  }

  /// The client has read the warning.
  func warningArrived() {
    guard versionTimers.drain != .none else { return }
    stopTimer(&versionTimers.drain)
    beginDraining()
  }
}
