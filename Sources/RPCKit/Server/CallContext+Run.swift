extension CallContext {
  /// What a request may contain.
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
    connection.resources.workers.workedNow(until: connection.handlerReturned(self))
  }

  /// Answers the call.
  ///
  /// Inlinable, so that the message is encoded where its type is known.
  @inlinable
  func finish<Response: Message>(_ response: consuming Response) throws(RPCError) {
    try answer { buffer, prefix in response.append(to: &buffer, prefix: prefix) }
  }

  /// Ends the call with what its handler threw.
  @usableFromInline
  func finish(throwing error: any Error) { connection.finish(self, throwing: error) }

  @usableFromInline
  func answer(_ append: MessageAppending) throws(RPCError) {
    try connection.finish(self, append)
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
