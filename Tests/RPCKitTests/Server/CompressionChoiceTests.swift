import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit

/// Who says whether a message is compressed: the server for all, a handler for its own.
@Suite("Choosing compression", .teardown)
struct CompressionChoiceTests {
  private static let deflated: UInt8 = 0x10

  @Test(
    "A handler's word counts before the server's, and only towards a client that can inflate",
    arguments: [
      (false, "reply=5000", false), (true, "reply=5000", true),
      (false, "compressed reply=5000", true), (true, "plain reply=5000", false),
      (false, "compressed reply=900", false),
    ]
  )
  func handlerChooses(serverCompresses: Bool, orders: String, isDeflated: Bool) throws {
    let fixture = try ServerFixture { $0.compressesResponses = serverCompresses }
    for (features, mayBeDeflated) in [(UInt64(1), isDeflated), (0, false)] {
      let peer = try fixture.connectExtended(features: features)
      let request = Benchmark_V1.CheckRequest(context: orders)
      let answer = try #require(try fixture.exchange(peer, .call(1, "Echo", request)).first)
      #expect((answer.flags & Self.deflated != 0) == mayBeDeflated)
      #expect((answer.payload.count < 1000) == (mayBeDeflated || orders.hasSuffix("=900")))
    }
    let stock = try fixture.connect()
    let request = Benchmark_V1.CheckRequest(context: orders)
    let answer = try #require(try fixture.exchange(stock, .call(1, "Echo", request)).first)
    #expect(answer.flags & Self.deflated == 0)
  }

  @Test("A handler that streams chooses for each message")
  func handlerChoosesForEachMessage() throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended(features: 1)
    let orders = "reply=5000 count=1 compressed count=2 plain count=1"
    let request = Benchmark_V1.CheckRequest(context: orders)
    let frames = try fixture.exchange(peer, .call(1, "Watch", request, flags: 1))
    let flags = frames.filter { $0.type == WireFrame.data && !$0.payload.isEmpty }.map(\.flags)
    #expect(flags == [0, Self.deflated, Self.deflated, 0])
  }

  @Test("A handler sees whether its request came compressed", arguments: [true, false])
  func handlerSees(isCompressed: Bool) throws {
    let fixture = try ServerFixture()
    let peer = try fixture.connectExtended(features: 1)
    let payload = try Self.payload(isCompressed: isCompressed)
    let request = WireMessage.request(
      ServerFixture.service,
      "Echo",
      payload: payload,
      timeoutNanoseconds: 0,
      metadata: []
    )
    let frame = WireFrame(
      stream: 1,
      type: WireFrame.request,
      flags: isCompressed ? Self.deflated : 0,
      payload: request
    )
    _ = try fixture.exchange(peer, frame)
    #expect(fixture.service.calls.map(\.isRequestCompressed) == [isCompressed])
  }

  /// A request that is long enough to be deflated.
  private static func payload(isCompressed: Bool) throws -> [UInt8] {
    var message = ByteBuffer()
    Benchmark_V1.CheckRequest(subject: String(repeating: "s", count: 5000))
      .append(to: &message) { _, _ in }
    if isCompressed {
      let isDeflated = MessageCompression().deflateIfWorthwhile(&message, .zlib)
      try #require(isDeflated)
    }
    return message.withBytes { Array($0) }
  }
}
