/// The messages of one streaming response, in order. Iterated once; leaving the loop early or
/// cancelling the task cancels the call.
public struct ResponseStream<Response: Message>: AsyncSequence, Sendable {
  public typealias Element = Response
  /// Iterates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The next message, or nil after the server ended with OK.
    public mutating func next() async throws -> Response? { nil }
  }
  /// Iterates; once only.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
