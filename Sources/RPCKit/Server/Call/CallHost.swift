/// The parts that every connection of a server has, whatever wire it speaks, and its calls share.
///
/// A superclass and not a property of the connection, so that a call reaches all this with one reference. What
/// changes with each call is stored without `package`, and other modules read it by a computed property: only
/// then can the compiler prove that uses do not overlap, instead of having each checked at run time (`Confined`).
///
/// `@unchecked Sendable`: what changes is touched on the loop only, apart from what `contextLock` guards.
open class CallHost: @unchecked Sendable {
  package final let loop: any EventLoop
  @usableFromInline package final let core: ServerCore
  package final let resources: LoopResources
  /// Guards what handlers change in the contexts of this connection's calls, for a moment each.
  final let contextLock = Lock(())
  /// The peer at the other end.
  ///
  /// Set before the first call begins, because TLS knows it only after the handshake, and not
  /// changed afterwards.
  final var peer: Peer
  /// The source that the connection counts for, as long as it is open.
  package final let source: String
  /// The stream; nil when it is lost, or another connection has it.
  final var transport: (any Transport)?
  /// Whether nobody has shown yet, by a call that was answered, who the client is.
  final var isNewcomer = true
  /// Why the connection ended, as far as this side ended it.
  final var closeReason = ConnectionCloseReason.peer
  /// The number of its TLS handshake in `LoopResources.handshakes`; zero while none is under way.
  final var handshakeNumber: UInt64 = 0
  /// The part of this connection that is counted in the sums over all of them.
  private(set) final var counted = HeldByteCounts()
  private let confinedTimers: Confined<ConnectionTimers>
  /// Calls that have a place: those whose handlers have not returned, even if the calls are over.
  private(set) final var handlerCount = 0
  /// The context of the last call, if it was answered in its event and nobody has it.
  final var spareCall: CallContext?
  /// Streaming calls whose handlers have not returned.
  final var streamingCallCount = 0

  /// Inlinable, since what is asked for is one of them, and all would be copied.
  @inlinable package final var limits: Limits { core.configuration.limits }

  /// `peer`, for wires of other modules.
  package final var remotePeer: Peer { peer }

  /// `transport`, for wires of other modules.
  package final var stream: (any Transport)? { transport }

  /// `handlerCount`, for wires of other modules.
  package final var runningHandlerCount: Int { handlerCount }

  final var timers: ConnectionTimers {
    _read { yield confinedTimers.value }
    _modify { yield &confinedTimers.value }
  }

  /// When the last call began, or the connection if there was none.
  package final var lastCall: MonotonicInstant {
    get { timers.lastCall }
    set { timers.lastCall = newValue }
  }

  /// When bytes last arrived.
  package final var lastRead: MonotonicInstant {
    get { timers.lastRead }
    set { timers.lastRead = newValue }
  }

  /// For connections without a stream.
  init(loop: any EventLoop, peer: Peer, core: ServerCore, resources: LoopResources) {
    self.loop = loop
    self.peer = peer
    source = peer.source
    confinedTimers = Confined(ConnectionTimers(lastCall: loop.now))
    self.core = core
    self.resources = resources
  }

  /// Every connection is made of its stream, before that is started.
  package init(_ transport: any Transport, core: ServerCore, resources: LoopResources) {
    loop = transport.loop
    peer = transport.peer
    source = transport.peer.source
    self.transport = transport
    confinedTimers = Confined(ConnectionTimers(lastCall: transport.loop.now))
    self.core = core
    self.resources = resources
  }

  /// Notes that a call was answered which needs credentials.
  final func noteKnown() {
    isNewcomer = false
    transport?.noteKnown()
  }

  // MARK: - Places for calls

