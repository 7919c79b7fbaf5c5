/// Calls with one request and one response.
extension Channel {
  /// One request, one response.
  ///
  /// Throws `RPCError`. Cancelling the task ends the call at once with CANCELLED and tells the
  /// server.
  public func unary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    options: CallOptions
  ) async throws -> Response {
    try await unaryWithMetadata(method, request, options: options).message
  }

  /// One request, one response with what the server sent beside it.
  public func unaryWithMetadata<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    options: CallOptions
  ) async throws -> UnaryResponse<Response> {
    try await intercepted(method, options) { [self] options in
      try await sendUnary(method, request, options)
    }
  }

  private func sendUnary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _ options: CallOptions
  ) async throws -> UnaryResponse<Response> {
    let call = CallPlan(method, options, configuration)
    return try await observed(method) {
      try await retrying(method, call) {
        switch await pool.connection(for: call) {
        case .success(let connection):
          await connection.unary(method, request, call)
        case .failure(let error):
          .failure(error)
        }
      }
    }
  }
}

extension ConnectionPool {
  func connection(for call: CallPlan) async -> Result<ClientConnection, RPCError> {
    guard !Task.isCancelled else { return .failure(.cancelledByCaller) }
    if let connection = pick() { return .success(connection) }
    return await connection(deadline: call.deadline, waitsForReady: call.waitsForReady)
  }
}

extension ClientConnection {
  /// Sends one request and waits for the answer.
  ///
  /// The connection's load counts the call already.
  func unary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _ plan: CallPlan
  ) async -> Result<UnaryResponse<Response>, RPCError> {
    let call = UnaryCall<Response>(method, plan)
    return await withTaskCancellationHandler {
      await CallContinuation<UnaryResponse<Response>>.suspend { continuation in
        call.prepare(continuation)
        if loop.isCurrent {
          begin(call) { output, prefix in request.append(to: &output, prefix: prefix) }
        } else {
          call.encode(request)
          submit(.begin(call))
        }
      }
    } onCancel: {
      submit(.cancel(call))
    }
  }
}
