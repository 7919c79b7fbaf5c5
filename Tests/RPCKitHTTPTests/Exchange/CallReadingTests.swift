import RPCKit
import RPCKitTesting
import Testing
import TextEncodings

@testable import RPCKitHTTP

/// A connection reads a head once for all requests that have it: none of them may notice.
@Suite("Requests with the head of the last one", .teardown) struct CallReadingTests {
  /// A request by one of the ways of making calls.
  struct Case: Sendable, CustomTestStringConvertible {
    var head: HTTPRequestHead
    var content: [UInt8] = []

    var testDescription: String {
      "\(head.method) \(head.path) \(head.fields["content-type"] ?? "-")"
    }
  }

  private static let message = request("a", "tell")
  private static let json = Array(#"{"subject":"a","context":"both"}"#.utf8)

  static let cases: [Case] = [
    Case(head: .call("Say", ["content-type": "application/grpc"]), content: envelope(message)),
    Case(
      head: .call(
        "Say",
        [
          "content-type": "application/grpc+proto", "x-name": "v", "data-bin": "AAEC",
          "grpc-timeout": "1S", "grpc-accept-encoding": "gzip",
        ]
      ),
      content: envelope(message)
    ),
    Case(
      head: .call("Count", ["content-type": "application/grpc"]),
      content: envelope(request("a", "header"))
    ),
    Case(
      head: .call("Join", ["content-type": "application/grpc"]),
      content: envelope(request("a")) + envelope(request("b"))
    ),
    Case(
      head: .call("Say", ["content-type": "application/grpc-web"], version: .http1_1),
      content: envelope(message)
    ),
    Case(
      head: .call("Say", ["content-type": "application/grpc-web-text"], version: .http1_1),
      content: Base64.letters(envelope(message).span, isPadded: true)
    ),
    Case(
      head: .call(
        "Say",
        ["content-type": "application/grpc-web", "accept": "application/grpc-web-text"]
      ),
      content: envelope(message)
    ),
    Case(head: .call("Say", ["content-type": "application/proto"]), content: message),
    Case(head: .call("Say", ["content-type": "application/json"]), content: json),
    Case(
      head: .call(
        "Read",
        query: "encoding=json&message=%7B%22subject%22%3A%22a%22%7D",
        [:],
        verb: "GET"
      )
    ),
    Case(head: .call("Read", query: "encoding=json", [:], verb: "GET")),
    Case(
      head: .call("Count", ["content-type": "application/connect+proto"]),
      content: envelope(message)
    ),
    Case(head: .call("Say", ["content-type": "application/grpc", "data-bin": "?"])),
    Case(head: .call("Say", ["content-type": "application/grpc", "grpc-timeout": "1x"])),
    Case(head: .call("None", ["content-type": "application/grpc"]), content: envelope(message)),
    Case(head: .call("Say", ["content-type": "application/grpc"], version: .http1_1)),
    Case(head: .call("Say", ["content-type": "text/plain"]), content: message),
    Case(head: .call("Say", [:], verb: "PUT")),
  ]

  private static func summary(_ answer: RecordedAnswer) -> [String] {
    ["\(answer.head?.status ?? 0)", "\(answer.isEnded)", "\(answer.content)"]
      + (answer.head?.fields.fields.map { "\($0.name): \($0.value)" } ?? [])
      + (answer.trailers?.fields.map { "\($0.name): \($0.value)" } ?? ["no trailers"])
  }

  @Test("They are answered as the first one was", arguments: cases)
  func sameHead_isAnsweredTheSame(request: Case) throws {
    let fixture = try ExchangeFixture(compresses: true)
    let first = Self.summary(try fixture.answer(request.head, request.content))
    for _ in 0..<3 {
      #expect(Self.summary(try fixture.answer(request.head, request.content)) == first)
    }
    // What the first one was sent has no part in it.
    let empty = try fixture.answer(request.head)
    #expect(
      Self.summary(empty)
        == Self.summary(try ExchangeFixture(compresses: true).answer(request.head))
    )
  }

