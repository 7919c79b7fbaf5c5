extension CallContext {
  // MARK: - By the handler

  /// Answers the call with its response, unless it is over already.
  ///
  /// Loop only.
  @usableFromInline
  func answer(_ append: MessageAppending) {
    end { () throws(RPCError) in try connection.respond(to: self, append) }
  }

  /// As the other `answer`, with a response that was encoded elsewhere.
  ///
  /// Loop only.
  func answer(_ message: EncodedMessage) {
    end { () throws(RPCError) in try connection.respond(to: self, message) }
  }

  /// Ends a response stream with OK.
  ///
  /// Loop only.
  func finishStream() {
    end { connection.endResponses(of: self) }
  }

  /// Ends the call with OK by what `send` writes; inlined, since every answer takes this way.
  @inline(__always)
  private func end(_ send: () throws(RPCError) -> Void) {
    precondition(loop.isCurrent, "a call is answered on its connection's loop")
    guard retire() else { return }
    guard !isLate else { return answerRetired(.deadlinePassed()) }
    do throws(RPCError) {
      try send()
    } catch {
      return answerRetired(error)
    }
    if connection.isNewcomer, callerClass != .public { connection.noteKnown() }
    connection.core.observer.ended(self, .ok)
  }

  /// Answers the call with what its handler or an interceptor threw.
  ///
  /// Loop only.
  @usableFromInline
  func finish(throwing error: any Error) {
    precondition(loop.isCurrent, "a call is answered on its connection's loop")
    let error = failed(error)
    guard retire() else { return }
    answerRetired(inTime(connection.core.status(for: error, self)))
  }

  /// Whether the caller's time is over, which the timer says up to a millisecond later.
  private var isLate: Bool { deadline != .distantFuture && deadline <= loop.preciseNow }

  /// The answer instead of an error that says only that there was no time left for another service's answer.
  ///
  /// UNAVAILABLE would have gateways send the call again, for a caller who does not wait (grpc/grpc
  /// doc/statuscodes.md). An error that says what is wrong with the request stays.
  private func inTime(_ error: RPCError) -> RPCError {
    switch error.code {
    case .unavailable, .cancelled, .deadlineExceeded:
      guard isLate || error.isOutOfCallersTime else { return error }
      return .deadlinePassed(cause: error.cause ?? error)
    default: return error
    }
  }

  private func answerRetired(_ error: RPCError) {
    let error = connection.core.completed(error, self)
    connection.fail(self, error, metadataToSend)
    connection.core.observer.ended(self, error.code)
  }

  /// Takes the call off the wire's table for its answer; false when it is over already.
  private func retire() -> Bool {
    guard !isOver, connection.forget(self) else { return false }
    settle()
    if inbound != nil { endInbound(RPCError(.cancelled, .cancelled, "the call is over")) }
    return true
  }

  /// The handler has ended: only now is its place free.
  ///
  /// Returns when the call was over, as far as it is known: close to now, for a handler that did not
  /// suspend. Loop only.
  func handlerReturned() -> MonotonicInstant {
    precondition(loop.isCurrent, "a handler returns to its connection's loop")
    let core = connection.core
    let end = ended ?? loop.preciseNow
    let wasWaiting = slot.end()
    let latency = received.nanoseconds(to: end) - slot.waitedNanoseconds
    connection.endWork(latency: tellsLatency ? latency : nil, isWaiting: wasWaiting)
    leave()
    core.observer.handlerReturned()
    if wasWaiting { core.observer.waitingHandlers(-1) }
    if boundMethod.isStreaming { connection.closeStream(self) }
    worker = nil
    return end
  }

  // MARK: - From outside

  /// Ends an open call with an error that its handler did not throw: the deadline, a drain, a violation
  /// by the client.
  ///
  /// Loop only.
  package func fail(_ error: RPCError) {
    guard !isOver, connection.forget(self) else { return }
    connection.fail(self, connection.core.completed(error, self), Metadata())
    cancel(error)
  }

  /// Ends a call that answers a stream, because the server goes.
  ///
  /// Loop only.
  package func endResponseStream() {
    guard method.kind == .serverStreaming || method.kind == .bidirectional else { return }
    fail(
      RPCError(.unavailable, .serverDraining, "the server is shutting down", retryAfter: .zero)
    )
  }

  /// Refuses a call that waits for a worker, so that one of a user who has fewer can begin.
  ///
  /// Loop only.
  func makeRoom() {
    if !isOver {
      connection.core.observer.overloaded(boundMethod.priority)
      connection.core.shed(boundMethod, .overloaded)
      tellsLatency = false
      fail(.overloaded)
    }
    _ = handlerReturned()
  }

  /// The deadline's timer fired.
  ///
  /// Loop only.
  package func deadlinePassed() {
    timer = .none
    fail(.deadlinePassed())
  }

  /// Ends a call whose answer is sent or will never be read: its handler is cancelled and whatever
  /// it waits for ends.
  ///
  /// Loop only.
  package func cancel(_ error: RPCError) {
    guard !isOver else { return }
    settle()
    endInbound(error)
    if error.code == .cancelled || slot.isWaiting { tellsLatency = false }
    connection.core.observer.ended(self, error.code)
    worker?.cancel()
  }

  private func settle() {
    isOver = true
    if timer != .none { loop.cancel(timer) }
    if waitingWriter != nil { wakeWriter() }
  }

  /// Ends the incoming messages and counts those out that nobody will consume.
  private func endInbound(_ error: RPCError) {
    guard let inbound else { return }
    tellsLatency = false
    self.inbound = nil
    connection.dropped(inbound.finish(error))
  }
}

extension RPCError {
  /// The caller's time is over.
  fileprivate static func deadlinePassed(cause: (any Error)? = nil) -> RPCError {
    RPCError(.deadlineExceeded, .deadlinePassed, "the deadline passed", cause: cause)
  }
}
