/// The messages of one streaming request, in order.
///
/// Iterate once.
///
/// Taking a message gives the client credit to send more, so a handler that stops taking pushes
/// the client back. Throws the call's error when the call is over before the client finished, and
/// INVALID_ARGUMENT for a message that breaks rules of its contract; a handler passes both on.
public struct RequestStream<Request: Message>: AsyncSequence, Sendable {
  /// One message.
  public typealias Element = Request

  let queue: MessageQueue<ReceivedMessage<Request>>
  let call: CallContext

  /// Takes the messages one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let queue: MessageQueue<ReceivedMessage<Request>>
    fileprivate let call: CallContext
    /// What was wrong with a message, which ends the stream for its handler.
    private var violations: RPCError?

    /// Whether the message that `next` gave last came compressed; false before the first.
    public private(set) var isCompressed = false

    fileprivate init(_ queue: MessageQueue<ReceivedMessage<Request>>, _ call: CallContext) {
      self.queue = queue
      self.call = call
    }

    /// The next message, or nil after the client's end of stream.
    public mutating func next() async throws -> Request? {
      if let violations { throw violations }
      guard let received = try await take() else { return nil }
      let request = received.content
      isCompressed = received.isCompressed
      // Not as it arrives, which may be before the caller is let in: its rules are not for strangers.
      if let error = RPCError(violationsOf: request) {
        violations = error
        throw error
      }
      return request
    }

    private func take() async throws -> ReceivedMessage<Request>? {
      if let step = try queue.takeStep() { return step.element }
      // The client may take its time: a handler without a message has nothing to do.
      return try await call.waiting { [queue] in try await queue.next() }
    }
  }

  /// Starts taking messages.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue, call) }
}

/// Decodes client messages and puts them into the queue of a `RequestStream`.
final class InboundRequests<Request: Message>: InboundMessages {
  let queue: MessageQueue<ReceivedMessage<Request>>

  init(_ call: CallContext) {
    queue = MessageQueue { cost in call.consumed(cost) }
  }

  func receive(
    _ bytes: Span<UInt8>,
    cost: Int,
    isCompressed: Bool,
    limits: MessageLimits
  ) -> RPCError? {
    let request: Request
    do throws(MessageDecodingError) {
      request = try Request(protobuf: bytes, limits: limits)
    } catch {
      return .undecodable(Request.protobufName, error)
    }
    queue.push(ReceivedMessage(content: request, isCompressed: isCompressed), byteCount: cost)
    return nil
  }

  func finish(_ error: (any Error)?) -> Int { queue.finish(error) }

  var waitingByteCount: Int { queue.waitingByteCount }
}
