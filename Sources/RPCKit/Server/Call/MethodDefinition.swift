/// A method and the handler that serves it, with the message types erased.
///
/// Made by generated code.
public struct MethodDefinition: Sendable {
  /// The static facts about the method.
  public internal(set) var descriptor: MethodDescriptor

  /// Decodes the first message, if there is one, and starts the handler.
  ///
  /// Runs on the loop; a returned error ends the call, and the handler was not started.
  @usableFromInline
  let start: @Sendable (_ payload: Span<UInt8>, _ hasPayload: Bool, CallContext) -> RPCError?

  /// Whether the method takes one request and no Data frame.
  var isUnaryRequest: Bool {
    descriptor.kind == .unary || descriptor.kind == .serverStreaming
  }

  @usableFromInline
  init(
    descriptor: MethodDescriptor,
    start: @escaping @Sendable (Span<UInt8>, Bool, CallContext) -> RPCError?
  ) {
    self.descriptor = descriptor
    self.start = start
  }

  /// A handler for one request and one response.
  ///
  /// Inlinable, so that the message types are known where it is used: unspecialised generic code
  /// looks metadata up on every call. For the same reason, and because each level of `await` costs
  /// about 80 ns, it is one flat closure.
  @inlinable
  public static func unary<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor) { payload, _, call in
      guard !call.keeps(payload) else {
        let payload = call.kept(payload)
        call.run {
          let response = try await call.intercepted {
            try await handler(try await Request(kept: payload, by: call), call)
          }
          guard !response.isLong else { return try await call.finishElsewhere(response) }
          call.finish(response)
        }
        return nil
      }
      let request: Request
      do throws(RPCError) {
        request = try Request.received(payload, by: call)
      } catch {
        return error
      }
      // Each level of `await` costs about 80 ns, so that of the interceptors is left out where it does nothing.
      call.run {
        let response = try await handler(request, call)
        guard !response.isLong else { return try await call.finishElsewhere(response) }
        call.finish(response)
      }
      return nil
    }
  }

  /// A handler for one request and one response that answers without a task when it can.
  ///
  /// It runs in the event that brought the request, so it must neither block nor take long: every
  /// connection of the loop waits for it. Like all handlers it has a share of each turn; when that is
  /// used up, or when an earlier call waits, it runs in a task instead. In the event
  /// `CallContext.current` is nil, and the call cannot be cancelled.
  @inlinable
  public static func unary<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    replying handler: @escaping @Sendable (Request, CallContext) throws -> Reply<Response>
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor) { payload, _, call in
      guard !call.keeps(payload) else {
        let payload = call.kept(payload)
        call.run {
          let response = try await call.intercepted {
            switch try handler(try await Request(kept: payload, by: call), call) {
            case .now(let response): response
            case .later(let find): try await find()
            }
          }
          guard !response.isLong else { return try await call.finishElsewhere(response) }
          call.finish(response)
        }
        return nil
      }
      let request: Request
      do throws(RPCError) {
        request = try Request.received(payload, by: call)
      } catch {
        return error
      }
      guard call.mayReplyNow else {
        call.runReplying(request, handler)
        return nil
      }
      do {
        switch try handler(request, call) {
        case .now(let response):
          guard !response.isLong else {
            call.runEncoding(response)
            return nil
          }
          call.finish(response)
        case .later(let find):
          call.runFinding(find)
          return nil
        }
      } catch {
        call.finish(throwing: error)
      }
      call.repliedNow()
      return nil
    }
  }

  /// A handler for one request and a stream of responses; returning ends the stream with OK.
  public static func serverStreaming<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler:
      @escaping @Sendable (Request, CallContext, ResponseWriter<Response>) async throws
      -> Void
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor) { payload, _, call in
      guard !call.keeps(payload) else {
        let payload = call.kept(payload)
        call.run {
          try await call.intercepted {
            try await handler(
              try await Request(kept: payload, by: call),
              call,
              ResponseWriter(call: call)
            )
          }
          call.finishStream()
        }
        return nil
      }
      let request: Request
      do throws(RPCError) {
        request = try Request.received(payload, by: call)
      } catch {
        return error
      }
      call.run {
        try await handler(request, call, ResponseWriter(call: call))
        call.finishStream()
      }
      return nil
    }
  }

  /// A handler for a stream of requests and one response.
  public static func clientStreaming<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (RequestStream<Request>, CallContext) async throws -> Response
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor) { payload, hasPayload, call in
      receiveStream(Request.self, payload, hasPayload, call) { requests in
        call.run {
          let response = try await call.intercepted { try await handler(requests, call) }
          guard !response.isLong else { return try await call.finishElsewhere(response) }
          call.finish(response)
        }
      }
    }
  }

  /// A handler for streams both ways; returning ends the call with OK.
  public static func bidirectional<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler:
      @escaping @Sendable (
        RequestStream<Request>, CallContext, ResponseWriter<Response>
      ) async throws -> Void
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor) { payload, hasPayload, call in
      receiveStream(Request.self, payload, hasPayload, call) { requests in
        call.run {
          try await call.intercepted {
            try await handler(requests, call, ResponseWriter(call: call))
          }
          call.finishStream()
        }
      }
    }
  }

  /// Starts a handler whose requests arrive one by one.
  private static func receiveStream<Request: Message>(
    _ type: Request.Type,
    _ payload: Span<UInt8>,
    _ hasPayload: Bool,
    _ call: CallContext,
    _ body: (RequestStream<Request>) -> Void
  ) -> RPCError? {
    let inbound = InboundRequests<Request>(call)
    call.inbound = inbound
    // The request's own payload took nothing from the stream's window.
    if hasPayload,
      let error = inbound.receive(
        payload,
        cost: 0,
        isCompressed: call.isRequestCompressed,
        inflation: call.inflation
      )
    {
      return error
    }
    body(RequestStream(queue: inbound.queue, call: call))
    return nil
  }
}

