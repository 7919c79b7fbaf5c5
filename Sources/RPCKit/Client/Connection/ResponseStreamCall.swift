/// A call whose server sends a stream: `serverStreaming` and `bidirectional`.
final class ResponseStreamCall<Response: Message>: StreamingCall, @unchecked Sendable {
  // @unchecked: see `ClientCall`; `messages` is safe from any thread.
  let messages: MessageQueue<ReceivedMessage<Response>>
  private let account: ReceiveAccount

  override init(
    _ method: MethodDescriptor,
    _ plan: CallPlan,
    on connection: ClientConnection
  ) {
    let account = ReceiveAccount(connection)
    self.account = account
    messages = MessageQueue { account.consumed($0) }
    super.init(method, plan, on: connection)
  }

  override var unconsumedByteCount: Int { account.unconsumedByteCount }

  override func receiveMessage(
    _ bytes: Span<UInt8>,
    isCompressed: Bool,
    limits: Limits
  ) -> RPCError? {
    do {
      let message = ReceivedMessage(
        content: try Response(protobuf: bytes, limits: limits.message),
        isCompressed: isCompressed
      )
      account.open(streamID)
      account.received(ClientConnectionMachine<Never>.cost(bytes.count))
      messages.push(message, byteCount: ClientConnectionMachine<Never>.cost(bytes.count))
      return nil
    } catch {
      return .undecodable("message", error)
    }
  }

  override func receiveEnd() {
    account.open(nil)
    messages.finish()
    endWriters(nil)
  }

  override func receiveResponse(
    _ envelope: ResponseEnvelope,
    _ bytes: Span<UInt8>,
    in range: Range<Int>,
    limits: Limits
  ) {
    do {
      if let error = try envelope.error(bytes, in: range) {
        account.open(nil)
        messages.finishInOrder(error)
        endWriters(error)
        return
      }
    } catch {
      fail(.undecodable("response", error))
      return
    }
    // A server may put its last message into the response.
    if let payload = envelope.payload,
      let error = receiveMessage(
        bytes.extracting(payload),
        isCompressed: envelope.isPayloadCompressed,
        limits: limits
      )
    {
      fail(error)
      return
    }
    receiveEnd()
  }

  override func fail(_ error: RPCError) {
    account.open(nil)
    account.dropRest()
    messages.finish(error)
    endWriters(error)
  }

  /// The consumer is gone: ends the call if it is open, and gives back what was not consumed.
  ///
  /// Any thread.
  func abandon() {
    connection.submit(
      .run { [self] connection in
        connection.cancel(self)
        account.dropRest()
      }
    )
  }
}

/// The bytes that one stream has received and its consumer has not taken.
///
/// `@unchecked Sendable`: touched on the connection's loop only; `consumed` goes there.
final class ReceiveAccount: @unchecked Sendable {
  private let connection: ClientConnection
  private var streamID: StreamID?
  private(set) var unconsumedByteCount = 0

  init(_ connection: ClientConnection) {
    self.connection = connection
  }

  /// Sets the stream that gets credit; nil when the call is over.
  ///
  /// Loop only.
  func open(_ id: StreamID?) { streamID = id }

  /// Adds a message.
  ///
  /// Loop only.
  func received(_ cost: Int) {
    unconsumedByteCount += cost
    connection.receivedUnconsumed(cost)
  }

  /// The consumer took a message.
  ///
  /// Any thread.
  func consumed(_ cost: Int) {
    if connection.loop.isCurrent {
      settle(cost)
    } else {
      connection.submit(.run { [self] _ in settle(cost) })
    }
  }

  private func settle(_ cost: Int) {
    let released = min(cost, unconsumedByteCount)
    unconsumedByteCount -= released
    connection.releasedUnconsumed(released)
    if let streamID { connection.grantCredit(streamID, cost: cost) }
  }

  /// Drops the rest.
  ///
  /// Loop only.
  func dropRest() {
    connection.releasedUnconsumed(unconsumedByteCount)
    unconsumedByteCount = 0
  }
}

extension ClientConnection {
  /// Gives the server credit for a consumed message, once enough has come together.
  func grantCredit(_ id: StreamID, cost: Int) {
    guard !isClosed, let grant = machine.consumed(id, cost: cost) else { return }
    ControlFrame.appendCredit(to: &output, streamID: id, byteCount: grant)
    scheduleFlush()
  }
}
