/// The streaming calls that a server has open: every kind of call but the unary ones.
///
/// A stream may last forever and need nothing but memory, so what bounds it is not admission control.
/// Each caller has a bound; besides, anonymous callers together may have a quarter of all streaming
/// calls, and three quarters together with users, so that neither can take the last quarter from
/// services. Safe from any thread.
final class StreamingCalls: Sendable {
  private struct State {
    var openCount = 0
    /// Calls of each kind, by its place in `allCases`; those of the unknown are not counted here.
    var kindCounts = Array(repeating: 0, count: CountedCallerKind.allCases.count)
    /// Open calls whose holder is known.
    var holders: [ObjectIdentifier: CountedCaller] = [:]
    /// How many each holder has; never zero.
    var counts: [CountedCaller: Int] = [:]

    subscript(kind: CountedCallerKind) -> Int {
      get { kindCounts[kind.index] }
      set { kindCounts[kind.index] = newValue }
    }

    /// Whether callers of one kind may have one more of `all`.
    func hasRoom(for kind: CountedCallerKind, of all: Int) -> Bool {
      switch kind {
      case .anonymous where self[.anonymous] >= max(1, all / 4): false
      case .anonymous, .user: self[.anonymous] + self[.user] < max(1, all * 3 / 4)
      case .service, .unknown: true
      }
    }
  }

  private let limits: Limits
  private let gauges: [Gauge]
  private let state = Lock(State())

  init(_ limits: Limits, _ metrics: ServerMetrics) {
    self.limits = limits
    gauges = CountedCallerKind.allCases.map { metrics.streamingCalls($0) }
  }

  /// Open streaming calls.
  var openCount: Int { state.withLock { $0.openCount } }

  /// Takes a place for a call whose caller is not known yet; false when there is none.
  func open() -> Bool {
    let isOpen = state.withLock { state in
      guard state.openCount < limits.streamingCallsMax else { return false }
      state.openCount += 1
      return true
    }
    if isOpen { gauge(.unknown).add(1) }
    return isOpen
  }

  /// Counts an open call for its caller; why not, when the caller or its kind has too many.
  ///
  /// The first holder of a call counts.
  func count(_ call: CallContext, for holder: CountedCaller) -> ShedReason? {
    let kind = holder.kind
    let isCounted = state.withLock { state -> Result<Bool, Refusal> in
      guard state.holders[ObjectIdentifier(call)] == nil else { return .success(false) }
      guard state.counts[holder, default: 0] < countMax(holder) else {
        return .failure(Refusal(reason: .streamingCallsPerCaller))
      }
      guard state.hasRoom(for: kind, of: limits.streamingCallsMax) else {
        return .failure(Refusal(reason: .streamingCalls))
      }
      state.holders[ObjectIdentifier(call)] = holder
      state.counts[holder, default: 0] += 1
      state[kind] += 1
      return .success(true)
    }
    switch isCounted {
    case .failure(let refusal): return refusal.reason
    case .success(let isNew):
      guard isNew else { return nil }
      gauge(.unknown).add(-1)
      gauge(kind).add(1)
      return nil
    }
  }

  /// The handler of a call returned, or was never started.
  func close(_ call: CallContext?) {
    let kind = state.withLock { state -> CountedCallerKind in
      state.openCount -= 1
      guard let call, let holder = state.holders.removeValue(forKey: ObjectIdentifier(call)) else {
        return .unknown
      }
      let left = state.counts[holder, default: 0] - 1
      state.counts[holder] = left > 0 ? left : nil
      state[holder.kind] -= 1
      return holder.kind
    }
    gauge(kind).add(-1)
  }

  private struct Refusal: Error {
    let reason: ShedReason
  }

  private func countMax(_ holder: CountedCaller) -> Int {
    switch holder {
    case .anonymous: limits.streamingCallsPerSourceMax
    case .user: limits.streamingCallsPerUserMax
    case .service: limits.streamingCallsPerServiceMax
    }
  }

  private func gauge(_ kind: CountedCallerKind) -> Gauge { gauges[kind.index] }
}

extension CallContext {
  /// Whether one side of the call sends more than one message.
  public var isStreaming: Bool { boundMethod.isStreaming }

  /// Counts a streaming call for anyone who makes it; for interceptors that know.
  ///
  /// Throws RESOURCE_EXHAUSTED, not processed, when that caller or its kind has too many open
  /// (`Limits.streamingCallsMax` and those after it), which is to be thrown on. Once for each call;
  /// unary calls are not counted.
  public func countStream(for holder: CountedCaller) throws(RPCError) {
    guard isStreaming, let reason = connection.core.streamingCalls.count(self, for: holder) else {
      return
    }
    connection.core.shed(boundMethod, reason)
    throw reason == .streamingCallsPerCaller
      ? .tooManyStreamingCalls("the caller has too many streaming calls open; end some first")
      : .tooManyStreamingCalls(
        "the server has too many streaming calls open; retry after the given delay"
      )
  }
}