/// Tasks for what a handler that replies cannot do in the event that brought the call.
///
/// Never inlined: where a closure captures a message, the compiler copies it on every path.
extension CallContext {
  /// Runs a handler that may not reply in the event that brought the call.
  @inlinable
  @inline(never)
  func runReplying<Request: Message, Response: Message>(
    _ request: Request,
    _ handler: @escaping @Sendable (Request, CallContext) throws -> Reply<Response>
  ) {
    run {
      let response: Response
      switch try handler(request, self) {
      case .now(let found): response = found
      case .later(let find): response = try await find()
      }
      guard !response.isLong else { return try await self.finishElsewhere(response) }
      self.finish(response)
    }
  }

  /// Finds the answer, and sends it.
  @inlinable
  @inline(never)
  func runFinding<Response: Message>(_ find: @escaping @Sendable () async throws -> Response) {
    run {
      let response = try await find()
      guard !response.isLong else { return try await self.finishElsewhere(response) }
      self.finish(response)
    }
  }

  /// Encodes a long answer away from the loop, and sends it.
  @inlinable
  @inline(never)
  func runEncoding<Response: Message>(_ response: Response) {
    run { try await self.finishElsewhere(response) }
  }
}

/// Functions and not initializers: an initializer that throws copies the message as it returns.
extension Message {
  /// Decodes and validates a single request; what is thrown is the call's status.
  ///
  /// An absent payload is an empty message.
  @inlinable
  static func received(_ payload: Span<UInt8>, by call: CallContext) throws(RPCError) -> Self {
    let request = try message(payload, by: call)
    if let error = RPCError(violationsOf: request) { throw error }
    return request
  }

  /// Decodes a message, whose values may break rules, from what the wire carries.
  @inlinable
  static func message(_ payload: Span<UInt8>, by call: CallContext) throws(RPCError) -> Self {
    guard call.isTranscoded else { return try decoded(payload, by: call) }
    let protobuf = try call.transcoded(payload)
    return try decoded(protobuf.span, by: call)
  }

  @inlinable
  static func decoded(_ protobuf: Span<UInt8>, by call: CallContext) throws(RPCError) -> Self {
    do throws(MessageDecodingError) {
      return try Self(protobuf: protobuf, limits: call.messageLimits)
    } catch {
      throw call.asOfWire(.undecodable(protobufName, error))
    }
  }
}

extension RPCError {
  /// A payload that is not the message it should be.
  ///
  /// INTERNAL, as stock Go answers, unless only a text is wrong: that is a value, and values are the
  /// caller's.
  @usableFromInline
  static func undecodable(_ type: String, _ error: MessageDecodingError) -> RPCError {
    RPCError(
      error == .invalidUTF8 ? .invalidArgument : .internal,
      .malformedRequest,
      "payload is not a valid \(type): \(error)",
      cause: error
    )
  }

  /// A request that breaks rules of its `.proto`; nil for one that does not.
  @inlinable
  init?(violationsOf request: some Message) {
    var violations: [FieldViolation] = []
    request.validate(path: "", into: &violations)
    guard !violations.isEmpty else { return nil }
    self = .invalid(violations)
  }

  @usableFromInline
  static func invalid(_ violations: [FieldViolation]) -> RPCError {
    let first = violations[0]
    let more = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
    return RPCError(
      .invalidArgument,
      .fieldViolations,
      "\(first.field): \(first.description)\(more)",
      details: [.badRequest(violations)]
    )
  }
}
