/// A call whose client sends a stream and gets one response: `clientStreaming`.
final class RequestStreamCall<Response: Message>: StreamingCall, @unchecked Sendable {
  // @unchecked: see `ClientCall`; `state` is behind a mutex.
  private enum State {
    case open
    case awaited(CallContinuation<UnaryResponse<Response>>)
    case over(Result<UnaryResponse<Response>, RPCError>)
  }

  private let state = Lock(State.open)

  /// Waits for the response, which may have come already.
  ///
  /// Once.
  func response() async -> Result<UnaryResponse<Response>, RPCError> {
    await CallContinuation<UnaryResponse<Response>>.suspend { continuation in
      let outcome = state.withLock { state -> Result<UnaryResponse<Response>, RPCError>? in
        if case .over(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let outcome { continuation.resume(outcome) }
    }
  }

  override func receiveResponse(
    _ envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    limits: Limits
  ) {
    end(UnaryResponse.outcome(of: envelope, bytes, in: range, limits: limits))
  }

  override func fail(_ error: RPCError) { end(.failure(error)) }

  private func end(_ outcome: Result<UnaryResponse<Response>, RPCError>) {
    let waiter = state.withLock { state -> CallContinuation<UnaryResponse<Response>>? in
      defer { state = .over(outcome) }
      guard case .awaited(let continuation) = state else { return nil }
      return continuation
    }
    waiter?.resume(outcome)
    if case .failure(let error) = outcome { endWriters(error) } else { endWriters(nil) }
  }
}