  @Test("Others between them are answered as they are by themselves", arguments: cases)
  func otherHeads_areAnsweredTheSame(request: Case) throws {
    let fixture = try ExchangeFixture(compresses: true)
    for other in Self.cases {
      for one in [request, other] {
        let answer = try fixture.answer(one.head, one.content)
        let alone = try ExchangeFixture(compresses: true).answer(one.head, one.content)
        #expect(Self.summary(answer) == Self.summary(alone), "\(one.testDescription)")
      }
    }
  }

  @Test("Two that are open at once do not meet")
  func openTogether_haveTheirOwnContent() throws {
    let fixture = try ExchangeFixture()
    let head = HTTPRequestHead.call("Say", ["content-type": "application/grpc-web-text"])
    let texts = ["a", "bc"].map { Base64.letters(envelope(request($0)).span, isPadded: true) }
    let requests = try [fixture.open(head), fixture.open(head)]
    for (request, text) in zip(requests, texts) { try request.send(Array(text.prefix(3))) }
    for (request, text) in zip(requests, texts) { try request.send(Array(text.dropFirst(3))) }
    for request in requests { try request.end() }
    #expect(requests[0].answer.content != requests[1].answer.content)
    for (request, name) in zip(requests, ["a", "bc"]) {
      let alone = try ExchangeFixture().answer(
        head,
        Base64.letters(envelope(RPCKitHTTPTests.request(name)).span, isPadded: true)
      )
      #expect(request.answer.content == alone.content)
    }
  }

  @Test("Each has the whole time that its head gives it")
  func timeout_countsFromEach() throws {
    let fixture = try ExchangeFixture()
    let head = HTTPRequestHead.call(
      "Say",
      ["content-type": "application/grpc", "grpc-timeout": "1S"]
    )
    for _ in 0..<3 {
      let answer = try fixture.answer(head, envelope(request("a")))
      #expect(answer.trailers?["grpc-status"] == "0")
      try fixture.simulation.run(for: .milliseconds(700))
    }
    let waiting = try fixture.open(head)
    try waiting.send(envelope(request("a", "hold")))
    try waiting.end()
    try fixture.simulation.run(for: .milliseconds(1100))
    #expect(waiting.answer.head?.fields["grpc-status"] == "4")
  }

  @Test("An exchange is used again when its answer is out, and not while anything has it")
  func exchange_isUsedAgain_unlessHeld() throws {
    let fixture = try ExchangeFixture()
    let head = HTTPRequestHead.call("Say", ["content-type": "application/grpc"])
    for _ in 0..<3 { _ = try fixture.answer(head, envelope(request("a"))) }
    // The fixture holds all that were made.
    #expect(Set(fixture.made.values.map { ObjectIdentifier($0) }).count == 3)
    fixture.forgetExchanges()
    _ = try fixture.answer(head, envelope(request("a")))
    let last = fixture.made.values.map { ObjectIdentifier($0) }
    fixture.forgetExchanges()
    _ = try fixture.answer(head, envelope(request("b")))
    #expect(fixture.made.values.map { ObjectIdentifier($0) } == last)
  }

  @Test("One that was given up is not used again")
  func abandonedExchange_isNotUsedAgain() throws {
    let fixture = try ExchangeFixture()
    let head = HTTPRequestHead.call("Say", ["content-type": "application/grpc"])
    _ = try fixture.answer(head, envelope(request("a")))
    let request = try fixture.open(head)
    let abandoned = fixture.made[request.id]
    try request.send(envelope(RPCKitHTTPTests.request("b")).dropLast())
    try request.abandon()
    fixture.forgetExchanges()
    let answer = try fixture.answer(head, envelope(RPCKitHTTPTests.request("c")))
    #expect(answer.content == envelope(response("c")))
    #expect(fixture.made.values.allSatisfy { $0 !== abandoned })
  }

