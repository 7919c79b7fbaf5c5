import TestingContracts
import RPCKit

/// The server of gRPC's interoperability tests, as their description wants it.
final class InteropService: Grpc_Testing.TestService {
  static let initialKey = "x-grpc-test-echo-initial"
  static let trailingKey = "x-grpc-test-echo-trailing-bin"

  /// Handlers that ended because their call was given up.
  var cancelledCount: Int { cancelled.withLock { $0 } }
  /// Payloads that handlers of streams have taken.
  var takenCount: Int { taken.withLock { $0 } }
  /// Payloads that handlers of streams have sent.
  var sentCount: Int { sent.withLock { $0 } }

  private let cancelled = Lock(0)
  private let taken = Lock(0)
  private let sent = Lock(0)

  /// The service without the method that no server has.
  var served: ServiceDefinition {
    var served = definition
    served.methods.removeAll { $0.descriptor.method == "UnimplementedCall" }
    return served
  }

  func emptyCall(
    _ request: Grpc_Testing.Empty,
    _ call: CallContext
  ) async throws -> Grpc_Testing.Empty { Grpc_Testing.Empty() }

  func unaryCall(
    _ request: Grpc_Testing.SimpleRequest,
    _ call: CallContext
  ) async throws -> Grpc_Testing.SimpleResponse {
    echoMetadata(call)
    try Self.check(request.expectCompressed, isCompressed: call.isRequestCompressed)
    try Self.fail(request.responseStatus)
    call.compressesResponses = request.responseCompressed?.value
    return Grpc_Testing.SimpleResponse(payload: .zeros(Int(request.responseSize)))
  }

  func streamingOutputCall(
    _ request: Grpc_Testing.StreamingOutputCallRequest,
    _ call: CallContext,
    to writer: ResponseWriter<Grpc_Testing.StreamingOutputCallResponse>
  ) async throws {
    try await noting { try await answer(request, call, writer) }
  }

  func streamingInputCall(
    _ requests: RequestStream<Grpc_Testing.StreamingInputCallRequest>,
    _ call: CallContext
  ) async throws -> Grpc_Testing.StreamingInputCallResponse {
    try await noting {
      var byteCount = 0
      var iterator = requests.makeAsyncIterator()
      while let request = try await iterator.next() {
        taken.withLock { $0 += 1 }
        try Self.check(request.expectCompressed, isCompressed: iterator.isCompressed)
        byteCount += request.payload?.body.count ?? 0
      }
      return Grpc_Testing.StreamingInputCallResponse(aggregatedPayloadSize: Int32(byteCount))
    }
  }

  func fullDuplexCall(
    _ requests: RequestStream<Grpc_Testing.StreamingOutputCallRequest>,
    _ call: CallContext,
    to writer: ResponseWriter<Grpc_Testing.StreamingOutputCallResponse>
  ) async throws {
    try await noting {
      echoMetadata(call)
      for try await request in requests {
        taken.withLock { $0 += 1 }
        try await answer(request, call, writer)
      }
    }
  }

  func unimplementedCall(
    _ request: Grpc_Testing.Empty,
    _ call: CallContext
  ) async throws -> Grpc_Testing.Empty { preconditionFailure("no server has this method") }

  // MARK: - What they have in common

  private func answer(
    _ request: Grpc_Testing.StreamingOutputCallRequest,
    _ call: CallContext,
    _ writer: ResponseWriter<Grpc_Testing.StreamingOutputCallResponse>
  ) async throws {
    try Self.fail(request.responseStatus)
    for wanted in request.responseParameters {
      if wanted.intervalUs > 0 { await call.loop.sleep(.microseconds(wanted.intervalUs)) }
      call.compressesResponses = wanted.compressed?.value
      try await writer.write(
        Grpc_Testing.StreamingOutputCallResponse(payload: .zeros(Int(wanted.size)))
      )
      sent.withLock { $0 += 1 }
    }
  }

  /// Notes handlers whose call is given up while they run.
  private func noting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch {
      if Task.isCancelled { cancelled.withLock { $0 += 1 } }
      throw error
    }
  }

  private func echoMetadata(_ call: CallContext) {
    if let value = call.metadata[Self.initialKey] { call.responseMetadata[Self.initialKey] = value }
    if let value = call.metadata[Self.trailingKey] {
      call.responseTrailers[Self.trailingKey] = value
    }
  }

  /// Refuses a message that is not compressed as it says, which is how a client learns that a server looks.
  private static func check(_ expected: Grpc_Testing.BoolValue?, isCompressed: Bool) throws {
    guard let expected, expected.value != isCompressed else { return }
    let state = isCompressed ? "compressed" : "not compressed"
    throw RPCError(.invalidArgument, "the message came \(state)")
  }

  private static func fail(_ status: Grpc_Testing.EchoStatus?) throws {
    guard let status, status.code != 0 else { return }
    throw RPCError(StatusCode(rawValue: status.code), status.message)
  }
}

extension Grpc_Testing.Payload {
  /// So many zeros.
  static func zeros(_ byteCount: Int) -> Grpc_Testing.Payload {
    Grpc_Testing.Payload(body: [UInt8](repeating: 0, count: byteCount))
  }
}
