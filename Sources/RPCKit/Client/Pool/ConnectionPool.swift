/// The connections of one channel, and the calls that wait for one.
///
/// The state is behind one lock, which is held for a few steps at a time and never while anything
/// of a connection, a task or the user runs.
final class ConnectionPool: TimerTarget, Sendable {
  enum Phase {
    /// No call came yet.
    case idle
    case active
    /// `close` was called: open calls finish, none begins.
    case closing
  }

  struct State {
    var phase = Phase.idle
    var picker: ConnectionPicker
    var slots: [ConnectionSlot] = []
    var slotsBackingOff: Set<ObjectIdentifier> = []
    var isResolving = false
    /// A timer is set, or about to be, that looks the names up.
    var isResolveScheduled = false
    /// When names were last looked up.
    var lastResolved: MonotonicInstant?
    /// Failures of the resolver in a row.
    var resolveFailures = 0
    var nextLoop = 0
    var waiters = CallWaiters()
    /// Connections that are being made, ready, or finishing.
    var liveConnectionCount = 0
    /// The last failure since there was a connection.
    var lastError: (any Error)?
    /// The log says that nothing can be reached.
    var isReportedUnreachable = false
    var closeWaiters: [CallContinuation<Void>] = []
  }

  let target: ChannelTarget
  let configuration: ChannelConfiguration
  let state: Lock<State>

  init(_ target: ChannelTarget, _ configuration: ChannelConfiguration) {
    self.target = target
    self.configuration = configuration
    let seed = configuration.seed ?? SystemRandomNumberGenerator.number()
    var state = State(picker: ConnectionPicker(seed: seed))
    // Channels made one after the other do not all begin on the first loop.
    state.nextLoop = Int(seed % UInt64(configuration.loops.loops.count))
    self.state = Lock(state)
  }

  /// The loop for what belongs to no connection.
  var homeLoop: any EventLoop { configuration.loops.loops[0] }

  // MARK: - Calls

  /// A connection with room, already counted as used; nil when the caller has to wait.
  func pick() -> ClientConnection? {
    state.withLock { $0.phase == .active ? $0.picker.pick() : nil }
  }

  /// Waits for a connection with room.
  func connection(
    deadline: MonotonicInstant,
    waitsForReady: Bool
  ) async -> Result<ClientConnection, RPCError> {
    if let connection = pick() { return .success(connection) }
    start()
    let id = state.withLock { $0.waiters.newID() }
    return await withTaskCancellationHandler {
      await CallContinuation<ClientConnection>.suspend { continuation in
        enqueue(CallWaiter(id: id, waitsForReady: waitsForReady, continuation), deadline: deadline)
      }
    } onCancel: {
      failWaiter(id, .cancelledByCaller)
    }
  }

  private func enqueue(_ waiter: CallWaiter, deadline: MonotonicInstant) {
    let outcome = state.withLock { state -> Result<ClientConnection, RPCError>? in
      guard state.phase != .closing else { return .failure(.channelClosed) }
      // Cancelled before this point: the handler has run and found no waiter.
      guard !Task.isCancelled else { return .failure(.cancelledByCaller) }
      if let connection = state.picker.pick() { return .success(connection) }
      if !waiter.waitsForReady, state.hasFailed { return .failure(.noConnection(state.lastError)) }
      guard state.waiters.count < configuration.waitingCallsMax else {
        return .failure(.tooManyWaiting)
      }
      state.waiters.append(waiter)
      return nil
    }
    if let outcome {
      waiter.continuation.resume(outcome)
      return
    }
    observeWaiters()
    guard deadline != .distantFuture else { return }
    homeLoop.execute { [self] in
      let isWaiting = state.withLock { $0.waiters.contains(waiter.id) }
      guard isWaiting else { return }
      let timer = homeLoop.schedule(at: deadline, target: self, token: waiter.id)
      state.withLock { $0.waiters.setTimer(timer, of: waiter.id) }
    }
  }

  func timerFired(_ token: UInt64) {
    guard token != Self.resolveToken else {
      state.withLock { $0.isResolveScheduled = false }
      resolve()
      return
    }
    guard token != Self.cutToken else {
      cut()
      return
    }
    failWaiter(token, .deadlineExceededWaiting(state.withLock { $0.lastError }))
  }

  private func failWaiter(_ id: UInt64, _ error: RPCError) {
    guard let waiter = state.withLock({ $0.waiters.remove(id) }) else { return }
    // Its deadline may be hours away.
    cancelTimer(of: waiter)
    waiter.continuation.resume(.failure(error))
    observeWaiters()
  }

