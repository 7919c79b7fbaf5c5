internal import RPCKit

/// Ends streams when what their callers proved to be let in has ended.
///
/// A unary call is over before its proof can be; a stream would go on for as long as its connection. So
/// each is looked at every few seconds, and all of them when something was revoked. Its caller is told
/// UNAUTHENTICATED with the reason `PROOF_ENDED` and may open it again with a new proof.
final class StreamRights: Sendable {
  private struct Stream {
    let call: CallContext
    /// Whether the proof would let the caller in now.
    let isGood: @Sendable () -> Bool
    var timer: LoopTimer?
  }

  private struct State {
    var streams: [UInt64: Stream] = [:]
    var lastID: UInt64 = 0
  }

  private let interval: Duration
  private let ended: Counter
  private let state = Lock(State())

  /// Looks at each stream once in an `interval`.
  init(interval: Duration, ended: Counter) {
    self.interval = interval
    self.ended = ended
  }

  /// A stream begins; the number to end it with.
  func begin(_ call: CallContext, isGood: @escaping @Sendable () -> Bool) -> UInt64 {
    let id = state.withLock { state in
      state.lastID += 1
      state.streams[state.lastID] = Stream(call: call, isGood: isGood)
      return state.lastID
    }
    schedule(id, call)
    return id
  }

  /// A stream has ended by itself.
  func end(_ id: UInt64) {
    let stream = state.withLock { $0.streams.removeValue(forKey: id) }
    stream?.timer?.cancel()
  }

  /// Looks at all streams now, because something was revoked.
  func lookAtAll() {
    let all = state.withLock { $0.streams }
    for (id, stream) in all where !stream.isGood() { refuse(id) }
  }

  private func look(_ id: UInt64) {
    guard let stream = state.withLock({ $0.streams[id] }) else { return }
    if stream.isGood() { schedule(id, stream.call) } else { refuse(id) }
  }

  private func schedule(_ id: UInt64, _ call: CallContext) {
    let timer = call.loop.after(interval) { [weak self] in self?.look(id) }
    let isKept = state.withLock { state in
      state.streams[id]?.timer = timer
      return state.streams[id] != nil
    }
    if !isKept { timer.cancel() }
  }

  private func refuse(_ id: UInt64) {
    guard let stream = state.withLock({ $0.streams.removeValue(forKey: id) }) else { return }
    stream.timer?.cancel()
    ended.increment()
    stream.call.end(IdentityError.proofEnded)
  }
}
