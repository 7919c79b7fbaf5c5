extension CallContext {
  /// Begins a call that was admitted and that its wire knows: starts its deadline and asks the interceptors.
  ///
  /// False when an interceptor refused it; it is answered then. Otherwise the method is started next, or the
  /// call ended with `reject`. Loop only.
  package func begin() -> Bool {
    if deadline != .distantFuture {
      timer = loop.schedule(at: deadline, target: connection, token: UInt64(id.rawValue))
    }
    connection.core.observer.started(self)
    do {
      try enter()
    } catch {
      finish(throwing: error)
      repliedNow()
      return false
    }
    return true
  }

  /// Ends a call whose request cannot be read, and whose handler is not started therefore.
  ///
  /// Loop only.
  package func reject(_ error: RPCError) {
    // How fast a request is refused that nobody can read says nothing of the handlers.
    tellsLatency = false
    finish(throwing: error)
    repliedNow()
  }

  /// The limits of a request.
  @usableFromInline
  var messageLimits: MessageLimits { connection.limits.message }

  /// Starts the handler on the connection's loop.
  ///
  /// Loop only.
  @usableFromInline
  func run(_ body: @escaping @Sendable () async throws -> Void) {
    connection.resources.workers.start(self, body)
  }

  /// Whether an interceptor does something around the handler.
  ///
  /// Loop only.
  @usableFromInline
  var isIntercepted: Bool { around != nil }

  /// Whether a handler may answer in the event that brought the call: no interceptor needs a task, no
  /// call waits that came earlier, and the loop has time.
  ///
  /// Loop only.
  @usableFromInline
  var mayReplyNow: Bool { !isIntercepted && connection.resources.workers.hasTimeNow }

  /// The call has ended in the event that brought it.
  ///
  /// Loop only.
  @usableFromInline
  func repliedNow() {
    connection.resources.workers.workedNow(until: handlerReturned())
  }

  /// The encoded message that a payload stands for.
  @usableFromInline
  func transcoded(_ payload: Span<UInt8>) throws(RPCError) -> [UInt8] {
    guard let transcoding else { return kept(payload) }
    return try transcoding(kept(payload))
  }

  /// An error of decoding, with the code that the wire has for it.
  @usableFromInline
  func asOfWire(_ error: RPCError) -> RPCError {
    guard error.code == .internal else { return error }
    var error = error
    error.code = malformedCode
    return error
  }

  /// Answers the call.
  ///
  /// Inlinable, so that the message is encoded where its type is known.
  @inlinable
  func finish<Response: Message>(_ response: Response) {
    answer { buffer, prefix in response.append(to: &buffer, prefix: prefix) }
  }
}

extension RPCError {
  static var swallowedCall: RPCError {
    RPCError(
      .internal,
      .internalError,
      "an interceptor neither let the call go on nor refused it"
    )
  }
}
