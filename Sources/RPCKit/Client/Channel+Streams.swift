/// Calls with a stream in at least one direction.
///
/// They are sent again only while nothing of a stream was seen by either side.
extension Channel {
  /// One request, a stream of responses.
  ///
  /// The call begins with the first `next`, and `options.timeout` counts from there.
  public func serverStreaming<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    options: CallOptions
  ) -> ResponseStream<Response> {
    ResponseStream(
      ResponseStreamSource(
        .lazy { [self] in
          try await intercepted(method, options) { [self] options in
            try await openServerStream(method, request, options)
          }
        }
      )
    )
  }

  private func openServerStream<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _ options: CallOptions
  ) async throws(RPCError) -> (OpenResponseStream<Response>, ReceivedMessage<Response>?) {
    let plan = CallPlan(method, options, configuration)
    let observation = observation(of: method)
    do throws(RPCError) {
      let (stream, first) = try await retrying(method, plan) {
        await firstMessage(method, request, plan) as FirstMessage<Response>
      }
      if let observation { stream.observe(observation) }
      return (stream, first)
    } catch {
      observation?(error.code)
      throw error
    }
  }

  private typealias FirstMessage<Response: Message> =
    Result<(OpenResponseStream<Response>, ReceivedMessage<Response>?), RPCError>

  /// One attempt: opens the stream and waits for its first message or its end.
  private func firstMessage<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _ plan: CallPlan
  ) async -> FirstMessage<Response> {
    switch await pool.connection(for: plan) {
    case .failure(let error):
      return .failure(error)
    case .success(let connection):
      let call = ResponseStreamCall<Response>(method, plan, on: connection)
      call.encode(request)
      connection.beginSoon(call)
      let stream = OpenResponseStream(call)
      return await stream.next().map { (stream, $0) }
    }
  }

  /// A stream of requests written by `requests`, one response.
  ///
  /// Returning from `requests` ends the stream if `finish` was not called; throwing cancels the
  /// call. When the server answers early, further writes throw and its answer counts.
  public func clientStreaming<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    options: CallOptions,
    requests: (RequestWriter<Request>) async throws -> Void
  ) async throws -> Response {
    try await intercepted(method, options) { [self] options in
      try await observed(method) {
        let plan = CallPlan(method, options, configuration)
        let call = try await opened(method, plan) {
          RequestStreamCall<Response>(method, plan, on: $0)
        }
        return try await call.connection.run(call) {
          let writer = RequestWriter<Request>(call: call)
          do {
            try await requests(writer)
            try await writer.finish()
          } catch let error as RPCError where error.cause is RPCError.EndedByServer {
            // The server has answered before it took everything; that is its right.
          }
          return try await call.response().get().message
        }
      }
    }
  }

  /// Streams both ways for as long as `body` runs; leaving it early cancels the call.
  public func bidirectional<Request: Message, Response: Message, Result>(
    _ method: MethodDescriptor,
    options: CallOptions,
    body: (RequestWriter<Request>, ResponseStream<Response>) async throws -> Result
  ) async throws -> Result {
    try await intercepted(method, options) { [self] options in
      try await observed(method) {
        let plan = CallPlan(method, options, configuration)
        let call = try await opened(method, plan) {
          ResponseStreamCall<Response>(method, plan, on: $0)
        }
        return try await call.connection.run(call) {
          let stream = OpenResponseStream(call)
          return try await body(
            RequestWriter(call: call),
            ResponseStream(ResponseStreamSource(.open(stream)))
          )
        }
      }
    }
  }

  /// Begins a call on some connection.
  ///
  /// Only after that the caller's code runs, because it cannot be run a second time.
  private func opened<Call: StreamingCall>(
    _ method: MethodDescriptor,
    _ plan: CallPlan,
    _ make: (ClientConnection) -> Call
  ) async throws(RPCError) -> Call {
    try await retrying(method, plan) { () -> Result<Call, RPCError> in
      switch await pool.connection(for: plan) {
      case .failure(let error):
        return .failure(error)
      case .success(let connection):
        let call = make(connection)
        return await connection.open(call).map { call }
      }
    }
  }
}
