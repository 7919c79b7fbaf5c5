import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/2: floods and what takes too long", .teardown)
struct HTTP2FloodTests {
  private static let calm: UInt32 = 11

  /// Sends frames that `make` makes by number until the server ends the connection; returns how many it took.
  private func flood(
    _ stage: HTTP2Stage,
    _ client: HTTP2Client,
    most: Int,
    _ make: (Int) -> [HTTP2Frame]
  ) throws -> Int {
    for index in 0..<most {
      client.send(make(index))
      if index % 50 == 49 {
        try stage.simulation.settle()
        if client.isEnded { return index + 1 }
      }
    }
    try stage.simulation.settle()
    return most
  }

  private static let emptyFrames: [(String, @Sendable (Int) -> HTTP2Frame)] = [
    ("PING", { _ in .ping() }),
    ("PING acknowledgement", { _ in .ping(flags: 1) }),
    ("PRIORITY", { _ in HTTP2Frame(HTTP2Frame.Kind.priority, stream: 9, [0, 0, 0, 0, 16]) }),
    ("unknown", { _ in HTTP2Frame(0x42, stream: 0, [1]) }),
    ("empty DATA", { _ in .data(1, []) }),
    ("padding only", { _ in HTTP2Frame(HTTP2Frame.Kind.data, flags: 8, stream: 1, [3, 0, 0, 0]) }),
    ("WINDOW_UPDATE", { _ in .windowUpdate(1, 1) }),
    ("late RST_STREAM", { _ in .reset(3) }),
  ]

  @Test("Frames that carry nothing end the connection", arguments: emptyFrames.indices)
  func emptyFrames_endConnection(index: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let good = try stage.open()
    try client.exchange(.request(1, "/silent", isEnd: false), .request(3, "/echo"))
    let count = try flood(stage, client, most: 2000) { [Self.emptyFrames[index].1($0)] }
    #expect(count > 900 && count <= 1100, "\(Self.emptyFrames[index].0): \(count)")
    #expect(client.goAwayCodes == [Self.calm])
    #expect(stage.reached(.http2EmptyFrames) == 1)
    try good.exchange(.request(1, "/bytes/10"))
    #expect(good[1].content.count == 10)
  }

