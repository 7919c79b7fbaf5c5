/// What the calls of one connection share, whatever wire they came over.
///
/// A superclass and not a property of the connection, so that a call reaches all this with one reference.
///
/// `@unchecked Sendable`: what changes is touched on the loop only, apart from what `contextLock` guards.
open class CallHost: @unchecked Sendable {
  package final let loop: any EventLoop
  package final let core: ServerCore
  package final let resources: LoopResources
  /// Guards what handlers change in the contexts of this connection's calls, for a moment each.
  final let contextLock = Lock(())
  /// Who is at the other end.
  ///
  /// Set before the first call begins, because TLS knows it only after the handshake, and not
  /// changed afterwards.
  package final var peer: Peer
  /// Calls that have a place: those whose handlers have not returned, even if the calls are over.
  package private(set) final var handlerCount = 0
  /// Streaming calls whose handlers have not returned.
  final var streamingCallCount = 0

  package final var limits: Limits { core.configuration.limits }

  /// For connections without a stream.
  init(loop: any EventLoop, peer: Peer, core: ServerCore, resources: LoopResources) {
    self.loop = loop
    self.peer = peer
    self.core = core
    self.resources = resources
  }

  /// Every connection is made of its stream, before that is started.
  package init(_ transport: any Transport, core: ServerCore, resources: LoopResources) {
    loop = transport.loop
    peer = transport.peer
    self.core = core
    self.resources = resources
  }

  // MARK: - Places for calls

  /// Takes a place for a call, or says why there is none.
  package final func admit(_ method: BoundMethod, requestByteCount: Int) -> RefusalFrame? {
    switch core.admission.admit(method.priority, loopWorkingCount: resources.workingCount) {
    case .admit: break
    case .refuseFull:
      core.observer.limitReached(.runningHandlers)
      core.shed(method, .runningHandlers)
      return core.refusals.overloaded
    case .refuseOverloaded:
      let other = resources.workers.takeToMakeRoom(for: self, requestByteCount: requestByteCount)
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
}
