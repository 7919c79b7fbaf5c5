/// A call with one response: unary, and the answer to a stream of requests.
final class UnaryCall<Response: Message>: ClientCall, @unchecked Sendable {
  // @unchecked: see `ClientCall`.
  private var continuation: CallContinuation<UnaryResponse<Response>>?

  /// Sets who waits.
  ///
  /// Once, before the call is given to its connection.
  func prepare(_ continuation: CallContinuation<UnaryResponse<Response>>) {
    self.continuation = continuation
  }

  override func receiveResponse(
    _ envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    limits: Limits
  ) {
    guard let continuation = continuation.take() else { return }
    continuation.resume(UnaryResponse.outcome(of: envelope, bytes, in: range, limits: limits))
  }

  override func fail(_ error: RPCError) {
    continuation.take()?.resume(.failure(error))
  }
}