  @Test("As many as a second allows do not, however long it goes on")
  func emptyFrames_slowly_areServed() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    for _ in 0..<20 {
      client.send(Array(repeating: .ping(), count: 190))
      try stage.simulation.run(for: .seconds(1))
    }
    #expect(client.answeredPingCount == 20 * 190)
    #expect(!client.isEnded)
  }

  @Test("SETTINGS end the connection sooner: each makes work")
  func settings_endConnection() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let count = try flood(stage, client, most: 500) {
      // The size of the compressor's table goes up and down.
      [.settings([(1, $0 % 2 == 0 ? 0 : 4096)])]
    }
    #expect(count <= 150)
    #expect(client.goAwayCodes == [Self.calm])
  }

  @Test("A block of fields in more CONTINUATION frames than any client needs ends the connection")
  func continuations_endConnection() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    client.send(
      HTTP2Frame(HTTP2Frame.Kind.headers, flags: 1, stream: 1, HTTP2Frame.block([("x", "y")]))
    )
    client.send(
      Array(repeating: HTTP2Frame(HTTP2Frame.Kind.continuation, stream: 1), count: 9)
    )
    try stage.simulation.settle()
    #expect(client.goAwayCodes == [Self.calm])
    #expect(client.isEnded)
  }

  @Test("One CONTINUATION frame that arrives in many pieces is none of that")
  func continuation_inPieces_isServed() throws {
    let stage = try HTTP2Stage(faults: .dripping)
    let client = try stage.open()
    let block = HTTP2Frame.block([
      (":method", "POST"), (":scheme", "http"), (":path", "/echo"),
      (":authority", "host"), ("x-a", "b"),
    ])
    try client.exchange(
      HTTP2Frame(HTTP2Frame.Kind.headers, flags: 1, stream: 1, Array(block.prefix(5))),
      HTTP2Frame(HTTP2Frame.Kind.continuation, flags: 4, stream: 1, Array(block.dropFirst(5)))
    )
    #expect(client[1].status == "200")
  }

  @Test("Requests that are given up as soon as they are made end the connection")
  func rapidReset_endsConnection() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let good = try stage.open()
    let count = try flood(stage, client, most: 2000) {
      [.request(UInt32($0) * 2 + 1, "/call"), .reset(UInt32($0) * 2 + 1)]
    }
    #expect(count <= 600)
    #expect(client.goAwayCodes == [Self.calm])
    #expect(stage.reached(.http2Abandoned) == 1)
    #expect(stage.service.startedCount <= 128)
    try good.exchange(.request(1, "/echo"))
    #expect(good[1].status == "200")
    stage.service.release()
    try stage.simulation.settle()
  }

  @Test("Handlers that wind down count, so given up calls make room only when those have ended")
  func rapidReset_handlersAreBounded() throws {
    let stage = try HTTP2Stage { $0.limits.streamCountMax = 4 }
    let client = try stage.open()
    for index in 0..<20 {
      try client.exchange(.request(UInt32(index) * 2 + 1, "/call"))
      try client.exchange(.reset(UInt32(index) * 2 + 1))
    }
    #expect(stage.service.startedCount == 4)
    #expect(client[9].status == "429")
    stage.service.release()
    try stage.simulation.settle()
    try client.exchange(.request(101, "/call"))
    #expect(stage.service.startedCount == 5)
    stage.service.release()
    try stage.simulation.settle()
  }

  @Test("Resets of requests that were answered count for nothing")
  func reset_afterAnswer_isServed() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    for index in 0..<900 {
      let stream = UInt32(index) * 2 + 1
      try client.exchange(.request(stream, "/bytes/1", isEnd: false))
    }
    #expect(!client.isEnded)
    #expect(client[1799].isEnded)
  }

  private static let provoked: [(String, @Sendable (UInt32) -> [HTTP2Frame])] = [
    ("malformed", { [.request($0, "/call", [("connection", "close")])] }),
    ("window of nothing", { [.request($0, "/call"), .windowUpdate($0, 0)] }),
    ("window too large", { [.request($0, "/call"), .windowUpdate($0, 0x7FFF_FFFF)] }),
    ("content after the end", { [.request($0, "/call"), .data($0, [1])] }),
  ]

  @Test("A client that makes the server reset streams is stopped", arguments: provoked.indices)
  func provokedResets_endConnection(index: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let count = try flood(stage, client, most: 1000) {
      Self.provoked[index].1(UInt32($0) * 2 + 1)
    }
    #expect(count <= 200)
    #expect(client.isEnded)
    #expect(stage.service.startedCount <= 128)
    stage.service.release()
    try stage.simulation.settle()
  }

  @Test("More streams than announced are a broken connection")
  func streams_tooMany() throws {
    let stage = try HTTP2Stage { $0.limits.streamCountMax = 3 }
    let client = try stage.open()
    for index in 0..<3 {
      try client.exchange(.request(UInt32(index) * 2 + 1, "/silent", isEnd: false))
    }
    try client.exchange(.request(7, "/silent"))
    #expect(client.goAwayCodes == [1])
  }

  @Test(
    "Requests with too many fields are refused alone, and others answered",
    arguments: [(101, 0), (40, 1000), (10, 8000)]
  )
  func fields_tooLarge(_ count: Int, _ byteCount: Int) throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let value = String(repeating: "v", count: byteCount)
    let many = (0..<count).map { ("x-\($0)", value) }
    for index in UInt32(0)..<3 {
      let frame = HTTP2Frame.request(4 * index + 1, "/echo", many)
      client.send(frame.inPieces)
      try client.exchange(.request(4 * index + 3, "/echo"))
      #expect(client[4 * index + 1].status == "431")
      #expect(client[4 * index + 3].status == "200")
    }
    #expect(client.goAwayCodes == [])
    #expect(stage.reached(.fieldBytes) == 3)
  }

  @Test("Fields that nobody sends in good faith end the connection")
  func fields_beyondMeasure() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let value = String(repeating: "v", count: 10_000)
    client.send(HTTP2Frame.request(1, "/echo", (0..<14).map { ("x-\($0)", value) }).inPieces)
    try stage.simulation.settle()
    #expect(client.goAwayCodes == [Self.calm])
  }

  @Test("Requests with too many fields, one after another, end the connection")
  func fields_tooLargeAgainAndAgain() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let many = (0..<101).map { ("x-\($0)", "") }
    for index in UInt32(0)..<13 { try client.exchange(.request(2 * index + 1, "/echo", many)) }
    #expect(client[1].status == "431" && client[23].status == "431")
    #expect(client.goAwayCodes == [Self.calm])
  }

  @Test("A small block that stands for fifty mebibytes is not unpacked")
  func fields_bomb() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let value = String(repeating: "v", count: 3900)
    var block = HTTP2Frame.block([
      (":method", "GET"), (":scheme", "http"), (":path", "/echo"), (":authority", "host"),
    ])
    // A literal that is put into the table, and twelve thousand references to it.
    let literal = HTTP2Frame.block([("x-b", value)])
    block += [0x40] + literal.dropFirst()
    block += Array(repeating: 0xBE, count: 12_000)
    try client.exchange(HTTP2Frame(HTTP2Frame.Kind.headers, flags: 5, stream: 1, block))
    #expect(client[1].status == nil)
    #expect(client.goAwayCodes == [Self.calm])
  }

  @Test("Fields that stop coming close the connection after ten seconds")
  func fields_slow() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    client.send(HTTP2Frame(HTTP2Frame.Kind.headers, stream: 1, HTTP2Frame.block([("x", "y")])))
    try stage.simulation.run(for: .seconds(9))
    #expect(!client.isEnded)
    try stage.simulation.run(for: .seconds(2))
    #expect(client.isEnded)
  }

  @Test("A preface that stops coming closes the connection after ten seconds")
  func preface_slow() throws {
    let stage = try HTTP2Stage()
    let client = try stage.connect()
    client.wire.send(Array("PRI * HTTP/2.0\r\n".utf8))
    try stage.simulation.run(for: .seconds(9))
    #expect(!client.isEnded)
    try stage.simulation.run(for: .seconds(2))
    #expect(client.isEnded)
  }

  @Test("Content that stops coming ends its stream, not the connection")
  func content_slow() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    client.send(.request(1, "/echo", isEnd: false), .data(1, [1]))
    try stage.simulation.run(for: .seconds(29))
    #expect(client[1].reset == nil)
    try stage.simulation.run(for: .seconds(10))
    #expect(client[1].reset == 8)
    client.send(.request(3, "/echo"))
    try stage.simulation.run(for: .seconds(1))
    #expect(client[3].status == "200")
  }

  @Test("An answer whose window stays shut ends, also while other frames go back and forth")
  func window_neverOpened() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 0)])
    client.send(.request(1, "/bytes/100000"))
    for _ in 0..<8 {
      client.send(.ping())
      try stage.simulation.run(for: .seconds(5))
    }
    #expect(client[1].status == "200")
    #expect(client[1].reset == 8)
    #expect(stage.reached(.outputStallTime) == 1)
    #expect(!client.isEnded)
  }

  @Test("A connection that rests is drained after five minutes")
  func idle_isDrained() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/echo"))
    try stage.simulation.run(for: .seconds(290))
    #expect(!client.isEnded)
    try stage.simulation.run(for: .seconds(30))
    #expect(client.goAwayCodes == [0, 0])
    #expect(client.isEnded)
  }

  @Test("A client that does not read is not read from, and closed in the end")
  func unreadAnswers_pushBack() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 0x7FFF_FFFF)])
    client.send(.windowUpdate(0, 0x7000_0000))
    try stage.simulation.settle()
    client.wire.setReading(false)
    for index in 0..<40 {
      client.send(.request(UInt32(index) * 2 + 1, "/bytes/100000"))
    }
    try stage.simulation.run(for: .seconds(40))
    #expect(stage.server.connectionCount == 0)
    #expect(stage.reached(.outputStallTime) >= 1)
  }
}
