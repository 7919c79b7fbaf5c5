import TestingContracts
import RPCKit
import RPCKitTesting

/// A service of all four kinds of call that says back what it is told; the `context` of a request orders more:
/// `fail` throws, `header` sends metadata, `both` sends some before and some behind the answer, `large` answers with 5 MB, `long` with 4 KB, `hold` waits until the
/// call is over, `cancelled` waits until a call that held was cancelled, `tell` answers with what it was called with,
/// `from` with where it came from; `compressed` and `plain` choose how what is sent from then on is written.
///
/// `@unchecked Sendable`: confined to the thread of one loop.
final class EchoService: @unchecked Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse

  static let name = "test.Echo"

  /// What the handlers were given.
  private(set) var calls: [CallContext] = []
  private(set) var taken: [String] = []
  /// Handlers that saw their task cancelled.
  private(set) var cancelledCount = 0
  private var cancellationObservers: [CheckedContinuation<Void, Never>] = []
  /// Whether handlers of streams take messages; later ones wait for `resume`.
  private var gate: CheckedContinuation<Void, Never>?
  var isGateOpen = true

  init() {
    // Calls hold their connection, and that the server with this service.
    Teardown.add { [self] in calls = [] }
  }

  /// Lets handlers that wait at the gate go on.
  func openGate() {
    isGateOpen = true
    gate?.resume()
    gate = nil
  }

  static func descriptor(
    _ method: String,
    _ kind: MethodDescriptor.Kind,
    hasNoSideEffects: Bool = false
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: name,
      method: method,
      kind: kind,
      callerClass: .public,
      hasNoSideEffects: hasNoSideEffects,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: Self.name,
      file: Benchmark_V1.benchmarkV1PermissionFile,
      methods: [
        .unary(Self.descriptor("Say", .unary)) { [self] (request: Request, call) in
          try await answer(request, call)
        },
        .unary(Self.descriptor("Read", .unary, hasNoSideEffects: true)) {
          [self] (request: Request, call) in
          try await answer(request, call)
        },
        .serverStreaming(Self.descriptor("Count", .serverStreaming)) {
          [self] (request: Request, call, writer: ResponseWriter<Response>) in
          if request.subject == "many" { return try await answerEach(request, call, writer) }
          for number in 1...2 {
            try await writer.write(Response(reason: "\(request.subject)\(number)"))
          }
          _ = try await answer(request, call)
        },
        .clientStreaming(Self.descriptor("Join", .clientStreaming)) {
          [self] (requests: RequestStream<Request>, call) in
          var subjects: [String] = []
          var last = Request()
          await waitAtGate()
          for try await request in requests {
            taken.append(request.subject)
            subjects.append(request.subject)
            last = request
          }
          last.subject = subjects.joined(separator: ",")
          return try await answer(last, call)
        },
        .bidirectional(Self.descriptor("Chat", .bidirectional)) {
          [self] (requests: RequestStream<Request>, call, writer: ResponseWriter<Response>) in
          for try await request in requests {
            taken.append(request.subject)
            try await writer.write(try await answer(request, call))
          }
        },
      ]
    )
  }

  /// Answers each order of the context by itself.
  private func answerEach(
    _ request: Request,
    _ call: CallContext,
    _ writer: ResponseWriter<Response>
  ) async throws {
    for order in request.context.split(separator: ",") {
      try await writer.write(try await answer(Request(context: String(order)), call))
    }
  }

  private func answer(_ request: Request, _ call: CallContext) async throws -> Response {
    calls.append(call)
    for order in request.context.split(separator: " ") {
      switch order {
      case "fail":
        throw RPCError(
          .resourceExhausted,
          .overloaded,
          "50 % of \u{e9}verything\n",
          retryAfter: .milliseconds(1500)
        )
      case "header":
        call.responseMetadata.append("answered-by", "echo")
        call.responseMetadata.append("token-bin", "AAEC")
        call.responseMetadata.append("grpc-status", "0")
        call.responseMetadata.append("not-text", "\u{e9}")
      case "both":
        call.responseMetadata.append("answered-by", "echo")
        call.responseTrailers.append("answered-in", "trailers")
      case "large": return Response(reason: String(repeating: "x", count: 5 << 20))
      case "long": return Response(reason: String(repeating: "x", count: 4 << 10))
      case "compressed": call.compressesResponses = true
      case "plain": call.compressesResponses = false
      case "hold": try await hold()
      case "cancelled": await waitForCancellation()
      case "from": return Response(reason: call.source)
      case "tell": return Response(reason: Self.description(of: call))
      default: throw RPCError(.invalidArgument, "what is \(order)?")
      }
    }
    return Response(reason: request.subject)
  }

  /// Waits until the task is cancelled, which ends the stream.
  private func hold() async throws {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    continuation.finish()
    cancelledCount += 1
    for observer in cancellationObservers { observer.resume() }
    cancellationObservers = []
    throw CancellationError()
  }

  private func waitForCancellation() async {
    guard cancelledCount == 0 else { return }
    await withCheckedContinuation { cancellationObservers.append($0) }
  }

  /// A line for the time that is left, and one for each pair of metadata.
  private static func description(of call: CallContext) -> String {
    let seconds = call.timeRemaining.map { String($0.components.seconds) } ?? "none"
    return call.metadata.entries.reduce("seconds=\(seconds)\n") { text, entry in
      text + "\(entry.key)=\(entry.value)\n"
    }
  }

  private func waitAtGate() async {
    guard !isGateOpen else { return }
    await withCheckedContinuation { gate = $0 }
  }
}
