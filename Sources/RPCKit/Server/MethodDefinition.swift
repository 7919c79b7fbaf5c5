/// A method and the handler that serves it, with the message types erased. Made by generated code.
public struct MethodDefinition: Sendable {
  /// What is known of the method.
  public let descriptor: MethodDescriptor

  /// A handler for one request and one response.
  public static func unary<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor)
  }

  /// A handler for one request and a stream of responses; returning ends the stream with OK.
  public static func serverStreaming<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (Request, CallContext, ResponseWriter<Response>) async throws
      -> Void
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor)
  }

  /// A handler for a stream of requests and one response.
  public static func clientStreaming<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (RequestStream<Request>, CallContext) async throws -> Response
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor)
  }

  /// A handler for streams both ways; returning ends the call with OK.
  public static func bidirectional<Request: Message, Response: Message>(
    _ descriptor: MethodDescriptor,
    _ handler: @escaping @Sendable (
      RequestStream<Request>, CallContext, ResponseWriter<Response>
    ) async throws -> Void
  ) -> MethodDefinition {
    MethodDefinition(descriptor: descriptor)
  }
}
