internal import RPCKit

/// Ends streams when what their callers proved to be let in has ended.
///
/// A unary call is over before its proof can be; a stream would continue for as long as its connection. So
/// each is looked at every few seconds, and all of them when something was revoked. Its caller learns
/// UNAUTHENTICATED with the reason `PROOF_ENDED` and may open it again with a new proof.
final class StreamRights: Sendable {
  private struct Stream {
    let call: CallContext
    /// Whether the proof would let the caller in now.
    let isGood: @Sendable () -> Bool
    var timer: LoopTimer?
  }

  private let interval: Duration
  private let ended: Counter
  private let streams = Lock<[ObjectIdentifier: Stream]>([:])

  /// Looks at each stream once in an `interval`.
  init(interval: Duration, ended: Counter) {
    self.interval = interval
    self.ended = ended
  }

  /// A stream begins.
  func begin(_ call: CallContext, isGood: @escaping @Sendable () -> Bool) {
    streams.withLock { $0[ObjectIdentifier(call)] = Stream(call: call, isGood: isGood) }
    schedule(call)
  }

  /// A stream has ended by itself; nothing happens when it never began.
  func end(_ call: CallContext) {
    let stream = streams.withLock { $0.removeValue(forKey: ObjectIdentifier(call)) }
    stream?.timer?.cancel()
  }

  /// Looks at all streams now, because something was revoked.
  func checkAll() {
    let all = streams.withLock { $0.values.map { $0 } }
    for stream in all where !stream.isGood() { refuse(stream.call) }
  }

  private func look(_ id: ObjectIdentifier) {
    guard let stream = streams.withLock({ $0[id] }) else { return }
    if stream.isGood() { schedule(stream.call) } else { refuse(stream.call) }
  }

  private func schedule(_ call: CallContext) {
    // Not the call itself, which would be kept for the timer's sake.
    let id = ObjectIdentifier(call)
    let timer = call.loop.after(interval) { [weak self] in self?.look(id) }
    let isKept = streams.withLock { streams in
      streams[id]?.timer = timer
      return streams[id] != nil
    }
    if !isKept { timer.cancel() }
  }

  private func refuse(_ call: CallContext) {
    let removed = streams.withLock { $0.removeValue(forKey: ObjectIdentifier(call)) }
    guard let stream = removed else { return }
    stream.timer?.cancel()
    ended.increment()
    stream.call.end(IdentityError.proofEnded)
  }
}