  @Test("Used again, it has nothing of the request before", arguments: cases)
  func exchangeUsedAgain_isAsNew(request: Case) throws {
    let fixture = try ExchangeFixture(compresses: true)
    for _ in 0..<2 {
      _ = try fixture.answer(request.head, request.content)
      fixture.forgetExchanges()
    }
    let again = try fixture.made[fixture.open(request.head).id].map(Self.description)
    let fresh = try ExchangeFixture(compresses: true)
    let new = try fresh.made[fresh.open(request.head).id].map(Self.description)
    #expect(again == new)
  }

  /// Every stored property that says something of the request, those of superclasses too.
  private static func description(of exchange: HTTPExchange) -> [String] {
    var mirror: Mirror? = Mirror(reflecting: exchange)
    var found = ["\(exchange.heldByteCount)"]
    while let current = mirror {
      for child in current.children {
        switch child.label {
        case "id", "received", "connection", "reading", "grpc", "stream", "head", "call": continue
        default: found.append("\(child.label ?? ""): \(child.value)")
        }
      }
      mirror = current.superclassMirror
    }
    return found
  }

  @Test("Requests that differ in fields that vary are answered as by themselves", arguments: cases)
  func varyingFields_areEachTheirOwn(request: Case) throws {
    let fixture = try ExchangeFixture(compresses: true)
    for number in 0..<4 {
      var fields = request.head.fields
      fields.append("traceparent", "00-\(number)")
      fields.append("x-request-id", "r-\(number)")
      let head = request.head.with(fields)
      let answer = try fixture.answer(head, request.content)
      let alone = try ExchangeFixture(compresses: true).answer(head, request.content)
      #expect(Self.summary(answer) == Self.summary(alone))
    }
  }

  @Test(
    "A field that says how a call is read is read each time",
    arguments: [
      ["grpc-timeout": "1x"], ["content-type": "text/plain"], ["x-other": "b"],
      ["grpc-encoding": "gzip"], ["data-bin": "?"], ["traceparent": "b"],
    ] as [HTTPFields]
  )
  func otherFields_areRead(other: HTTPFields) throws {
    let first: HTTPFields = [
      "content-type": "application/grpc", "grpc-timeout": "1S", "x-other": "a", "data-bin": "AAEC",
      "grpc-encoding": "identity", "traceparent": "a",
    ]
    let second = HTTPFields(
      first.fields.map { .init(name: $0.name, value: other[$0.name] ?? $0.value) }
    )
    let fixture = try ExchangeFixture()
    for fields in [first, second, first] {
      let head = HTTPRequestHead.call("Say", fields)
      let answer = try fixture.answer(head, envelope(Self.message))
      let alone = try ExchangeFixture().answer(head, envelope(Self.message))
      #expect(Self.summary(answer) == Self.summary(alone))
    }
  }

  @Test("A head that is longer than what is kept is read each time")
  func longHead_isNotKept() throws {
    let fixture = try ExchangeFixture()
    let long = String(repeating: "v", count: 3000)
    let head = HTTPRequestHead.call("Say", ["content-type": "application/grpc", "x-name": long])
    _ = try fixture.answer(head, envelope(request("a")))
    #expect(fixture.connection.recentReading == nil)
    let short = HTTPRequestHead.call("Say", ["content-type": "application/grpc"])
    _ = try fixture.answer(short, envelope(request("a")))
    #expect(fixture.connection.recentReading?.head === short)
    fixture.connection.rest()
    #expect(fixture.connection.recentReading == nil)
  }
}

extension HTTPRequestHead {
  /// The same request with other fields.
  fileprivate func with(_ fields: HTTPFields) -> HTTPRequestHead {
    HTTPRequestHead(
      method: method,
      path: path,
      query: query,
      authority: authority,
      fields: fields,
      version: version
    )
  }
}
