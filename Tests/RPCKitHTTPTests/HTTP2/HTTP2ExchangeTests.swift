import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/2: requests and answers", .teardown)
struct HTTP2ExchangeTests {
  @Test("The server announces its limits at once, and acknowledges ours")
  func preface_settings() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    #expect(client.announced[3] == 128)
    #expect(client.announced[4] == UInt32(Limits().streamWindowByteCount))
    #expect(client.announced[6] == UInt32(HTTPLimits().fieldByteCountMax))
    #expect(client.announced[9] == 1)
    #expect(client.window(0) == UInt32(HTTPLimits().connectionWindowByteCount) - 65_535)
    #expect(!client.isEnded)
  }

  @Test("Fields, content and trailers come through in both directions")
  func echo_contentAndTrailers() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(
      .request(1, "/echo?a=b", [("x-one", "1"), ("x-two", "ü")], isEnd: false),
      .data(1, Array("hello ".utf8)),
      .data(1, Array("world".utf8)),
      .headers(1, [("x-sum", "42")])
    )
    let answer = client[1]
    #expect(answer.status == "200")
    #expect(answer.fields.contains { $0 == ("x-one", "1") })
    #expect(answer.fields.contains { $0 == ("x-two", "ü") })
    #expect(answer.fields.contains { $0 == ("x-path", "/echo") })
    #expect(answer.content == Array("hello world".utf8))
    #expect(answer.trailers.contains { $0 == ("x-sum", "42") })
    #expect(answer.isEnded)
    #expect(answer.reset == nil)
  }

  @Test("An answer that is broken off ends its stream with INTERNAL_ERROR, and no other")
  func brokenAnswer_isReset() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/cut", isEnd: false))
    #expect(client[1].status == "200" && client[1].content == Array("hel".utf8))
    try client.exchange(.data(1, [], isEnd: true), .request(3, "/bytes/20"))
    #expect(client[1].reset == 2 && !client[1].isEnded)
    #expect(client[3].isEnded && client[3].content.count == 20)
  }

  @Test("One byte at a time gives the same answers")
  func echo_dripping() throws {
    let stage = try HTTP2Stage(faults: .dripping)
    let client = try stage.open()
    try client.exchange(
      .request(1, "/echo", isEnd: false),
      .data(1, Array("hello".utf8), isEnd: true),
      .request(3, "/bytes/20")
    )
    #expect(client[1].content == Array("hello".utf8))
    #expect(client[1].isEnded)
    #expect(client[3].content.count == 20)
  }

  @Test("Trailers without content, content without trailers, neither")
  func echo_shapes() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(
      .request(1, "/echo", isEnd: false),
      .headers(1, [("x-a", "b")]),
      .request(3, "/echo", isEnd: false),
      .data(3, [1], isEnd: true),
      .request(5, "/echo")
    )
    #expect(client[1].trailers.contains { $0 == ("x-a", "b") })
    #expect(client[1].content.isEmpty)
    #expect(client[1].isEnded)
    #expect(client[3].content == [1])
    #expect(client[3].trailers.isEmpty)
    #expect(client[3].isEnded)
    #expect(client[5].isEnded)
  }

  @Test("An answer that is complete before the request ends it with RST_STREAM and NO_ERROR")
  func answer_beforeEndOfRequest_resetsWithNoError() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/bytes/3", isEnd: false))
    #expect(client[1].content == [120, 120, 120])
    #expect(client[1].isEnded)
    #expect(client[1].reset == 0)
  }

  @Test("A HEAD request is answered without content")
  func head_hasNoContent() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/bytes/3", method: "HEAD"))
    #expect(client[1].status == "200")
    #expect(client[1].content.isEmpty)
    #expect(client[1].isEnded)
  }

  @Test("An expectation is met before the content, and any other refused")
  func expectations() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/silent", [("expect", "100-continue")], isEnd: false))
    #expect(client[1].status == "100")
    try client.exchange(.request(3, "/echo", [("expect", "miracles")]))
    #expect(client[3].status == "417")
  }

  @Test("Content waits for the client's windows, and other streams do not wait with it")
  func windows_ofAnswers() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 10)])
    try client.exchange(.request(1, "/bytes/100"), .request(3, "/bytes/5"))
    #expect(client[1].content.count == 10)
    #expect(!client[1].isEnded)
    #expect(client[3].content.count == 5)
    #expect(client[3].isEnded)
    try client.exchange(.windowUpdate(1, 60))
    #expect(client[1].content.count == 70)
    try client.exchange(.windowUpdate(1, 60))
    #expect(client[1].content.count == 100)
    #expect(client[1].isEnded)
  }

  @Test("The connection's window comes back as content arrives, a stream's as it is used")
  func windows_ofRequests() throws {
    let stage = try HTTP2Stage { $0.limits.connectionWindowByteCount = 100_000 }
    let client = try stage.open()
    let before = client.window(0)
    try client.exchange(.request(1, "/silent", isEnd: false), .request(3, "/echo", isEnd: false))
    for _ in 0..<12 {
      try client.exchange(.data(1, Array(repeating: 1, count: 16_000)))
    }
    #expect(client.window(0) - before >= 12 * 16_000 - 50_000)
    #expect(client.window(1) == 0)
    for _ in 0..<12 {
      try client.exchange(
        .data(3, Array(repeating: 1, count: 16_000)),
        .windowUpdate(0, 16_000),
        .windowUpdate(3, 16_000)
      )
    }
    #expect(client.window(3) >= 100_000)
    #expect(client[3].content.count == 12 * 16_000)
  }

  @Test("Content beyond the window that a stream was given is an error of the flow control")
  func windows_exceeded() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/silent", isEnd: false))
    for _ in 0..<18 { try client.exchange(.data(1, Array(repeating: 1, count: 16_000))) }
    #expect(client[1].reset == 3)
    #expect(client.goAwayCodes == [])
    try client.exchange(.request(3, "/echo"))
    #expect(client[3].status == "200")
  }

  @Test("A client that gives a request up cancels its handler")
  func reset_cancels() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/call"))
    #expect(stage.service.startedCount == 1)
    #expect(stage.metrics.server.cancelled.value == 0)
    try client.exchange(.reset(1))
    #expect(stage.metrics.server.cancelled.value == 1)
    stage.service.release()
    try stage.simulation.settle()
    try client.exchange(.request(3, "/echo"))
    #expect(client[3].status == "200")
    #expect(client[1].status == nil)
  }

  @Test("A client that goes cancels its handlers")
  func close_cancels() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/call"), .request(3, "/call"))
    client.wire.close()
    try stage.simulation.settle()
    #expect(stage.metrics.server.cancelled.value == 2)
    #expect(stage.server.connectionCount == 0)
    stage.service.release()
    try stage.simulation.settle()
  }

  @Test("A client's GOAWAY ends the connection after what came with it", arguments: [true, false])
  func goAway_ends(isTogether: Bool) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/echo"))
    let goAway = HTTP2Frame(HTTP2Frame.Kind.goAway, Array(repeating: 0, count: 8))
    if isTogether {
      try client.exchange(goAway, .request(3, "/echo"))
    } else {
      try client.exchange(goAway)
      try client.exchange(.request(3, "/echo"))
    }
    #expect(client[3].status == (isTogether ? "200" : nil))
    #expect(client.isEnded)
    client.wire.close()
    try stage.simulation.settle()
    #expect(stage.server.connectionCount == 0)
  }

  @Test("A drain warns, serves what was on its way, and ends when everything is answered")
  func drain_warnsFirst() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/silent", isEnd: false), .request(3, "/call"))
    stage.server.drain()
    try stage.simulation.run(for: .milliseconds(10))
    #expect(client.goAwayCodes == [0])
    #expect(client.lastStream == 0x7FFF_FFFF)
    client.send(.request(5, "/echo"))
    client.answerPings()
    try stage.simulation.run(for: .milliseconds(10))
    #expect(client[5].status == "200")
    #expect(client.goAwayCodes == [0, 0])
    #expect(client.lastStream == 5)
    client.send(.request(7, "/echo"), .reset(1))
    stage.service.release()
    try stage.simulation.run(for: .milliseconds(10))
    #expect(client[3].status == "200")
    #expect(client[7].status == nil)
    #expect(client.isEnded)
    client.wire.close()
    try stage.simulation.settle()
    #expect(stage.isServerDone)
  }

  @Test("A client that does not answer the warning is told the last request all the same")
  func drain_withoutPong() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/call"))
    stage.server.drain()
    try stage.simulation.run(for: .seconds(6))
    #expect(client.goAwayCodes == [0, 0])
    #expect(client.lastStream == 1)
    stage.service.release()
    try stage.simulation.run(for: .seconds(2))
    #expect(client[1].status == "200")
    #expect(client.isEnded)
  }
}
