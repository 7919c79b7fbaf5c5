/// A call with one response: unary, and the answer to a stream of requests.
final class UnaryCall<Response: Message>: ClientCall, @unchecked Sendable {
  // @unchecked: see `ClientCall`. `payload` is written before the call is handed to the loop.
  private var continuation: CallContinuation<UnaryResponse<Response>>?
  /// The encoded request, when it was encoded on another thread than the loop's.
  private var payload = ByteBuffer()

  /// Sets who waits.
  ///
  /// Once, before the call is given to its connection.
  func prepare(_ continuation: CallContinuation<UnaryResponse<Response>>) {
    self.continuation = continuation
  }

  /// Encodes the request ahead, on the caller's thread.
  func encode(_ request: some Message) {
    request.append(to: &payload) { _, _ in }
  }

  override func appendPayload(
    to output: inout ByteBuffer,
    prefix: (inout ByteBuffer, _ byteCount: Int) -> Void
  ) {
    prefix(&output, payload.byteCount)
    payload.withBytes { output.append($0) }
    payload.release()
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
