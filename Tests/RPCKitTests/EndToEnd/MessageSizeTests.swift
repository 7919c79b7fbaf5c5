import TestingContracts
import Testing

@testable import RPCKit

/// Messages around the 4 MiB that a frame may have.
@Suite("Messages at the size limit", .timeLimit(.minutes(1)))
struct MessageSizeTests {
  /// Bytes of `bytesValue` that make an Echo request of exactly one full frame.
  private static let requestByteCount: Int = {
    let probe = (4 << 20) - 1000
    var frame = ByteBuffer()
    Rich(byteCount: probe).append(to: &frame) { frame, byteCount in
      RequestEnvelope.appendFrame(
        to: &frame,
        streamID: .first,
        flags: [],
        service: "testing.v1.RichService",
        method: "Echo",
        timeoutNanoseconds: 0,
        metadata: [:],
        payloadByteCount: byteCount
      )
    }
    return (4 << 20) - (frame.byteCount - FrameHeader.byteCount - probe)
  }()

  /// Bytes of `bytesValue` that make a response of exactly one full frame.
  private static let responseByteCount: Int = {
    let probe = (4 << 20) - 1000
    var frame = ByteBuffer()
    let byteCount = FrameCodec().appendResponse(
      { buffer, prefix in Rich(byteCount: probe).append(to: &buffer, prefix: prefix) },
      to: &frame,
      streamID: .first,
      metadata: [:],
      deflates: false
    )
    return (4 << 20) - (byteCount - probe)
  }()

  @Test("A request that fills a frame is served", arguments: SocketKind.allCases)
  func request_ofFullFrame_isServed(kind: SocketKind) async throws {
    let handler = RichHandler(onEcho: { request, _ in Rich(number: Int32(request.bytesValue.count))
    })
    try await EndToEnd.run(over: kind, handler) { test in
      let response = try await test.rich.echo(Rich(byteCount: Self.requestByteCount))
      #expect(response.int32Value == Int32(Self.requestByteCount))
    }
  }

  @Test("A request one byte larger than a frame fails alone")
  func request_oneByteOver_isRefusedAndConnectionLives() async throws {
    try await EndToEnd.run { test in
      let error = await rpcError {
        _ = try await test.rich.echo(Rich(byteCount: Self.requestByteCount + 1))
      }
      #expect(error?.code == .resourceExhausted)
      let response = try await test.rich.echo(Rich(number: 7))
      #expect(response.int32Value == 7)
      #expect(test.server.connectionCount == 1)
    }
  }

  @Test("A response that fills a frame is delivered, and one byte more is an error of that call")
  func response_aroundTheLimit_isDeliveredOrRefused() async throws {
    let handler = RichHandler(onEcho: { request, _ in Rich(byteCount: Int(request.int32Value)) })
    try await EndToEnd.run(handler) { test in
      let full = Int32(Self.responseByteCount)
      let response = try await test.rich.echo(Rich(number: full))
      #expect(response.bytesValue.count == Int(full))
      let error = await rpcError { _ = try await test.rich.echo(Rich(number: full + 1)) }
      #expect(error?.code == .resourceExhausted)
      let small = try await test.rich.echo(Rich(number: 9))
      #expect(small.bytesValue.count == 9)
      #expect(test.server.connectionCount == 1)
    }
  }

  @Test("Stream messages larger than the window pass one by one")
  func stream_ofLargeMessages_passes() async throws {
    try await EndToEnd.run { test in
      let large = Rich(byteCount: 3 << 20)
      try await test.rich.converse { writer, responses in
        var iterator = responses.makeAsyncIterator()
        for _ in 0..<4 {
          try await writer.write(large)
          #expect(try await iterator.next() == large)
        }
        try await writer.finish()
        #expect(try await iterator.next() == nil)
      }
    }
  }

  @Test("A stream message larger than a frame is refused to the writer and the stream goes on")
  func stream_messageOverTheLimit_isRefusedToItsWriter() async throws {
    try await EndToEnd.run { test in
      let sum = try await test.rich.collect { writer in
        try await writer.write(Rich(number: 1))
        let error = await rpcError { try await writer.write(Rich(byteCount: 4 << 20)) }
        #expect(error?.code == .resourceExhausted)
        try await writer.write(Rich(number: 2))
      }
      #expect(sum.int32Value == 3)
    }
  }
}
