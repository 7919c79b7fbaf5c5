import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/1.1 connection: time", .teardown) struct HTTP1TimeTests {
  private let fixture: HTTPFixture

  init() throws {
    fixture = try HTTPFixture()
  }

  private func run(_ seconds: Double) throws {
    try fixture.simulation.run(for: .milliseconds(Int64(seconds * 1000)))
  }

  @Test("A head that takes too long is answered 408, however it drips")
  func slowHead_isRefused() throws {
    let peer = try fixture.connect()
    try peer.send("GET /echo HTTP/1.1\n")
    for _ in 0..<9 {
      try run(1)
      #expect(try peer.send("a: b\n").isEmpty)
    }
    try run(1.1)
    #expect(peer.take().hasPrefix("HTTP/1.1 408 Request Timeout\n") && peer.isEnded)
    #expect(fixture.reachedCount(.requestTime) == 1)
    #expect(fixture.exchanges.isEmpty)
  }

  @Test("The second head has as much time as the first")
  func secondHead_hasItsOwnTime() throws {
    let peer = try fixture.connect()
    let get = "GET /echo HTTP/1.1\nHost: a\n\n"
    try peer.send("G")
    try run(9)
    try peer.send(String(get.dropFirst()) + "\n")
    // An empty line is no beginning.
    try run(60)
    try peer.send("G")
    try run(9)
    #expect(try peer.send(String(get.dropFirst())).hasSuffix("GET a/echo http1_1\n"))
    #expect(!peer.isEnded && fixture.exchanges.count == 2)
    // Its deadlines count from its first byte.
    let received = fixture.exchanges[1].received.duration(to: fixture.loop.now)
    #expect((.seconds(9)...(.seconds(10))).contains(received))
  }

  @Test("Content that rests too long is answered 408, and the exchange given up")
  func restingContent_isRefused() throws {
    let peer = try fixture.connect()
    try peer.send("POST /echo HTTP/1.1\nHost: a\nContent-Length: 5\n\n")
    for byte in "hell" {
      try run(29)
      #expect(try peer.send(String(byte)).isEmpty)
    }
    try run(31)
    #expect(peer.take().hasPrefix("HTTP/1.1 408 Request Timeout\n") && peer.isEnded)
    #expect(fixture.exchanges[0].isAbandoned && fixture.reachedCount(.requestTime) == 1)
  }

  @Test("Content that rests after the answer has begun ends the connection without the last chunk")
  func restingContent_afterHead_endsConnection() throws {
    let peer = try fixture.connect()
    try peer.send("POST /hold HTTP/1.1\nHost: a\nContent-Length: 5\n\n")
    try fixture.act {
      fixture.exchanges[0].beginAnswer(200)
      fixture.exchanges[0].send("hello")
    }
    try run(31)
    #expect(peer.take().hasSuffix("5\nhello\n") && peer.isEnded)
  }

  @Test("Nobody is late while the server has not answered")
  func slowAnswer_isNobodysFault() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\nGET /ec")
    try run(1000)
    try fixture.act { fixture.exchanges[0].answer(200, "late") }
    #expect(peer.take() == .text("200 OK", "late"))
    try run(9)
    #expect(try peer.send("ho HTTP/1.1\nHost: a\n\n").hasSuffix("GET a/echo http1_1\n"))
  }

  @Test(
    "A connection that rests is closed without a word, sooner when it never asked",
    arguments: [(true, 60), (false, 30)]
  )
  func restingConnection_isClosed(hasAsked: Bool, seconds: Int) throws {
    let fixture = try HTTPFixture(http: { $0.limits.idleTimeout = .seconds(60) })
    let peer = try fixture.connect()
    if hasAsked {
      try peer.send("GET /echo HTTP/1.1\nHost: a\n\n")
    } else {
      // Only what tells the wire.
      try peer.send("\n")
    }
    try fixture.simulation.run(for: .seconds(seconds - 1))
    #expect(!peer.isEnded)
    _ = peer.take()
    try fixture.simulation.run(for: .seconds(2))
    #expect(peer.isEnded && peer.take().isEmpty)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.closedCount(.idle) == 1 && fixture.simulation.timerCount == 0)
  }

  @Test("Requests one after another keep the connection, and leave one timer")
  func busyConnection_isKept() throws {
    let fixture = try HTTPFixture(http: { $0.limits.idleTimeout = .seconds(60) })
    let peer = try fixture.connect()
    for _ in 0..<10 {
      #expect(try peer.send("GET /echo HTTP/1.1\nHost: a\n\n").hasSuffix("http1_1\n"))
      try fixture.simulation.run(for: .seconds(50))
      #expect(fixture.simulation.timerCount == 1)
    }
    peer.wire.close()
    try fixture.simulation.settle()
    #expect(fixture.simulation.timerCount == 0 && fixture.server.connectionCount == 0)
  }
}