  /// Takes a place for a call, made for `client` if a proxy named one, or says why there is none.
  package final func admit(
    _ method: BoundMethod,
    for client: ForwardedClient? = nil,
    requestByteCount: Int
  ) -> RefusalFrame? {
    switch core.admission.admit(method.priority, loopWorkingCount: resources.workingCount) {
    case .admit: break
    case .refuseFull:
      core.observer.limitReached(.runningHandlers)
      core.shed(method, .runningHandlers)
      return core.refusals.overloaded
    case .refuseOverloaded:
      let other = resources.workers.takeToMakeRoom(
        for: self,
        client,
        requestByteCount: requestByteCount
      )
      guard let other else {
        core.observer.overloaded(method.priority)
        core.shed(method, .overloaded)
        return core.refusals.overloaded
      }
      other.makeRoom()
      core.admission.beganInstead()
    }
    resources.workingCount += 1
    handlerCount += 1
    return method.isStreaming ? streamRefusal(method) : nil
  }

  /// Gives the place of a call back, which `isWaiting` says it did already as far as it counts as work.
  final func endWork(latency: Int64?, isWaiting: Bool = false) {
    handlerCount -= 1
    core.admission.ended(latency: latency, now: loop.now, isWaiting: isWaiting)
    if !isWaiting { resources.workingCount -= 1 }
  }

  /// Why a streaming call that was admitted is not begun after all.
  private func streamRefusal(_ method: BoundMethod) -> RefusalFrame? {
    let refusal: (reason: ShedReason, frame: RefusalFrame)
    if streamingCallCount >= limits.streamingCallsPerConnectionMax {
      refusal = (.streamingCallsPerConnection, core.refusals.tooManyStreamingCallsOnConnection)
    } else if !core.streamingCalls.open() {
      refusal = (.streamingCalls, core.refusals.tooManyStreamingCalls)
    } else {
      streamingCallCount += 1
      return nil
    }
    endWork(latency: nil)
    core.shed(method, refusal.reason)
    return refusal.frame
  }

  /// Gives back what a call took that was admitted and whose handler does not start.
  package final func release(_ method: BoundMethod) {
    endWork(latency: nil)
    if method.isStreaming { closeStream(nil) }
  }

  /// A streaming call's handler has returned, or was never started.
  final func closeStream(_ call: CallContext?) {
    streamingCallCount -= 1
    core.streamingCalls.close(call)
  }

  // MARK: - Room

  /// Whether so little output waits, `byteCount`, that another call may add to it.
  ///
  /// A connection may hold half of what the others leave, so one alone gets far and many share.
  package final func hasRoomForAnswers(beside byteCount: Int) -> Bool {
    guard byteCount > Self.unquestionedByteCount else { return true }
    // Noted now and not when the turn ends: hundreds of connections are read in one.
    if byteCount > countedByteCount(.output) { count(.output, byteCount) }
    return byteCount <= (limits.outputTotalByteCountMax - core.held.byteCount(.output)) / 2
  }

  /// Bytes of requests that wait for their end which may be added to `byteCount`, so that this connection has no more
  /// than half of what all leave then; below zero if it has more already.
  package final func roomForRequests(beside byteCount: Int) -> Int {
    let others = core.held.byteCount(.assembly) - countedByteCount(.assembly)
    let share = (limits.assemblyByteCountMax - others) / 3
    return max(Self.unquestionedByteCount, share) - byteCount
  }

  /// Bytes that never keep a connection from adding to them.
  private static let unquestionedByteCount = 64 << 10

  /// The number of bytes last noted by `count`.
  package final func countedByteCount(_ sort: HeldSort) -> Int {
    // Copied: a look into the property makes the compiler check all uses of it at run time, as in `count`.
    let counts = counted
    return counts[sort]
  }

  /// Notes how much this connection holds of something that is bounded over all of them.
  package final func count(_ sort: HeldSort, _ byteCount: Int) {
    // Copied, so that the properties are only loaded and stored, which needs no check.
    var counts = counted
    let change = byteCount - counts[sort]
    guard change != 0 else { return }
    counts[sort] = byteCount
    counted = counts
    var held = resources.held
    held[sort] += change
    resources.held = held
    core.heldChanged(sort, by: change, on: loop)
  }
}
