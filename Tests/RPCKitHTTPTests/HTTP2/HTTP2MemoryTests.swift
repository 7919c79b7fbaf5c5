import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// What connections of HTTP/2 may hold together: of requests that do not end, of answers that nobody reads, of
/// themselves.
@Suite("HTTP/2: memory of all connections", .teardown)
struct HTTP2MemoryTests {
  /// A request with 12 kB of fields that does not end.
  private static func unfinished(_ stream: UInt32) -> HTTP2Frame {
    let fields = (0..<3).map { ("x-\($0)", String(repeating: "v", count: 4000)) }
    return .request(stream, "/silent", fields, isEnd: false)
  }

  /// A request that does not end, with so many times a field of 3.9 kB; the first one puts it into the table.
  private static func naming(_ count: Int, _ stream: UInt32, isFirst: Bool) -> HTTP2Frame {
    var kept = HTTP2Frame.block([("x", String(repeating: "v", count: 3900))])
    kept[0] = 0x40
    var request = HTTP2Frame.request(stream, "/silent", isEnd: false)
    request.payload += isFirst ? kept : []
    request.payload += Array(repeating: UInt8(0xBE), count: isFirst ? count - 1 : count)
    return request
  }

  private static let refusedStream: UInt32 = 7

  @Test("Fields of a request that has not ended count, until the request is over")
  func fields_ofUnfinishedRequest_count() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(Self.unfinished(1), Self.unfinished(3))
    #expect((24_000..<30_000).contains(stage.held(.assembly)))
    try client.exchange(.reset(1))
    #expect((12_000..<15_000).contains(stage.held(.assembly)))
    try client.exchange(.reset(3))
    #expect(stage.held(.assembly) == 0)
  }

  @Test("Fields whose last frame has not come count as well")
  func fields_thatContinue_count() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let block = HTTP2Frame.block([("x", String(repeating: "v", count: 9000))])
    try client.exchange(HTTP2Frame(HTTP2Frame.Kind.headers, stream: 1, block))
    #expect((9000..<12_000).contains(stage.held(.assembly)))
    client.wire.close()
    try stage.simulation.settle()
    #expect(stage.held(.assembly) == 0)
  }

  @Test("A request that a handler serves counts among handlers and not here")
  func fields_ofRunningCall_doNotCount() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    try client.exchange(.request(1, "/call"))
    #expect(stage.service.startedCount == 1 && stage.held(.assembly) == 0)
    stage.service.release()
    try stage.simulation.settle()
    #expect(client[1].status == "200")
  }

  @Test("16 KiB of fields are taken for a request; of more than that nothing is kept")
  func fields_beyondTheirBound_areNotKept() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open()
    let value = String(repeating: "v", count: 5300)
    let large = [("x-a", value), ("x-b", value), ("x-c", value)]
    try client.exchange(.request(1, "/silent", large, isEnd: false))
    #expect(client[1].status == nil && stage.held(.assembly) > 15_900)
    try client.exchange(.reset(1))
    try client.exchange(Self.naming(5, 3, isFirst: true))
    #expect(client[3].status == "431")
    #expect(stage.held(.assembly) < 3000)
  }

  @Test("Past the bound connections go, the oldest unfinished request first")
  func unfinishedRequests_pastTheBound_cutTheOldest() throws {
    var limits = Limits()
    limits.assemblyByteCountMax = 1 << 20
    let stage = try HTTP2Stage(limits: limits)
    let good = try stage.open()
    try good.exchange(.request(1, "/call"))
    var clients: [HTTP2Client] = []
    var heldMost = 0
    for _ in 0..<60 {
      let client = try stage.open()
      try client.exchange(Self.unfinished(1), Self.unfinished(3), Self.unfinished(5))
      try stage.simulation.run(for: .milliseconds(10))
      heldMost = max(heldMost, stage.held(.assembly))
      clients.append(client)
    }
    #expect(heldMost <= (1 << 20) + 50_000)
    let firstOpen = try #require(clients.firstIndex { !$0.isEnded })
    #expect(firstOpen > 20)
    #expect(clients[firstOpen...].allSatisfy { !$0.isEnded })
    #expect(stage.reached(.assemblyBytes) >= 20)
    #expect(!good.isEnded)
    stage.service.release()
    try stage.simulation.settle()
    #expect(good[1].status == "200")
    for client in clients { client.wire.close() }
    try stage.simulation.settle()
    #expect(stage.held(.assembly) == 0)
  }

  @Test("One turn of one connection adds no more than half of what is left")
  func unfinishedRequests_inOneTurn_areRefused() throws {
    var limits = Limits()
    limits.assemblyByteCountMax = 400 << 10
    let stage = try HTTP2Stage(limits: limits)
    let client = try stage.open()
    // A hundred in a few kilobytes.
    for number in 0..<100 {
      client.send(Self.naming(number == 0 ? 4 : 3, UInt32(2 * number + 1), isFirst: number == 0))
    }
    try stage.simulation.settle()
    let refused = (0..<100).count { client[UInt32(2 * $0 + 1)].reset == Self.refusedStream }
    #expect(refused > 60 && refused < 95)
    #expect(stage.held(.assembly) <= 250 << 10)
  }

  @Test("Answers that share their content take no memory while their windows are closed")
  func sharedContent_behindClosedWindow_takesNothing() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 0)])
    client.send((0..<50).map { .request(UInt32(2 * $0 + 1), "/shared", method: "GET") })
    try stage.simulation.settle()
    #expect(client[99].status == "200" && client[99].content.isEmpty)
    #expect(stage.held(.output) < 8 << 10)
    // What the requests take counts, though they have ended.
    #expect(stage.held(.assembly) > 50 << 10)
    client.send(.windowUpdate(0, 10 << 20), .windowUpdate(99, 1 << 20), .windowUpdate(1, 1000))
    try stage.simulation.settle()
    #expect(client[99].content == SharedExchange.content.bytes && client[99].isEnded)
    #expect(client[1].content == Array(SharedExchange.content.bytes.prefix(1000)))
    #expect(!client[1].isEnded)
  }

  @Test("Of shared content no more is copied than the client takes")
  func sharedContent_unread_isCopiedInPieces() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 1 << 20)])
    client.wire.setReading(false)
    client.send(.windowUpdate(0, 100 << 20))
    client.send((0..<10).map { .request(UInt32(2 * $0 + 1), "/shared", method: "GET") })
    try stage.simulation.settle()
    #expect(stage.held(.output) <= 160 << 10)
    client.wire.setReading(true)
    try stage.simulation.run(for: .seconds(5))
    #expect((0..<10).allSatisfy { client[UInt32(2 * $0 + 1)].content.count == 300_000 })
  }

  @Test("A buffer counts with all its memory until the last byte is taken, and shrinks before")
  func output_countsMemory() throws {
    let stage = try HTTP2Stage()
    let client = try stage.open(settings: [(4, 0)])
    try client.exchange(.request(1, "/bytes/1000000", method: "GET"))
    // Of a buffer that grows by doubling.
    #expect(stage.held(.output) >= 1 << 20)
    try client.exchange(.windowUpdate(0, 1 << 20), .windowUpdate(1, 999_000))
    #expect(client[1].content.count == 999_000)
    #expect(stage.held(.output) < 70_000)
    try client.exchange(.windowUpdate(1, 1000))
    #expect(client[1].isEnded && stage.held(.output) == 0)
  }

  @Test("Past the bound on what connections take, the longest at rest get GOAWAY")
  func sessions_pastTheBound_endTheLongestIdle() throws {
    var limits = Limits()
    limits.sessionByteCountMax = 20 * HTTP2Session.memory
    let stage = try HTTP2Stage(limits: limits)
    let busy = try stage.open()
    try busy.exchange(.request(1, "/call"))
    var clients: [HTTP2Client] = []
    for _ in 0..<60 {
      clients.append(try stage.open())
      try stage.simulation.run(for: .milliseconds(10))
    }
    #expect(stage.held(.sessions) <= 20 * HTTP2Session.memory)
    let firstOpen = try #require(clients.firstIndex { !$0.isEnded })
    #expect(firstOpen >= 40)
    #expect(clients[..<firstOpen].allSatisfy { $0.goAwayCodes == [0] })
    #expect(clients[firstOpen...].allSatisfy { !$0.isEnded })
    #expect(!busy.isEnded && stage.reached(.sessionBytes) >= 40)
    stage.service.release()
    try stage.simulation.settle()
    #expect(busy[1].status == "200")
    for client in clients + [busy] { client.wire.close() }
    try stage.simulation.run(for: .seconds(5))
    #expect(stage.held(.sessions) == 0 && stage.server.connectionCount == 0)
  }
}
