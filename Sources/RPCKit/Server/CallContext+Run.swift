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
  ///
  /// Inlinable, so that the message is encoded where its type is known.
  @inlinable
  func finish<Response: Message>(_ response: consuming Response?) throws(RPCError) {
    guard let response else { throw RPCError.swallowedCall }
    try answer { buffer, prefix in response.append(to: &buffer, prefix: prefix) }
  }

  @usableFromInline
  func answer(_ append: MessageAppending) throws(RPCError) {
    try connection.finish(self, append)
  }
}

extension RPCError {
  @usableFromInline
  static var swallowedCall: RPCError {
    RPCError(.internal, "an interceptor neither called the handler nor refused the call")
  }
}

/// Appends an encoded message behind what its second argument writes when it is told the size:
/// `Message.append` with the type of the message erased.
@usableFromInline
typealias MessageAppending = (
  _ buffer: inout ByteBuffer, _ prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
) -> Void
