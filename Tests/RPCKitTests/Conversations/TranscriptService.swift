import TestingContracts
import RPCKit

/// The service that docs/reference/protocol.md uses in its examples: `echo.v1.Echo`, whose messages have one
/// field of text.
///
/// Some texts are orders: `wait` waits for cancellation, `no such door` fails, `tell` answers with
/// metadata, `long` with 1,500 bytes.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class TranscriptService: @unchecked Sendable {
  typealias Text = Benchmark_V1.CheckRequest

  /// What handlers saw, since it was taken last.
  private var events: [String] = []

  func takeEvents() -> [String] {
    defer { events = [] }
    return events
  }

  static func descriptor(_ method: String, _ kind: MethodDescriptor.Kind) -> MethodDescriptor {
    MethodDescriptor(
      service: "echo.v1.Echo",
      method: method,
      kind: kind,
      callerClass: .public,
      isIdempotent: false,
      requestType: Text.protobufName,
      responseType: Text.protobufName
    )
  }

  static let say = descriptor("Say", .unary)
  static let again = descriptor("Repeat", .serverStreaming)
  static let join = descriptor("Join", .clientStreaming)
  static let chat = descriptor("Chat", .bidirectional)

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "echo.v1.Echo",
      methods: [
        .unary(Self.say) { [self] (request: Text, call) in
          try await noting(call) {
            try await obey(request, call)
            let isLong = request.subject == "long"
            return isLong ? Text(subject: String(repeating: "x", count: 1500)) : request
          }
        },
        .serverStreaming(Self.again) {
          [self] (request: Text, call, writer: ResponseWriter<Text>) in
          try await noting(call) {
            for _ in 0..<2 { try await writer.write(request) }
            try await obey(request, call)
          }
        },
        .clientStreaming(Self.join) { [self] (requests: RequestStream<Text>, call) in
          try await noting(call) {
            var text = ""
            for try await request in requests {
              text += request.subject
              try await obey(request, call)
            }
            return Text(subject: text)
          }
        },
        .bidirectional(Self.chat) {
          [self] (requests: RequestStream<Text>, call, writer: ResponseWriter<Text>) in
          try await noting(call) {
            for try await request in requests {
              try await writer.write(request)
              try await obey(request, call)
            }
          }
        },
      ]
    )
  }

  private func noting<Result>(
    _ call: CallContext,
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch {
      if Task.isCancelled { events.append("the handler of \(call.method.method) is cancelled") }
      throw error
    }
  }

  private func obey(_ request: Text, _ call: CallContext) async throws {
    switch request.subject {
    case "wait":
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      for await _ in stream {}
      continuation.finish()
      throw CancellationError()
    case "no such door": throw RPCError(.notFound, request.subject)
    case "tell": call.responseMetadata.append("a", "b")
    default: break
    }
  }
}
