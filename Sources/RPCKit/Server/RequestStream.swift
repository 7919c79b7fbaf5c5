/// The messages of one streaming request, in order.
public struct RequestStream<Request: Message>: AsyncSequence, Sendable {
  public typealias Element = Request
  /// Iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The next message, or nil after the client's end of stream.
    public mutating func next() async throws -> Request? { nil }
  }
  /// Iterates; once only.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
