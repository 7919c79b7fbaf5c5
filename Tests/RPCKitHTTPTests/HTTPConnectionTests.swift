import TestingContracts
import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// What all versions of the protocol share, shown by HTTP/1.1.
@Suite("HTTP connection: calls, drain and end", .teardown) struct HTTPConnectionTests {
  private let fixture: HTTPFixture

  init() throws {
    fixture = try HTTPFixture(configure: {
      $0.limits.runningHandlersMax = 4
      $0.limits.drainTimeout = .seconds(100)
    })
  }

  private func post(_ method: String, _ subject: String = "a", _ fields: String = "") -> [UInt8] {
    let message = Benchmark_V1.CheckRequest(subject: subject).protobufBytes
    let head =
      "POST /test.Service/\(method) HTTP/1.1\r\nHost: a\r\n\(fields)Content-Length: \(message.count)\r\n\r\n"
    return Array(head.utf8) + message
  }

  private func call(
    _ peer: HTTPPeer,
    _ method: String,
    _ fields: String = ""
  ) throws -> String {
    peer.wire.send(post(method, "a", fields))
    try fixture.simulation.settle()
    return peer.take()
  }

  private func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) {
    #expect(fixture.server.admission.runningCount == 0, sourceLocation: location)
    #expect(fixture.server.streamingCallCount == 0, sourceLocation: location)
    #expect(fixture.server.core.held.byteCount(.output) == 0, sourceLocation: location)
    #expect(fixture.server.core.held.byteCount(.assembly) == 0, sourceLocation: location)
  }

  // MARK: - Calls

  @Test("A call is answered by its handler, and counted")
  func call_isAnswered() throws {
    let peer = try fixture.connect()
    let answer = try call(peer, "Echo")
    let message = HeldService.Response(reason: "a").protobufBytes
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\n"))
    #expect(peer.wire.received.suffix(message.count) == message[...])
    expectNothingLeft()
  }

  @Test(
    "A call of what does not exist is refused",
    arguments: ["/nobody/Echo", "/test.Service/Nothing", "/x"]
  )
  func unknownMethod_isRefused(path: String) throws {
    let peer = try fixture.connect()
    #expect(try peer.send("GET \(path) HTTP/1.1\nHost: a\n\n").contains("\n\n12: "))
    #expect(!peer.isEnded)
  }

  @Test("A deadline that passes ends the call, and not the connection")
  func deadline_endsCall() throws {
    let peer = try fixture.connect()
    #expect(try call(peer, "Hold", "X-Timeout: 5000000000\r\n").isEmpty)
    #expect(fixture.service.startedCount == 1)
    try fixture.simulation.run(for: .seconds(6))
    #expect(peer.take().hasPrefix("HTTP/1.1 504 Gateway Timeout\n"))
    #expect(fixture.service.cancelledCount == 1)
    #expect(try call(peer, "Echo").hasPrefix("HTTP/1.1 200 OK\n"))
    expectNothingLeft()
  }

  @Test("A deadline that has passed before the call begins is refused without the handler")
  func expiredCall_isNotBegun() throws {
    let peer = try fixture.connect()
    #expect(try call(peer, "Hold", "X-Timeout: 0\r\n").hasPrefix("HTTP/1.1 504"))
    #expect(fixture.service.startedCount == 0)
    expectNothingLeft()
  }

  @Test("Too many fields are refused, which are metadata")
  func metadata_isBounded() throws {
    let peer = try fixture.connect()
    let words = "X-Word: \(String(repeating: "w", count: 9000))\r\n"
    #expect(try call(peer, "Echo", words).hasPrefix("HTTP/1.1 200"))
    #expect(try call(peer, "Echo", words + words).hasPrefix("HTTP/1.1 431"))
    #expect(fixture.reachedCount(.metadata) == 1)
    expectNothingLeft()
  }

  @Test("Calls that find no place are refused, and the connection stays")
  func overload_isRefused() throws {
    var peers: [HTTPPeer] = []
    var refusal = ""
    while refusal.isEmpty, peers.count < 10 {
      peers.append(try fixture.connect())
      refusal = try call(peers[peers.count - 1], "Hold")
    }
    let last = peers.removeLast()
    #expect((1...4).contains(fixture.service.startedCount))
    // RESOURCE_EXHAUSTED, in the words of the scripted exchange.
    #expect(refusal.contains("\n\n8: "))
    #expect(!last.isEnded)
    try fixture.act { fixture.service.release() }
    for peer in peers { #expect(peer.take().hasPrefix("HTTP/1.1 200 OK\n")) }
    #expect(try call(last, "Echo").hasPrefix("HTTP/1.1 200 OK\n"))
    expectNothingLeft()
  }

  @Test("A client that leaves cancels its call", arguments: [true, false])
  func lostClient_cancelsCall(inOrder: Bool) throws {
    let peer = try fixture.connect()
    #expect(try call(peer, "Hold").isEmpty)
    if inOrder { peer.wire.closeOutput() } else { peer.wire.close() }
    try fixture.simulation.settle()
    #expect(fixture.service.cancelledCount == 1 && fixture.exchanges[0].isAbandoned)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.server.connectionCount == 0 && fixture.simulation.timerCount == 0)
    expectNothingLeft()
  }

  @Test("What is answered goes out to a client that has ended its side")
  func halfClosedClient_getsAnswer() throws {
    let peer = try fixture.connect()
    peer.wire.send(Array("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    peer.wire.closeOutput()
    try fixture.simulation.settle()
    #expect(peer.take() == .text("200 OK", "GET a/echo http1_1\n"))
    #expect(peer.isEnded && fixture.server.connectionCount == 0)
  }

  // MARK: - Output

  @Test("A handler that streams waits for a client that does not read, which is cut in the end")
  func stalledClient_isCut() throws {
    let peer = try fixture.connect()
    peer.wire.setReading(false)
    peer.wire.send(post("Watch"))
    try fixture.simulation.settle()
    let written = fixture.service.writtenCount
    #expect((256...2000).contains(written))
    try fixture.simulation.run(for: .seconds(29))
    #expect(fixture.service.writtenCount == written && fixture.server.connectionCount == 1)
    try fixture.simulation.run(for: .seconds(2))
    #expect(fixture.reachedCount(.outputStallTime) == 1 && fixture.closedCount(.limit) == 1)
    try fixture.simulation.settle()
    #expect(fixture.service.cancelledCount == 1)
    expectNothingLeft()
  }

  @Test("A handler that streams goes on when the client reads on")
  func slowClient_isServed() throws {
    let peer = try fixture.connect()
    peer.wire.setReading(false)
    peer.wire.send(post("Watch"))
    try fixture.simulation.settle()
    let written = fixture.service.writtenCount
    peer.wire.setReading(true)
    try fixture.simulation.run(within: .seconds(10)) {
      fixture.service.writtenCount > written + 500
    }
    #expect(fixture.service.writtenCount > written + 500)
    fixture.service.release()
    try fixture.simulation.run(for: .seconds(1))
    #expect(peer.take().hasSuffix("\n0\n\n") && !peer.isEnded)
    expectNothingLeft()
  }

  // MARK: - Drain

  @Test("A drain closes resting connections and lets open calls finish, with a close")
  func drain_finishesCalls() throws {
    let resting = try fixture.connect()
    try resting.send("GET /echo HTTP/1.1\nHost: a\n\n")
    let asking = try fixture.connect()
    #expect(try call(asking, "Hold").isEmpty)
    fixture.server.drain()
    try fixture.simulation.run(for: .milliseconds(100))
    #expect(resting.isEnded && !asking.isEnded)
    try fixture.act { fixture.service.release() }
    let answer = asking.take()
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\n") && answer.contains("\nconnection: close\n"))
    #expect(asking.isEnded)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.isServerDone && fixture.closedCount(.drained) == 2)
    expectNothingLeft()
  }

  @Test("A request that has begun when the drain begins is refused in words")
  func drain_refusesBegunRequest() throws {
    let peer = try fixture.connect()
    let request = post("Echo")
    peer.wire.send(Array(request.prefix(10)))
    try fixture.simulation.settle()
    fixture.server.drain()
    try fixture.simulation.run(for: .milliseconds(100))
    #expect(!peer.isEnded)
    peer.wire.send(Array(request.dropFirst(10)))
    try fixture.simulation.settle()
    let answer = peer.take()
    #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\n"))
    #expect(answer.contains("\nconnection: close\n") && peer.isEnded)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.isServerDone)
  }

  @Test("A request that was sent ahead is not begun by a server that drains")
  func drain_dropsPipeline() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\nGET /echo HTTP/1.1\nHost: a\n\n")
    fixture.server.drain()
    try fixture.simulation.run(for: .milliseconds(100))
    try fixture.act { fixture.exchanges[0].answer(200, "last") }
    #expect(peer.take() == .text("200 OK", "last", isLast: true))
    #expect(peer.isEnded && fixture.exchanges.count == 1)
  }

  @Test("A drain ends calls that answer a stream when it is told to")
  func drain_endsStreams() throws {
    let fixture = try HTTPFixture(configure: {
      $0.limits.drainTimeout = .seconds(100)
      $0.limits.responseStreamDrainTimeout = .seconds(5)
    })
    let peer = try fixture.connect()
    peer.wire.setReading(false)
    peer.wire.send(post("Watch"))
    try fixture.simulation.settle()
    fixture.server.drain()
    try fixture.simulation.run(for: .seconds(4))
    #expect(fixture.service.cancelledCount == 0)
    try fixture.simulation.run(for: .seconds(2))
    #expect(fixture.service.cancelledCount == 1)
  }

  @Test("A drain cuts what does not end in time")
  func drain_hasALimit() throws {
    let peer = try fixture.connect()
    #expect(try call(peer, "Hold").isEmpty)
    fixture.server.drain()
    try fixture.simulation.run(for: .seconds(99))
    #expect(!fixture.isServerDone && !peer.wire.isClosed)
    try fixture.simulation.run(for: .seconds(2))
    #expect(fixture.isServerDone && fixture.service.cancelledCount == 1)
    expectNothingLeft()
  }

  // MARK: - End

  @Test(
    "A connection that ends waits for a client that still sends, up to a limit in bytes and time"
  )
  func end_readsOn() throws {
    let fixture = try HTTPFixture(configure: {
      $0.limits.discardedByteCountMax = 1 << 20
      $0.limits.closeTimeout = .seconds(10)
    })
    let peer = try fixture.connect()
    try peer.send("GET /\n\n")
    #expect(peer.isEnded)
    for _ in 0..<4 {
      try fixture.simulation.run(for: .milliseconds(900))
      try peer.send(String(repeating: "x", count: 200 << 10))
      #expect(fixture.server.connectionCount == 1 && peer.wire.unsentByteCount == 0)
    }
    try peer.send(String(repeating: "x", count: 4 << 20))
    #expect(peer.wire.unsentByteCount > 0)
    try fixture.simulation.run(for: .seconds(10))
    #expect(fixture.server.connectionCount == 0 && fixture.simulation.timerCount == 0)
  }

  @Test("A connection that ends closes as soon as its client does")
  func end_closesWithClient() throws {
    let peer = try fixture.connect()
    try peer.send("GET /\n\n")
    peer.wire.closeOutput()
    try fixture.simulation.run(for: .milliseconds(10))
    #expect(fixture.server.connectionCount == 0 && fixture.closedCount(.violation) == 1)
  }

  @Test("A connection reaches its age, and moves its client on")
  func age_drains() throws {
    let fixture = try HTTPFixture(configure: { $0.connectionAgeMax = .seconds(100) })
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    try fixture.simulation.run(for: .seconds(111))
    try fixture.act { fixture.exchanges[0].answer(200, "") }
    #expect(peer.take() == .text("200 OK", "", isLast: true) && peer.isEnded)
  }
}
