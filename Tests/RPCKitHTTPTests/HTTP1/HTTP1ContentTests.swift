import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/1.1 connection: content that is late, long or not wanted", .teardown)
struct HTTP1ContentTests {
  private let fixture: HTTPFixture

  init() throws {
    fixture = try HTTPFixture()
  }

  // MARK: - 100 Continue

  @Test("Who waits for 100 Continue is told when the content will be read")
  func waitingClient_isTold() throws {
    let peer = try fixture.connect()
    let interim = try peer.send(
      "POST /echo HTTP/1.1\nHost: a\nContent-Length: 5\nExpect: 100-continue\n\n"
    )
    #expect(interim == "HTTP/1.1 100 Continue\n\n")
    #expect(try peer.send("hello") == .text("200 OK", "POST a/echo http1_1\nhello"))
    #expect(!peer.isEnded)
  }

  @Test("Who does not wait is not told")
  func impatientClient_isNotTold() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /echo HTTP/1.1\nHost: a\nContent-Length: 5\nExpect: 100-continue\n\nhello"
    )
    #expect(answer == .text("200 OK", "POST a/echo http1_1\nhello"))
  }

  @Test("Who waits and is refused gets the answer alone, and the connection ends")
  func refusedClient_isNotTold() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /early HTTP/1.1\nHost: a\nContent-Length: 5\nExpect: 100-continue\n\n"
    )
    #expect(answer == .text("401 Unauthorized", "who are you?", isLast: true))
    #expect(peer.isEnded)
  }

  @Test("HTTP/1.0 is never told")
  func version10_isNotTold() throws {
    let peer = try fixture.connect()
    #expect(
      try peer.send("POST /echo HTTP/1.0\nContent-Length: 5\nExpect: 100-continue\n\n").isEmpty
    )
  }

  // MARK: - Answers before the end of the request

  @Test("After an early answer a little of the request is dropped, and the connection stays")
  func earlyAnswer_keepsConnection() throws {
    let peer = try fixture.connect()
    let post = "POST /early HTTP/1.1\nHost: a\nContent-Length: 5\n\n"
    #expect(try peer.send(post + "he") == .text("401 Unauthorized", "who are you?"))
    let next = try peer.send("llo" + "GET /echo HTTP/1.1\nHost: a\n\n")
    #expect(next == .text("200 OK", "GET a/echo http1_1\n"))
    #expect(fixture.exchanges[0].content.isEmpty && !fixture.exchanges[0].hasEnded)
    #expect(!peer.isEnded)
  }

  @Test(
    "After an early answer much of a request, or an unknown rest, ends the connection",
    arguments: ["Content-Length: 65537\n\n", "Transfer-Encoding: chunked\n\n5\nhe"]
  )
  func earlyAnswer_endsConnection(fields: String) throws {
    let peer = try fixture.connect()
    let answer = try peer.send("POST /early HTTP/1.1\nHost: a\n\(fields)")
    #expect(answer == .text("401 Unauthorized", "who are you?", isLast: true))
    #expect(peer.isEnded)
    // What still comes is read, so that the client gets to read the answer.
    try peer.send(String(repeating: "x", count: 1 << 20))
    #expect(peer.wire.unsentByteCount == 0 && peer.wire.error == nil && !peer.wire.isClosed)
  }

  @Test("A request in chunks that has come whole does not end the connection")
  func earlyAnswer_ofWholeRequest_keepsConnection() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /early HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n"
    )
    #expect(answer == .text("401 Unauthorized", "who are you?"))
    #expect(!peer.isEnded)
  }

  // MARK: - Back-pressure

  @Test("A client is pushed back while its content is not taken")
  func content_notTaken_pushesBack() throws {
    let peer = try fixture.connect()
    let byteCount = 2 << 20
    try peer.send(
      "POST /hungry HTTP/1.1\nHost: a\nContent-Length: \(byteCount)\n\n"
        + String(repeating: "x", count: byteCount)
    )
    let exchange = fixture.exchanges[0]
    let received = exchange.content.count
    // One read may go beyond the window.
    #expect((256 << 10 + 1...1 << 20).contains(received) && !exchange.hasEnded)
    // Nobody is late while nobody reads.
    try fixture.simulation.run(for: .seconds(100))
    #expect(exchange.content.count == received && !exchange.isAbandoned)
    var taken = 0
    while !exchange.hasEnded, taken < byteCount {
      let byteCount = exchange.content.count - taken
      taken += byteCount
      try fixture.act { exchange.connection.consumedBody(byteCount, of: exchange) }
    }
    #expect(exchange.hasEnded && exchange.content.count == byteCount)
    try fixture.act { exchange.answer(200, "done") }
    #expect(peer.take() == .text("200 OK", "done"))
  }

  @Test("Content that exchanges hold is counted, and given back")
  func heldContent_isCounted() throws {
    let peer = try fixture.connect()
    try peer.send(
      "POST /hold HTTP/1.1\nHost: a\nContent-Length: 1000\n\n\(String(repeating: "x", count: 600))"
    )
    let held = 600 + fixture.exchanges[0].headByteCount
    #expect(fixture.server.core.held.byteCount(.assembly) == held)
    peer.wire.close()
    try fixture.simulation.settle()
    #expect(fixture.server.core.held.byteCount(.assembly) == 0)
    let other = try fixture.connect()
    try other.send("GET /abc")
    #expect(fixture.server.core.held.byteCount(.assembly) == 8)
  }

  // MARK: - Shared content

  @Test("Shared content goes out in pieces, one document after the other, and as a whole")
  func sharedContent_isSentInPieces() throws {
    let peer = try fixture.connect()
    peer.wire.setReading(false)
    let request = Array("GET /shared HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for _ in 0..<5 { peer.wire.send(request) }
    try fixture.simulation.settle()
    #expect(fixture.server.core.held.byteCount(.output) <= 160 << 10)
    peer.wire.setReading(true)
    try fixture.simulation.run(for: .seconds(5))
    let received = peer.wire.received
    #expect(received.suffix(300_000) == ScriptedExchange.shared.bytes[...])
    #expect((1_500_000..<1_510_000).contains(received.count))
    #expect(fixture.server.core.held.byteCount(.output) == 0)
  }

  @Test("Who ends its side after asking still gets all of a document")
  func sharedContent_afterClientEnded_isSent() throws {
    let peer = try fixture.connect()
    peer.wire.send(Array("GET /shared HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    peer.wire.closeOutput()
    try fixture.simulation.run(for: .seconds(5))
    #expect(peer.wire.received.suffix(300_000) == ScriptedExchange.shared.bytes[...])
    #expect(peer.isEnded)
  }

  // MARK: - Breaking off

  @Test("An answer that is complete without the request drops the rest of it")
  func answeredRequest_isDropped() throws {
    let peer = try fixture.connect()
    try peer.send("POST /hold HTTP/1.1\nHost: a\nContent-Length: 5\n\nhe")
    let exchange = fixture.exchanges[0]
    try fixture.act {
      exchange.answer(413, "")
    }
    #expect(peer.take() == .text("413 Content Too Large", ""))
    #expect(try peer.send("lloGET /echo HTTP/1.1\nHost: a\n\n").hasSuffix("GET a/echo http1_1\n"))
    #expect(exchange.content.count == 2 && !exchange.isAbandoned)
  }

  @Test("Content that breaks its framing after an early answer loses only the connection")
  func malformedContent_afterAnswer() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /early HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\nz\n"
    )
    #expect(answer == .text("401 Unauthorized", "who are you?", isLast: true))
    #expect(peer.isEnded)
  }

  @Test("Content that breaks its framing gives the exchange up")
  func malformedContent_isRefused() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n2\nhe\nz\n"
    )
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\n") && peer.isEnded)
    #expect(fixture.exchanges[0].isAbandoned && !fixture.exchanges[0].hasEnded)
  }
}
