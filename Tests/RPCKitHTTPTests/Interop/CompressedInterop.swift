import TestingContracts
import RPCKit
import Testing

/// The interoperability cases in which either side chooses for each message whether it is compressed.
enum CompressedInterop {
  static func clientUnary(_ stage: InteropStage) async throws {
    func call(isCompressed: Bool, expected: Bool) async throws -> Grpc_Testing.SimpleResponse {
      try await stage.client.unaryCall(
        Grpc_Testing.SimpleRequest(
          responseSize: 314159,
          payload: .zeros(271828),
          expectCompressed: Grpc_Testing.BoolValue(value: expected)
        ),
        options: CallOptions(compressesRequest: isCompressed)
      )
    }
    // A probe: a server that does not look would accept it.
    let probe = await InteropCase.code { _ = try await call(isCompressed: false, expected: true) }
    #expect(probe == .invalidArgument)
    #expect(try await call(isCompressed: true, expected: true).payload == .zeros(314159))
    #expect(try await call(isCompressed: false, expected: false).payload == .zeros(314159))
  }

  static func serverUnary(_ stage: InteropStage) async throws {
    for isCompressed in [true, false] {
      let response: UnaryResponse<Grpc_Testing.SimpleResponse> =
        try await stage.channel.unaryWithMetadata(
          Grpc_Testing.TestMethods.unaryCall,
          Grpc_Testing.SimpleRequest(
            responseSize: 314159,
            payload: .zeros(271828),
            responseCompressed: Grpc_Testing.BoolValue(value: isCompressed)
          ),
          options: CallOptions()
        )
      #expect(response.isCompressed == isCompressed)
      #expect(response.message.payload == .zeros(314159))
    }
  }

  static func clientStreaming(_ stage: InteropStage) async throws {
    let probe = await InteropCase.code {
      _ = try await stage.client.streamingInputCall { writer in
        try await writer.write(request(27182, isCompressed: true), compressed: false)
      }
    }
    #expect(probe == .invalidArgument)
    let response = try await stage.client.streamingInputCall { writer in
      try await writer.write(request(27182, isCompressed: true), compressed: true)
      try await writer.write(request(45904, isCompressed: false), compressed: false)
    }
    #expect(response.aggregatedPayloadSize == 73086)
  }

  static func serverStreaming(_ stage: InteropStage) async throws {
    let wanted: [(size: Int32, isCompressed: Bool)] = [(31415, true), (92653, false)]
    let request = Grpc_Testing.StreamingOutputCallRequest(
      responseParameters: wanted.map {
        Grpc_Testing.ResponseParameters(
          size: $0.size,
          compressed: Grpc_Testing.BoolValue(value: $0.isCompressed)
        )
      }
    )
    var responses = stage.client.streamingOutputCall(request).makeAsyncIterator()
    for (size, isCompressed) in wanted {
      let response = try await responses.next()
      #expect(response?.payload == .zeros(Int(size)))
      #expect(responses.isCompressed == isCompressed)
    }
    #expect(try await responses.next() == nil)
  }

  private static func request(
    _ byteCount: Int,
    isCompressed: Bool
  ) -> Grpc_Testing.StreamingInputCallRequest {
    Grpc_Testing.StreamingInputCallRequest(
      payload: .zeros(byteCount),
      expectCompressed: Grpc_Testing.BoolValue(value: isCompressed)
    )
  }
}
