import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/1.1 connection: requests and answers", .teardown) struct HTTP1ConnectionTests {
  private let fixture: HTTPFixture

  init() throws {
    fixture = try HTTPFixture()
  }

  @Test("A request is answered with a date and a length, and the connection stays")
  func request_isAnswered() throws {
    let peer = try fixture.connect()
    let answer = try peer.send("POST /echo?x=1 HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
    #expect(answer == .text("200 OK", "POST a/echo?x=1 http1_1\nhello"))
    fixture.clock.advance(1000)
    let next = try peer.send("GET /echo HTTP/1.1\nHost: a\n\n")
    #expect(next.contains("date: Sun, 06 Nov 1994 08:49:38 GMT\n"))
    #expect(next.hasSuffix("GET a/echo http1_1\n"))
    #expect(!peer.isEnded && !peer.wire.isClosed)
    #expect(fixture.exchanges.allSatisfy { $0.hasEnded && !$0.isAbandoned })
  }

  @Test("Content in chunks arrives put together")
  func chunks_arrive() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n2\nhe\n3\nllo\n0\n\n"
    )
    #expect(answer == .text("200 OK", "POST a/echo http1_1\nhello"))
  }

  @Test("Everything is the same byte by byte")
  func drip_isTheSame() throws {
    let fixture = try HTTPFixture(faults: .dripping)
    let peer = try fixture.connect()
    let request = "POST /echo HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n"
    let answer = String.text("200 OK", "POST a/echo http1_1\nhello")
    #expect(try peer.send(request + request) == answer + answer)
  }

  @Test("An answer whose length is not known at the end of the turn goes in chunks")
  func stream_goesInChunks() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let exchange = try #require(fixture.exchanges.first)
    try fixture.act {
      exchange.beginAnswer(200)
      exchange.send("he")
      exchange.send("l")
    }
    let chunked = "content-type: text/plain\ntransfer-encoding: chunked\n"
    #expect(peer.take() == .answer("200 OK", chunked, "3\nhel\n"))
    try fixture.act { exchange.send(String(repeating: "x", count: 31)) }
    #expect(peer.take() == "1f\n\(String(repeating: "x", count: 31))\n")
    try fixture.act { exchange.endAnswer() }
    // Trailers are left out.
    #expect(peer.take() == "0\n\n")
    #expect(try peer.send("GET /echo HTTP/1.1\nHost: a\n\n").hasSuffix("GET a/echo http1_1\n"))
  }

  @Test("A length that the exchange gives is kept")
  func givenLength_isKept() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let exchange = try #require(fixture.exchanges.first)
    try fixture.act {
      exchange.beginAnswer(200, fields: [:], contentLength: 5)
      exchange.send("he")
    }
    #expect(peer.take() == .answer("200 OK", "content-length: 5\n", "he"))
    try fixture.act {
      exchange.send("llo")
      exchange.endAnswer()
    }
    #expect(peer.take() == "llo")
    #expect(!peer.isEnded)
  }

  @Test(
    "An answer of another length than it said ends the connection",
    arguments: ["he", "hello!"]
  )
  func wrongLength_endsConnection(content: String) throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let exchange = try #require(fixture.exchanges.first)
    try fixture.act {
      exchange.beginAnswer(200, fields: [:], contentLength: 5)
      exchange.send(content)
      exchange.endAnswer()
    }
    #expect(peer.take().hasSuffix("\n\n\(content.prefix(5))"))
    #expect(peer.isEnded)
    #expect(fixture.exchanges[0].isAbandoned)
  }

  @Test(
    "An answer that is broken off has no last chunk, and the connection ends",
    arguments: [true, false]
  )
  func brokenAnswer_hasNoEnd(isInOneTurn: Bool) throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let exchange = try #require(fixture.exchanges.first)
    try fixture.act {
      exchange.beginAnswer(200)
      exchange.send("hel")
      if isInOneTurn { exchange.connection.breakOff(exchange) }
    }
    if !isInOneTurn { try fixture.act { exchange.connection.breakOff(exchange) } }
    let answer = peer.take()
    #expect(answer.contains("transfer-encoding: chunked\n"))
    #expect(answer.hasSuffix("\n\n3\nhel\n"))
    #expect(peer.isEnded)
  }

  @Test("HTTP/1.0 is answered with a length, or until the connection closes, and closed")
  func version10_isClosed() throws {
    let first = try fixture.connect()
    let answer = try first.send("GET /echo HTTP/1.0\n\n")
    #expect(answer == .text("200 OK", "GET /echo http1_0\n", isLast: true))
    #expect(first.isEnded)
    let second = try fixture.connect()
    try second.send("GET /hold HTTP/1.0\n\n")
    try fixture.act {
      fixture.exchanges[1].beginAnswer(200)
      fixture.exchanges[1].send("hel")
    }
    #expect(
      second.take() == .answer("200 OK", "content-type: text/plain\nconnection: close\n", "hel")
    )
    #expect(!second.isEnded)
    try fixture.act {
      fixture.exchanges[1].send("lo")
      fixture.exchanges[1].endAnswer()
    }
    #expect(second.take() == "lo" && second.isEnded)
  }

  @Test("HEAD is answered with the head of GET")
  func head_hasNoContent() throws {
    let peer = try fixture.connect()
    let fields = "content-type: text/plain\ncontent-length: 20\n"
    #expect(
      try peer.send("HEAD /echo HTTP/1.1\nHost: a\n\n") == .answer("200 OK", fields, "")
    )
    try peer.send("HEAD /hold HTTP/1.1\nHost: a\n\n")
    let exchange = fixture.exchanges[1]
    try fixture.act {
      exchange.beginAnswer(200)
      exchange.send("hello")
    }
    #expect(peer.take() == .answer("200 OK", "content-type: text/plain\n", ""))
    try fixture.act { exchange.endAnswer() }
    #expect(peer.take().isEmpty && !peer.isEnded)
    #expect(try peer.send("GET /echo HTTP/1.1\nHost: a\n\n").hasSuffix("GET a/echo http1_1\n"))
  }

  @Test("204 and 304 have no content and do not say otherwise", arguments: [204, 304])
  func emptyStatus_hasNoContent(status: Int) throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    try fixture.act { fixture.exchanges[0].answer(status, "not sent") }
    let phrase = status == 204 ? "No Content" : "Not Modified"
    #expect(peer.take() == .answer("\(status) \(phrase)", "content-type: text/plain\n", ""))
    #expect(try peer.send("GET /echo HTTP/1.1\nHost: a\n\n").hasSuffix("GET a/echo http1_1\n"))
  }

  @Test("An answer without content has length 0")
  func emptyAnswer_hasLength() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let exchange = fixture.exchanges[0]
    try fixture.act {
      exchange.connection.sendHead(HTTPResponseHead(status: 499), of: exchange, isEnd: true)
    }
    #expect(peer.take() == .answer("499 Client Closed Request", "content-length: 0\n", ""))
  }

  @Test("What an exchange says cannot end the head or frame the content")
  func fields_cannotSplitAnswer() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    try fixture.act {
      fixture.exchanges[0].beginAnswer(
        200,
        fields: [
          "x-a": "b\r\nset-cookie: c\u{0}", "x b": "c", "": "d", "transfer-encoding": "gzip",
          "connection": "upgrade", "date": "never", "x-ä": "e",
        ]
      )
      fixture.exchanges[0].endAnswer()
    }
    #expect(peer.take() == .answer("200 OK", "x-a: b  set-cookie: c \ncontent-length: 0\n", ""))
  }

  @Test("Close is said and done when the client asks for it")
  func close_isDone() throws {
    let peer = try fixture.connect()
    let answer = try peer.send(
      "GET /echo HTTP/1.1\nHost: a\nConnection: close\n\nGET /echo HTTP/1.1\nHost: a\n\n"
    )
    #expect(answer == .text("200 OK", "GET a/echo http1_1\n", isLast: true))
    #expect(peer.isEnded && fixture.exchanges.count == 1)
  }

  @Test("Answers come in the order of the requests, one exchange at a time")
  func pipeline_isAnsweredInOrder() throws {
    let peer = try fixture.connect()
    let get = "GET /hold HTTP/1.1\nHost: a\n\n"
    try peer.send(get + get + get)
    for index in 0..<3 {
      #expect(fixture.exchanges.count == index + 1)
      try fixture.act { fixture.exchanges[index].answer(200, "\(index)") }
      #expect(peer.take() == .text("200 OK", "\(index)"))
    }
  }

  @Test("A client that asks ahead is pushed back until its first request is answered")
  func pipeline_isBounded() throws {
    let peer = try fixture.connect()
    try peer.send("GET /hold HTTP/1.1\nHost: a\n\n")
    let request =
      "GET /echo HTTP/1.1\nHost: a\nX-Filler: \(String(repeating: "x", count: 8000))\n\n"
    try peer.send(String(repeating: request, count: 100))
    #expect(fixture.exchanges.count == 1)
    // What the window of the network took is not read but for one piece.
    #expect(peer.wire.unsentByteCount > 0)
    try fixture.act { fixture.exchanges[0].answer(200, "") }
    #expect(fixture.exchanges.count == 101 && peer.wire.unsentByteCount == 0)
    #expect(peer.take().components("200 OK").count == 101)
  }

  @Test("A client that asks for much at once and does not read gets no more than it reads")
  func pipeline_ofLargeAnswers_isBounded() throws {
    let peer = try fixture.connect()
    peer.wire.setReading(false)
    try peer.send(String(repeating: "GET /large HTTP/1.1\nHost: a\n\n", count: 40))
    let held = fixture.server.core.held.byteCount(.output)
    // Reading pauses at a mebibyte of answers; the buffer that holds them grows by doubling.
    #expect((500_000...2 << 20).contains(held))
    #expect(fixture.exchanges.count < 20 && fixture.reachedCount(.outputBytes) == 0)
    peer.wire.setReading(true)
    try fixture.simulation.run(for: .seconds(60))
    #expect(fixture.exchanges.count == 40 && peer.take().components("200 OK").count == 40)
    #expect(!peer.isEnded && fixture.server.core.held.byteCount(.output) == 0)
  }

  @Test("Nothing is answered after an error")
  func pipeline_endsWithError() throws {
    let peer = try fixture.connect()
    let get = "GET /echo HTTP/1.1\nHost: a\n\n"
    let answer = try peer.send(get + "GET /echo HTTP/1.1\n\n" + get)
    #expect(
      answer.hasPrefix(.text("200 OK", "GET a/echo http1_1\n") + "HTTP/1.1 400 Bad Request\n")
    )
    #expect(answer.components("HTTP/1.1 ").count == 2)
    #expect(peer.isEnded && fixture.exchanges.count == 1)
    #expect(fixture.closedCount(.violation) == 0)
    peer.wire.close()
    try fixture.simulation.settle()
    #expect(fixture.closedCount(.violation) == 1)
  }
}

extension String {
  /// The places where a text is.
  func components(_ text: String) -> [Range<String.Index>] { ranges(of: text) }
}
