import TestingContracts
import RPCKit
import RPCKitTesting
import Testing

/// The cases of gRPC's interoperability tests (grpc/grpc doc/interop-test-descriptions.md) by their names there.
///
/// Left out is what our library has nothing for: `cacheable_unary` (a proxy's cache), those about credentials of
/// clouds, and `orca_*`. Of `custom_metadata` the stream's half is left out, as our streams hand no metadata to
/// their callers.
enum InteropCase: String, CaseIterable, CustomTestStringConvertible {
  case emptyUnary = "empty_unary"
  case largeUnary = "large_unary"
  case clientCompressedUnary = "client_compressed_unary"
  case serverCompressedUnary = "server_compressed_unary"
  case clientStreaming = "client_streaming"
  case clientCompressedStreaming = "client_compressed_streaming"
  case serverStreaming = "server_streaming"
  case serverCompressedStreaming = "server_compressed_streaming"
  case pingPong = "ping_pong"
  case emptyStream = "empty_stream"
  case customMetadata = "custom_metadata"
  case statusCodeAndMessage = "status_code_and_message"
  case specialStatusMessage = "special_status_message"
  case unimplementedMethod = "unimplemented_method"
  case unimplementedService = "unimplemented_service"
  case cancelAfterBegin = "cancel_after_begin"
  case cancelAfterFirstResponse = "cancel_after_first_response"
  case timeoutOnSleepingServer = "timeout_on_sleeping_server"
  case rpcSoak = "rpc_soak"
  case channelSoak = "channel_soak"

  var testDescription: String { rawValue }

  /// Whether it has a call that streams both ways.
  private var streamsBothWays: Bool {
    switch self {
    case .pingPong, .emptyStream, .statusCodeAndMessage, .specialStatusMessage,
      .cancelAfterFirstResponse, .timeoutOnSleepingServer:
      true
    default: false
    }
  }

  /// Every case with every wire that it can be tried on.
  static let onWires: [(InteropCase, InteropWire)] = allCases.flatMap { test in
    (test.streamsBothWays ? InteropWire.bothWays : InteropWire.allCases).map { (test, $0) }
  }

  func run(_ stage: InteropStage) async throws {
    switch self {
    case .emptyUnary:
      #expect(try await stage.client.emptyCall(Grpc_Testing.Empty()) == Grpc_Testing.Empty())
    case .largeUnary: try await Self.largeUnary(stage.client)
    case .clientCompressedUnary: try await CompressedInterop.clientUnary(stage)
    case .serverCompressedUnary: try await CompressedInterop.serverUnary(stage)
    case .clientStreaming: try await Self.clientStreaming(stage)
    case .clientCompressedStreaming: try await CompressedInterop.clientStreaming(stage)
    case .serverStreaming: try await Self.serverStreaming(stage)
    case .serverCompressedStreaming: try await CompressedInterop.serverStreaming(stage)
    case .pingPong: try await Self.pingPong(stage)
    case .emptyStream: try await Self.emptyStream(stage)
    case .customMetadata: try await Self.customMetadata(stage)
    case .statusCodeAndMessage: try await Self.status("test status message", stage)
    case .specialStatusMessage:
      let text =
        "\t\ntest with whitespace\r\nand Unicode BMP \u{263A} and non-BMP \u{1F608}\t\n"
      try await Self.status(text, stage)
    case .unimplementedMethod:
      let outcome = await Self.code {
        _ = try await stage.client.unimplementedCall(Grpc_Testing.Empty())
      }
      #expect(outcome == .unimplemented)
    case .unimplementedService:
      let client = Grpc_Testing.UnimplementedClient(stage.channel)
      let outcome = await Self.code { _ = try await client.unimplementedCall(Grpc_Testing.Empty()) }
      #expect(outcome == .unimplemented)
    case .cancelAfterBegin: try await Self.cancelAfterBegin(stage)
    case .cancelAfterFirstResponse: try await Self.cancelAfterFirstResponse(stage)
    case .timeoutOnSleepingServer: await Self.timeoutOnSleepingServer(stage)
    case .rpcSoak:
      for _ in 0..<10 { try await Self.largeUnary(stage.client) }
    case .channelSoak:
      for _ in 0..<10 {
        let channel = stage.makeChannel()
        try await Self.largeUnary(Grpc_Testing.TestClient(channel))
        await channel.close()
      }
    }
  }

  /// Sizes that the description names: of responses, and of the requests beside them.
  static let responseSizes = [31415, 9, 2653, 58979]
  static let requestSizes = [27182, 8, 1828, 45904]

  private static func largeUnary(_ client: Grpc_Testing.TestClient) async throws {
    let response = try await client.unaryCall(
      Grpc_Testing.SimpleRequest(responseSize: 314159, payload: .zeros(271828))
    )
    #expect(response.payload == .zeros(314159))
  }

  private static func clientStreaming(_ stage: InteropStage) async throws {
    let response = try await stage.client.streamingInputCall { writer in
      for size in requestSizes {
        try await writer.write(Grpc_Testing.StreamingInputCallRequest(payload: .zeros(size)))
      }
    }
    #expect(response.aggregatedPayloadSize == 74922)
  }

