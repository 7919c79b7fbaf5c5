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

  let queue: MessageQueue<ReceivedMessage<InboundMessage<Request>>>
  let call: CallContext

  /// Takes the messages one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let queue: MessageQueue<ReceivedMessage<InboundMessage<Request>>>
    fileprivate let call: CallContext
    /// The fault of a message, which ends the stream for its handler.
    private var violations: RPCError?

    /// Whether the message that `next` gave last came compressed; false before the first.
    public private(set) var isCompressed = false

    fileprivate init(
      _ queue: MessageQueue<ReceivedMessage<InboundMessage<Request>>>,
      _ call: CallContext
    ) {
      self.queue = queue
      self.call = call
    }

    /// The next message, or nil after the client's end of stream.
    public mutating func next() async throws -> Request? {
      if let violations { throw violations }
      guard let received = try await take() else { return nil }
      isCompressed = received.isCompressed
      do throws(RPCError) {
        return try await received.content.content(for: call)
      } catch {
        violations = error
        throw error
      }
    }

    private func take() async throws -> ReceivedMessage<InboundMessage<Request>>? {
      if let step = try queue.takeStep() { return step.element }
      // The client may take its time: a handler without a message has nothing to do.
      return try await call.waiting { [queue] in try await queue.next() }
    }
  }

  /// Starts taking messages.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(queue, call) }
}

/// A message of a streaming request.
enum InboundMessage<Content: Message>: Sendable {
  case decoded(Content)
  /// As the wire carries it, compressed if there is what inflates it: who calls was not known when it came, or it is
  /// large.
  case payload([UInt8], Inflation?)

  /// The message, once the caller was let in.
  ///
  /// It is not checked as it arrives, which may be before that: its rules are not for strangers.
  func content(for call: CallContext) async throws(RPCError) -> Content {
    switch self {
    case .decoded(let content):
      if let error = RPCError(violationsOf: content) { throw error }
      return content
    case .payload(let bytes, let inflation):
      return try await Content(kept: bytes, inflation, by: call)
    }
  }
}

/// Decodes client messages and puts them into the queue of a `RequestStream`.
///
/// Large ones, and those of a call that interceptors still look at, are decoded when its handler takes them: it does so
/// only when they have let the call in, and can wait for it.
final class InboundRequests<Request: Message>: InboundMessages {
  let queue: MessageQueue<ReceivedMessage<InboundMessage<Request>>>
  private let call: CallContext
  private let keepsBytes: Bool

  init(_ call: CallContext) {
    queue = MessageQueue { cost in call.consumed(cost) }
    self.call = call
    keepsBytes = call.isIntercepted
  }

  func receive(
    _ bytes: Span<UInt8>,
    cost: Int,
    isCompressed: Bool,
    inflation: Inflation?
  ) -> RPCError? {
    let message: InboundMessage<Request>
    do throws(RPCError) {
      message =
        keepsBytes || inflation != nil || call.keeps(bytes)
        ? .payload(call.kept(bytes), inflation)
        : .decoded(try Request.message(bytes, by: call))
    } catch {
      return error
    }
    queue.push(ReceivedMessage(content: message, isCompressed: isCompressed), byteCount: cost)
    return nil
  }

  func finish(_ error: (any Error)?) -> Int { queue.finish(error) }

  var waitingByteCount: Int { queue.waitingByteCount }
}
