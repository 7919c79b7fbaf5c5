import TestingContracts

@testable import RPCKit

/// A service whose handlers wait until the test lets them go.
///
/// `@unchecked Sendable`: confined to the simulation's thread.
final class HeldService: @unchecked Sendable {
  typealias Request = Benchmark_V1.CheckRequest
  typealias Response = Benchmark_V1.CheckResponse

  /// Handlers that began.
  private(set) var startedCount = 0
  /// Handlers whose task was cancelled while they waited.
  private(set) var cancelledCount = 0
  /// Messages that `Watch` wrote.
  private(set) var writtenCount = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "test.Service",
      methods: [
        .unary(Self.descriptor("Echo", .unary)) { (request: Request, _) in
          Response(reason: request.subject)
        },
        .unary(Self.descriptor("Hold", .unary)) { [self] (request: Request, call) in
          await hold(call)
          return Response(reason: request.subject)
        },
        // As many messages as the client takes, until the test lets it end.
        .serverStreaming(Self.descriptor("Watch", .serverStreaming)) {
          [self] (_: Request, call, writer: ResponseWriter<Response>) in
          startedCount += 1
          let message = Response(reason: String(repeating: "x", count: 1000))
          do {
            while !isOpen, writtenCount < 100_000 {
              try await writer.write(message)
              writtenCount += 1
            }
          } catch {
            cancelledCount += 1
            throw error
          }
        },
      ]
    )
  }

  private static func descriptor(
    _ method: String,
    _ kind: MethodDescriptor.Kind
  ) -> MethodDescriptor {
    MethodDescriptor(
      service: "test.Service",
      method: method,
      kind: kind,
      callerClass: .public,
      isIdempotent: false,
      priority: .normal,
      requestType: Request.protobufName,
      responseType: Response.protobufName
    )
  }

  private func hold(_ call: CallContext) async {
    startedCount += 1
    guard !isOpen else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { held.append($0) }
    } onCancel: { [self] in
      call.loop.execute { [self] in
        cancelledCount += 1
        release()
      }
    }
  }

  /// Lets every handler go, now and in future.
  func release() {
    isOpen = true
    let waiting = held
    held = []
    for continuation in waiting { continuation.resume() }
  }
}
