import AdminPort
import RPCKit
import Synchronization
import Testing

@Suite(.teardown) struct AdminConnectionTests {
  private let transport = AdminTestTransport()
  private let registry = MetricRegistry()
  private let ready = Gauge()

  init() { ready.set(1) }

  private func serve(_ limits: AdminLimits = AdminLimits()) {
    registry.counter("doors_total", help: "Doors.").add(UInt64(7))
    var responder = AdminResponder(registry: registry) { [ready] in
      Readiness([
        .init("keys", isReady: true),
        .init("store", isReady: ready.value == 1, detail: ready.value == 1 ? nil : "\"gone\""),
      ])
    }
    responder.add("/big") { .text(String(repeating: "x", count: 299_999)) }
    AdminConnection(transport: transport, responder: responder, limits: limits).start()
    transport.connect()
  }

  private func head(_ status: String, _ type: String, _ count: Int, _ connection: String) -> String
  {
    let allow = status.hasPrefix("405") ? "Allow: GET, HEAD\r\n" : ""
    return "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(count)\r\n"
      + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\(allow)"
      + "Connection: \(connection)\r\n\r\n"
  }

  private static let text = "text/plain; charset=utf-8"

  private func get(_ path: String, _ fields: String = "") -> String {
    transport.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
    return transport.read()
  }

