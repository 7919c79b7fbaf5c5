/// Sends the messages of one streaming request.
public struct RequestWriter<Request: Message>: Sendable {
  /// Sends one message; waits while the server is behind.
  public func write(_ message: Request) async throws {}

  /// Tells the server that no more messages follow.
  public func finish() async throws {}
}
