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

  /// Answers the call; nil means that an interceptor swallowed the handler.
  @usableFromInline
  func finish<Response: Message>(_ response: Response?) throws(RPCError) {
    guard let response else {
      throw RPCError(.internal, "an interceptor neither called the handler nor refused the call")
    }
    try connection.finish(self, response)
  }
}