  @Test("The metrics are answered in the exposition format")
  func get_metrics_answersExposition() {
    serve()
    let answer = get("/metrics")
    let body = String(decoding: registry.render(), as: UTF8.self)
    #expect(
      answer
        == head("200 OK", "text/plain; version=0.0.4; charset=utf-8", body.utf8.count, "keep-alive")
        + body
    )
    #expect(body.contains("doors_total 7\n"))
    #expect(!transport.isOutputClosed)
  }

  @Test("HEAD answers the same without the body")
  func head_health_hasNoBody() {
    serve()
    transport.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(transport.read() == head("200 OK", Self.text, 3, "keep-alive"))
    #expect(get("/healthz") == head("200 OK", Self.text, 3, "keep-alive") + "ok\n")
  }

  @Test("Readiness is 503 as long as one check fails, and names it")
  func get_readiness_followsChecks() {
    serve()
    let body = "ready\nok keys\nok store\n"
    #expect(get("/readyz") == head("200 OK", Self.text, body.utf8.count, "keep-alive") + body)
    ready.set(0)
    let failed = "not ready\nok keys\nfailed store: \"gone\"\n"
    #expect(
      get("/readyz")
        == head("503 Service Unavailable", Self.text, failed.utf8.count, "keep-alive") + failed
    )
    let json =
      #"{"ready":false,"checks":[{"name":"keys","ready":true},"#
      + #"{"name":"store","ready":false,"detail":"\"gone\""}]}"# + "\n"
    #expect(
      get("/readyz", "Accept: application/json\r\n")
        == head("503 Service Unavailable", "application/json", json.utf8.count, "keep-alive")
        + json
    )
  }

  @Test("An unknown page is 404 and the connection goes on")
  func get_unknownPath_is404() {
    serve()
    #expect(
      get("/metrics/") == head("404 Not Found", Self.text, 14, "keep-alive") + "404 Not Found\n"
    )
    #expect(get("/healthz").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test(
    "A refused request is answered and the connection ends",
    arguments: [
      ("POST /metrics HTTP/1.1\r\nHost: a\r\n", "405 Method Not Allowed"),
      ("\n", "400 Bad Request"),
      ("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n", "413 Content Too Large"),
      ("GET / HTTP/2.0\r\n", "505 HTTP Version Not Supported"),
      (String(repeating: "a", count: 3000), "414 URI Too Long"),
      (
        "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 9000),
        "431 Request Header Fields Too Large"
      ),
    ]
  )
  func refusal_isAnsweredAndCloses(text: String, status: String) {
    serve()
    transport.send(text + "\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    let body = status + "\n"
    #expect(transport.read() == head(status, Self.text, body.utf8.count, "close") + body)
    #expect(transport.isOutputClosed && !transport.isClosed)
    transport.send("more that is thrown away")
    transport.sendEnd()
    #expect(transport.isClosed)
  }

  /// Of what two readers could take for different requests, one example of each sort; HTTP1RejectionTests has them all.
  @Test(
    "What could be smuggled is refused, and nothing behind it is answered",
    arguments: [
      ("GET / HTTP/1.1\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : a\r\n", 400), ("GET / HTTP/1.1\r\n Host: a\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n", 400), ("GET / HTTP/1.1\nHost: a\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{1}\r\n", 400),
      ("GET  / HTTP/1.1\r\nHost: a\r\n", 400), ("GET / HTTP/1.1 \r\nHost: a\r\n", 400),
      (" GET / HTTP/1.1\r\nHost: a\r\n", 400), ("GET /a#b HTTP/1.1\r\nHost: a\r\n", 400),
      ("GET http://b/ HTTP/1.1\r\nHost: a\r\n", 400), ("GET * HTTP/1.1\r\nHost: a\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n", 413),
      ("HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n", 413),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 0\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n", 400),
      (
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400
      ),
      ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n", 405),
      ("OPTIONS * HTTP/1.1\r\nHost: a\r\n", 405), ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", 405),
      ("get / HTTP/1.1\r\nHost: a\r\n", 501), ("PRI * HTTP/2.0\r\n", 505),
    ] as [(String, Int)]
  )
  func smuggling_isRefused(text: String, status: Int) {
    for isWhole in [true, false] {
      let transport = AdminTestTransport()
      let responder = AdminResponder(registry: registry) { Readiness([]) }
      AdminConnection(transport: transport, responder: responder).start()
      transport.connect()
      let input = text + "\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
      if isWhole {
        transport.send(input)
      } else {
        for byte in input.unicodeScalars where !transport.isOutputClosed {
          transport.send(String(byte))
        }
      }
      let answer = transport.read()
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(!answer.contains("200 OK"))
      #expect(transport.isOutputClosed)
    }
  }

  @Test("What cannot begin a request is refused by its first byte", arguments: ["\0", "\u{16}"])
  func firstByte_ofNoMethod_isRefusedAtOnce(byte: String) {
    serve()
    transport.send(byte)
    #expect(transport.read().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(transport.isOutputClosed)
  }

  @Test("Limits let exactly their value pass")
  func limits_areExact() {
    var limits = AdminLimits()
    limits.requestLineByteCountMax = 30
    limits.fieldByteCountMax = 200
    limits.fieldCountMax = 3
    /// The status of the answer to a request line of that length and these fields.
    func status(_ lineByteCount: Int, _ fields: String) -> String {
      let transport = AdminTestTransport()
      AdminConnection(transport: transport, responder: AdminResponder(), limits: limits).start()
      transport.connect()
      let path = String(repeating: "a", count: lineByteCount - 14)
      transport.send("GET /\(path) HTTP/1.0\r\n\(fields)\r\n")
      return String(transport.read().dropFirst(9).prefix(3))
    }
    #expect(status(30, "") == "404")
    #expect(status(31, "") == "414")
    // Name, value and 32 bytes.
    #expect(status(20, "X: " + String(repeating: "b", count: 167) + "\r\n") == "404")
    #expect(status(20, "X: " + String(repeating: "b", count: 168) + "\r\n") == "431")
    #expect(status(20, "A:\r\nB:\r\nC:\r\n") == "404")
    #expect(status(20, "A:\r\nB:\r\nC:\r\nD:\r\n") == "431")
  }

  @Test("The default limits are those that are documented")
  func limits_defaults_areDocumented() {
    let limits = AdminLimits()
    #expect(limits.requestLineByteCountMax == 2048)
    #expect(limits.fieldByteCountMax == 8192)
    #expect(limits.fieldCountMax == 64)
  }

  @Test("A page sees what it may depend on")
  func page_seesRequest() {
    var responder = AdminResponder()
    responder.addPage("/page") { .text("\($0.path) \($0.query ?? "none") \($0.accept)") }
    AdminConnection(transport: transport, responder: responder).start()
    transport.connect()
    #expect(
      get("/page?full=1&x=?", "Accept: application/json\r\naccept:\t*/* \r\n")
        .hasSuffix("\r\n\r\n/page full=1&x=? application/json,*/*\n")
    )
    #expect(get("/page").hasSuffix("\r\n\r\n/page none \n"))
  }

  @Test("A peer that goes on sending after a refusal is cut off by time and by amount")
  func refusal_lingering_isBounded() {
    serve()
    transport.send("\n")
    #expect(transport.isOutputClosed && !transport.isClosed)
    transport.testLoop.advance(by: .milliseconds(1999))
    #expect(!transport.isClosed)
    transport.testLoop.advance(by: .milliseconds(1))
    #expect(transport.isClosed)

    let other = AdminTestTransport()
    AdminConnection(transport: other, responder: AdminResponder()).start()
    other.connect()
    other.send("\n")
    for _ in 0..<5 { other.send(String(repeating: "x", count: 65_536)) }
    #expect(other.isClosed)
  }

  @Test("HTTP/1.0 and Connection: close get their answer and the end")
  func get_lastRequest_closes() {
    for request in [
      "GET /healthz HTTP/1.0\r\n\r\n",
      "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ] {
      let transport = AdminTestTransport()
      let responder = AdminResponder(registry: registry) { Readiness([]) }
      AdminConnection(transport: transport, responder: responder).start()
      transport.connect()
      transport.send(request)
      #expect(transport.read() == head("200 OK", Self.text, 3, "close") + "ok\n")
      #expect(transport.isOutputClosed)
    }
  }

  @Test("Pipelined requests are answered in order, cut anywhere")
  func get_pipelined_answersInOrder() {
    let requests =
      "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /nope HTTP/1.1\r\nHost: a\r\n\r\n"
      + "GET /readyz HTTP/1.0\r\n\r\n"
    var answers: Set<String> = []
    for split in 0...requests.utf8.count {
      let transport = AdminTestTransport()
      let responder = AdminResponder(registry: registry) { Readiness([]) }
      AdminConnection(transport: transport, responder: responder).start()
      transport.connect()
      transport.send(String(requests.prefix(split)))
      if !transport.isOutputClosed { transport.send(String(requests.dropFirst(split))) }
      answers.insert(transport.read())
      #expect(transport.isOutputClosed)
    }
    #expect(
      answers == [
        head("200 OK", Self.text, 3, "keep-alive") + "ok\n"
          + head("404 Not Found", Self.text, 14, "keep-alive") + "404 Not Found\n"
          + head("200 OK", Self.text, 6, "close") + "ready\n"
      ]
    )
  }

  @Test("A peer that does not read is pushed back, and gets everything when it does")
  func answer_slowReader_isPushedBack() {
    serve()
    transport.room = 1000
    transport.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(transport.written.count == 1000)
    #expect(!transport.isReading)
    var text = ""
    while !transport.written.isEmpty { text += transport.read() }
    #expect(
      text == head("200 OK", Self.text, 300_000, "keep-alive")
        + String(repeating: "x", count: 299_999) + "\n"
        + head("200 OK", Self.text, 3, "keep-alive") + "ok\n"
    )
    #expect(transport.isReading)
  }

  @Test("A peer that never reads its answer is cut off")
  func answer_neverRead_timesOut() {
    serve()
    transport.room = 1000
    transport.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
    transport.testLoop.advance(by: .milliseconds(9999))
    #expect(!transport.isClosed)
    transport.testLoop.advance(by: .milliseconds(1))
    #expect(transport.isClosed)
  }

  @Test("Requests that pile up behind an unread answer end the connection")
  func pipeline_tooMuch_closes() {
    serve()
    transport.room = 10
    transport.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
    transport.send(String(repeating: "x", count: 65_536))
    #expect(!transport.isClosed)
    transport.send("x")
    #expect(transport.isClosed)
  }

  @Test("A request that drips in is timed from its first byte, however steadily it drips")
  func request_dripping_timesOut() {
    serve()
    transport.testLoop.advance(by: .seconds(9))
    _ = get("/healthz")
    transport.testLoop.advance(by: .seconds(20))
    #expect(!transport.isClosed)
    for byte in "GET /heal" {
      transport.send(String(byte))
      transport.testLoop.advance(by: .seconds(1))
    }
    #expect(transport.written.isEmpty)
    transport.testLoop.advance(by: .seconds(1))
    #expect(transport.read().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(transport.isOutputClosed)
  }

  @Test("A connection that never asks anything is closed without a word")
  func connection_silent_closes() {
    serve()
    transport.testLoop.advance(by: .seconds(10))
    #expect(transport.isClosed)
    #expect(transport.written.isEmpty)
  }

  @Test("A connection idle between requests is closed after the idle time")
  func connection_idle_closes() {
    serve()
    _ = get("/healthz")
    transport.testLoop.advance(by: .milliseconds(29_999))
    #expect(!transport.isClosed)
    transport.testLoop.advance(by: .milliseconds(1))
    #expect(transport.isClosed)
  }

  @Test("A peer that ends its side after asking still gets its answers")
  func end_afterRequest_isAnswered() {
    serve()
    transport.room = 100
    transport.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    transport.sendEnd()
    #expect(!transport.isClosed)
    transport.room = .max
    var text = ""
    while !transport.written.isEmpty { text += transport.read() }
    #expect(text.hasSuffix("ok\n"))
    #expect(transport.isOutputClosed && transport.isClosed)
  }

  @Test("The last request that a connection may carry is answered with close")
  func requests_tooMany_closes() {
    var limits = AdminLimits()
    limits.requestCountMax = 2
    serve(limits)
    #expect(get("/healthz").contains("Connection: keep-alive\r\n"))
    #expect(get("/healthz").contains("Connection: close\r\n"))
    #expect(transport.isOutputClosed)
  }

  @Test("A page that is too large becomes a 500")
  func answer_tooLarge_is500() {
    var limits = AdminLimits()
    limits.responseByteCountMax = 299_999
    serve(limits)
    #expect(get("/big").hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
  }

  @Test("When the transport closes nothing is left: no timer, no connection")
  func close_leavesNothing() {
    weak var connection: AdminConnection?
    var transport: AdminTestTransport? = AdminTestTransport()
    let loop = transport?.testLoop
    do {
      guard let transport else { return }
      let new = AdminConnection(transport: transport, responder: AdminResponder())
      connection = new
      new.start()
      transport.connect()
      transport.send("GET / HT")
      #expect(loop?.timerCount == 1)
      transport.reportClosed()
      #expect(loop?.timerCount == 0)
    }
    transport = nil
    #expect(connection == nil)
  }
}
