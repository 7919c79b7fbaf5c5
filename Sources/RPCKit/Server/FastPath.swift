extension ServiceDefinition {
  /// The same service, one of whose unary methods has a fast path: `answer` is tried first, and the
  /// handler runs in a task only when that cannot tell.
  ///
  /// For answers from memory, which a task and its `await`s would cost more than what they are. What
  /// `answer` returns or throws is the call's answer. Nil means that only the handler can tell, which
  /// then begins from the request; `answer` must have changed nothing.
  ///
  /// `answer` runs on the loop, in the event that brought the request, inside the interceptors' own
  /// fast paths. It must neither block nor take long, since every connection of the loop waits for it;
  /// like handlers it has a share of each turn, and what is beyond that goes to the handler. No task
  /// is current: what it starts inherits nothing from the call, `CallContext.current` is nil, and the
  /// call cannot be cancelled while it runs.
  ///
  /// The method must be one of this service, and unary.
  @inlinable
  public func withFastPath<Request: Message, Response: Message>(
    for method: MethodDescriptor,
    _ answer: @escaping @Sendable (Request, CallContext) throws -> Response?
  ) -> ServiceDefinition {
    var service = self
    guard let index = methods.firstIndex(where: { $0.descriptor == method }) else {
      preconditionFailure("\(name) has no method \(method.method)")
    }
    service.methods[index] = methods[index].withFastPath(answer)
    return service
  }
}

extension MethodDefinition {
  /// Inlinable for the same reason as `unary`.
  @inlinable
  func withFastPath<Request: Message, Response: Message>(
    _ answer: @escaping @Sendable (Request, CallContext) throws -> Response?
  ) -> MethodDefinition {
    precondition(
      descriptor.kind == .unary && descriptor.requestType == Request.protobufName
        && descriptor.responseType == Response.protobufName,
      "\(descriptor.method) is not a unary method from \(Request.protobufName) to "
        + Response.protobufName
    )
    let startHandler = start
    return MethodDefinition(descriptor: descriptor) { payload, hasPayload, call in
      guard call.mayTakeFastPath else { return startHandler(payload, hasPayload, call) }
      let request: Request
      do throws(RPCError) {
        request = try Request(received: payload, by: call)
      } catch {
        return error
      }
      let isAnswered = call.takeFastPath {
        var response = try answer(request, call)
        guard response != nil else { return false }
        // Taken, not copied; see `unary`.
        try call.finish(response.take())
        return true
      }
      return isAnswered ? nil : startHandler(payload, hasPayload, call)
    }
  }
}

extension CallContext {
  /// Whether the loop has time for a fast path, and no call waits that came earlier.
  ///
  /// Loop only.
  @usableFromInline
  var mayTakeFastPath: Bool { connection.resources.workers.hasTimeAtOnce }

  /// Ends the call with what `body` did inside the interceptors; false when one of them, or `body`,
  /// could not tell, and nothing has happened.
  ///
  /// Loop only.
  @usableFromInline
  func takeFastPath(_ body: () throws -> Bool) -> Bool {
    do {
      guard try interceptedFastPath(from: 0, body) else { return false }
      if !isOver { throw RPCError.swallowedCall }
    } catch {
      connection.finish(self, throwing: error)
    }
    connection.resources.workers.workedAtOnce(until: connection.handlerReturned(self))
    return true
  }

  private func interceptedFastPath(from index: Int, _ body: () throws -> Bool) throws -> Bool {
    let interceptors = connection.core.interceptors
    guard index < interceptors.count else { return try body() }
    return try interceptors[index].interceptFastPath(self) {
      try interceptedFastPath(from: index + 1, body)
    }
  }
}
