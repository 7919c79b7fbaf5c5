/// Sends the messages of one streaming request.
///
/// May be used from several tasks; each message is sent whole, in the order the writes began.
public struct RequestWriter<Request: Message>: Sendable {
  let call: StreamingCall

  /// Sends one message; waits while the server is behind.
  ///
  /// Throws the error of the call when it is over, RESOURCE_EXHAUSTED when the message is too large
  /// to be sent (the call continues), and CANCELLED when the task is cancelled while it waits: then
  /// the message was not sent.
  ///
  /// `compressed` says whether this message is compressed, if the server can read that and it shrinks; nil is
  /// as `CallOptions.compressesRequest` says.
  public func write(_ message: Request, compressed: Bool? = nil) async throws {
    let deflates = compressed ?? call.compressesRequest
    if call.connection.loop.isCurrent {
      if try call.trySend(message, deflates: deflates).get() { return }
    }
    var payload = ByteBuffer()
    message.append(to: &payload) { _, _ in }
    try await call.send(.message(deflates: deflates), payload)
  }

  /// Tells the server that no more messages follow.
  ///
  /// Returns when this is on its way, behind all messages. A second time does nothing.
  public func finish() async throws {
    try await call.send(.end, ByteBuffer())
  }
}

extension StreamingCall {
  /// Queues a message or the end, and waits until it was appended to the output.
  fileprivate func send(
    _ content: Waiting.Content,
    _ payload: consuming ByteBuffer
  ) async throws(RPCError) {
    let token = WriteToken()
    let handOver = PayloadTransfer(payload)
    let outcome = await withTaskCancellationHandler {
      await CallContinuation<Void>.suspend { continuation in
        if connection.loop.isCurrent {
          enqueue(Waiting(content, token, handOver.take(), continuation))
        } else {
          connection.submit(
            .run { [self] _ in
              enqueue(Waiting(content, token, handOver.take(), continuation))
            }
          )
        }
      }
    } onCancel: {
      connection.submit(.run { [self] _ in withdraw(token) })
    }
    try outcome.get()
  }
}

/// An encoded message on its way from the writer's thread to the loop.
///
/// `@unchecked Sendable`: it is filled before it is handed over and taken once, by the loop.
private final class PayloadTransfer: @unchecked Sendable {
  private var payload: ByteBuffer

  init(_ payload: consuming ByteBuffer) {
    self.payload = payload
  }

  func take() -> ByteBuffer {
    var taken = ByteBuffer()
    swap(&taken, &payload)
    return taken
  }
}
