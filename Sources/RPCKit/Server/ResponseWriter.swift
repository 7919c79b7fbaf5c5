/// Sends the messages of one streaming response.
public struct ResponseWriter<Response: Message>: Sendable {
  /// Sends one message; waits while the receiver is behind.
  public func write(_ message: Response) async throws {}
}