  /// Gives connections to the calls that wait, oldest first.
  func serveWaiters() {
    let served = state.withLock { state in
      var served: [(CallWaiter, ClientConnection)] = []
      while !state.waiters.isEmpty, let connection = state.picker.pick() {
        guard let waiter = state.waiters.removeFirst() else { break }
        served.append((waiter, connection))
      }
      return served
    }
    guard !served.isEmpty else { return }
    for (waiter, connection) in served {
      cancelTimer(of: waiter)
      waiter.continuation.resume(.success(connection))
    }
    observeWaiters()
  }

  /// Fails the calls that do not want to wait while every address is down.
  func failImpatientWaiters() {
    let (failed, error, isNews) = state.withLock { state in
      guard state.hasFailed else { return ([] as [CallWaiter], state.lastError, false) }
      let isNews = state.phase == .active && !state.isReportedUnreachable
      state.isReportedUnreachable = true
      return (state.waiters.removeAll { !$0.waitsForReady }, state.lastError, isNews)
    }
    if isNews {
      let reason = error.map { "\($0)" } ?? "the server takes no calls"
      configuration.logger?.warning("peer unreachable", ["error": .string(reason)])
    }
    guard !failed.isEmpty else { return }
    for waiter in failed {
      cancelTimer(of: waiter)
      waiter.continuation.resume(.failure(.noConnection(error)))
    }
    observeWaiters()
  }

  func cancelTimer(of waiter: CallWaiter) {
    guard waiter.timer != .none else { return }
    homeLoop.execute { [homeLoop] in homeLoop.cancel(waiter.timer) }
  }

  func observeWaiters() {
    guard let observer = configuration.observer else { return }
    observer.waitingCallsChanged(state.withLock { $0.waiters.count })
  }

  // MARK: - From the slots

  func isReady(_ connection: ClientConnection, of slot: ConnectionSlot) {
    let (isWanted, isNews) = state.withLock { state in
      state.slotsBackingOff.remove(ObjectIdentifier(slot))
      guard state.phase == .active else { return (false, false) }
      state.picker.add(connection)
      state.lastError = nil
      defer { state.isReportedUnreachable = false }
      return (true, state.isReportedUnreachable)
    }
    if isNews {
      configuration.logger?.notice(
        "peer reachable again",
        ["address": .string("\(slot.destination.address)")]
      )
    }
    if isWanted { serveWaiters() }
  }

  func isUnusable(_ connection: ClientConnection) {
    _ = state.withLock { $0.picker.remove(connection) }
  }

  func isBackingOff(_ slot: ConnectionSlot, _ error: TransportError?) {
    state.withLock { state in
      guard state.slots.contains(where: { $0 === slot }) else { return }
      state.slotsBackingOff.insert(ObjectIdentifier(slot))
      if let error { state.lastError = error }
    }
    failImpatientWaiters()
    addressesMayHaveChanged()
  }

  func isConnecting(_ slot: ConnectionSlot) {
    _ = state.withLock { $0.slotsBackingOff.remove(ObjectIdentifier(slot)) }
  }

  func hasRoom() { serveWaiters() }

  /// Counts a connection that is about to be made; false when none is wanted.
  func connectionOpens() -> Bool {
    let isWanted = state.withLock { state in
      guard state.phase == .active else { return false }
      state.liveConnectionCount += 1
      return true
    }
    if isWanted { configuration.observer?.connectionOpened() }
    return isWanted
  }

  func connectionCloses(_ error: TransportError?) {
    configuration.observer?.connectionClosed(error)
    let waiters = state.withLock { state -> [CallContinuation<Void>] in
      state.liveConnectionCount -= 1
      guard state.phase == .closing, state.liveConnectionCount == 0 else { return [] }
      // The slots hold the pool, which holds the slots.
      state.slots = []
      defer { state.closeWaiters = [] }
      return state.closeWaiters
    }
    for waiter in waiters { waiter.resume(.success(())) }
  }
}

extension ConnectionPool.State {
  /// Whether there is nothing to wait for but a back-off.
  var hasFailed: Bool {
    guard !slots.isEmpty else { return resolveFailures > 0 && !isResolving }
    return slotsBackingOff.count == slots.count
  }
}

extension RPCError {
  static var channelClosed: RPCError {
    RPCError(.unavailable, "the channel is closed")
  }

  static func noConnection(_ cause: (any Error)?) -> RPCError {
    .notSent("no server can be reached", cause: cause)
  }

  static var tooManyWaiting: RPCError {
    RPCError(
      .resourceExhausted,
      "too many calls are waiting for a connection; make fewer at a time"
    )
  }

  static func deadlineExceededWaiting(_ cause: (any Error)?) -> RPCError {
    RPCError(
      .deadlineExceeded,
      "the deadline passed before there was a connection",
      cause: cause
    )
  }
}

extension SystemRandomNumberGenerator {
  static func number() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