  private static func serverStreaming(_ stage: InteropStage) async throws {
    let request = Grpc_Testing.StreamingOutputCallRequest(
      responseParameters: responseSizes.map { Grpc_Testing.ResponseParameters(size: Int32($0)) }
    )
    var sizes: [Int] = []
    for try await response in stage.client.streamingOutputCall(request) {
      sizes.append(response.payload?.body.count ?? -1)
    }
    #expect(sizes == responseSizes)
  }

  private static func pingPong(_ stage: InteropStage) async throws {
    try await stage.client.fullDuplexCall { writer, responses in
      var iterator = responses.makeAsyncIterator()
      for (requestSize, responseSize) in zip(requestSizes, responseSizes) {
        try await writer.write(request(requestSize, answeredWith: responseSize))
        let response = try await iterator.next()
        #expect(response?.payload == .zeros(responseSize))
      }
      try await writer.finish()
      let end = try await iterator.next()
      #expect(end == nil)
    }
  }

  private static func emptyStream(_ stage: InteropStage) async throws {
    try await stage.client.fullDuplexCall { writer, responses in
      try await writer.finish()
      var iterator = responses.makeAsyncIterator()
      let end = try await iterator.next()
      #expect(end == nil)
    }
  }

  private static func customMetadata(_ stage: InteropStage) async throws {
    let metadata: Metadata = [
      InteropService.initialKey: "test_initial_metadata_value",
      // 0xababab: bytes are base64 in our metadata on both wires.
      InteropService.trailingKey: "q6ur",
    ]
    let response: UnaryResponse<Grpc_Testing.SimpleResponse> =
      try await stage.channel.unaryWithMetadata(
        Grpc_Testing.TestMethods.unaryCall,
        Grpc_Testing.SimpleRequest(responseSize: 314159, payload: .zeros(271828)),
        options: CallOptions(metadata: metadata)
      )
    #expect(response.message.payload == .zeros(314159))
    #expect(response.metadata == metadata)
  }

  private static func status(_ text: String, _ stage: InteropStage) async throws {
    let status = Grpc_Testing.EchoStatus(code: 2, message: text)
    let unary = await error {
      _ = try await stage.client.unaryCall(Grpc_Testing.SimpleRequest(responseStatus: status))
    }
    #expect(unary?.code == .unknown)
    #expect(unary?.message == text)
    let stream = await error {
      try await stage.client.fullDuplexCall { writer, responses in
        try await writer.write(Grpc_Testing.StreamingOutputCallRequest(responseStatus: status))
        for try await _ in responses {}
      }
    }
    #expect(stream?.code == .unknown)
    #expect(stream?.message == text)
  }

  private static func cancelAfterBegin(_ stage: InteropStage) async throws {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let call = Task(executorPreference: stage.loop) {
      await code {
        _ = try await stage.client.streamingInputCall { writer in
          // The description sends nothing; with a message the handler is sure to have begun.
          try await writer.write(Grpc_Testing.StreamingInputCallRequest(payload: .zeros(1)))
          beginning.finish()
          try await forever()
        }
      }
    }
    for await _ in begun {}
    let isTaken = await stage.loop.eventually { stage.service.takenCount == 1 }
    #expect(isTaken)
    call.cancel()
    let outcome = await call.value
    #expect(outcome == .cancelled)
    let isCancelled = await stage.loop.eventually { stage.service.cancelledCount == 1 }
    #expect(isCancelled, "the handler runs on")
  }

  private static func cancelAfterFirstResponse(_ stage: InteropStage) async throws {
    let (answered, answer) = AsyncStream.makeStream(of: Void.self)
    let call = Task(executorPreference: stage.loop) {
      await code {
        try await stage.client.fullDuplexCall { writer, responses in
          try await writer.write(request(27182, answeredWith: 31415))
          for try await response in responses {
            #expect(response.payload == .zeros(31415))
            answer.finish()
          }
        }
      }
    }
    for await _ in answered {}
    call.cancel()
    let outcome = await call.value
    #expect(outcome == .cancelled)
    let isCancelled = await stage.loop.eventually { stage.service.cancelledCount == 1 }
    #expect(isCancelled, "the handler runs on")
  }

  private static func timeoutOnSleepingServer(_ stage: InteropStage) async {
    let outcome = await code {
      try await stage.client.fullDuplexCall(timeout: .milliseconds(1)) { writer, responses in
        let request = Grpc_Testing.StreamingOutputCallRequest(payload: .zeros(27182))
        // The deadline may pass before the request is on its way.
        try? await writer.write(request)
        for try await _ in responses {}
      }
    }
    #expect(outcome == .deadlineExceeded)
  }

  // MARK: - What they have in common

  private static func request(
    _ byteCount: Int,
    answeredWith responseByteCount: Int
  ) -> Grpc_Testing.StreamingOutputCallRequest {
    Grpc_Testing.StreamingOutputCallRequest(
      responseParameters: [Grpc_Testing.ResponseParameters(size: Int32(responseByteCount))],
      payload: .zeros(byteCount)
    )
  }

  /// Until the task is cancelled, which ends the stream.
  private static func forever() async throws {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    continuation.finish()
    try Task.checkCancellation()
  }

  static func code(_ call: () async throws -> Void) async -> StatusCode? {
    await error(call)?.code
  }

  private static func error(_ call: () async throws -> Void) async -> RPCError? {
    do {
      try await call()
      return nil
    } catch let error as RPCError {
      return error
    } catch {
      // A caller that was cancelled while it waited for something of its own.
      return error is CancellationError ? RPCError(.cancelled, "cancelled") : nil
    }
  }
}
