/// Calls of one logical server: connections, balancing, retries.
public final class Channel: Sendable {
  /// One request, one response.
  public func unary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    options: CallOptions
  ) async throws -> Response { fatalError() }

  /// One request, a stream of responses.
  public func serverStreaming<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    options: CallOptions
  ) -> ResponseStream<Response> { fatalError() }

  /// A stream of requests written by `requests`, one response.
  public func clientStreaming<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    options: CallOptions,
    requests: (RequestWriter<Request>) async throws -> Void
  ) async throws -> Response { fatalError() }

  /// Streams both ways for as long as `body` runs; leaving it early cancels the call.
  public func bidirectional<Request: Message, Response: Message, Result>(
    _ method: MethodDescriptor,
    options: CallOptions,
    body: (RequestWriter<Request>, ResponseStream<Response>) async throws -> Result
  ) async throws -> Result { fatalError() }
}
