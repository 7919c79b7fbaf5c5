import RPCKit
import RPCKitTesting
import Testing
import TextEncodings

@testable import RPCKitHTTP

@Suite(.teardown) struct ConnectUnaryExchangeTests {
  private static let proto: HTTPFields = ["content-type": "application/proto"]
  private static let json: HTTPFields = ["content-type": "application/json"]

  private static func fields(_ name: String, _ value: String) -> HTTPFields {
    ["content-type": "application/proto", name: value]
  }

  private static func get(
    _ query: String?,
    _ fields: HTTPFields = [:],
    method: String = "Read"
  ) -> HTTPRequestHead {
    HTTPRequestHead.call(method, query: query, fields, verb: "GET", version: .http1_1)
  }

  private static func urlBase64(_ bytes: [UInt8]) -> String {
    Base64.encode(bytes.span, .url, isPadded: false)
  }

  // MARK: - POST

  @Test(arguments: [1, 3, 1000], [HTTPRequestHead.Version.http1_0, .http1_1, .http2])
  func protobuf_isAnsweredBare(pieceByteCount: Int, version: HTTPRequestHead.Version) throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", Self.proto, version: version),
      request("hello", "header"),
      pieceByteCount: pieceByteCount
    )
    #expect(answer.head?.status == 200)
    #expect(
      answer.head?.fields == [
        "content-type": "application/proto", "x-content-type-options": "nosniff",
        "answered-by": "echo", "token-bin": "AAEC",
        "content-length": "\(response("hello").count)",
      ]
    )
    #expect(answer.content == response("hello"))
    #expect(answer.trailers?.isEmpty == true)
    #expect(answer.consumedByteCount == request("hello", "header").count)
  }

  @Test(arguments: ["application/json", "application/json; charset=utf-8", "Application/JSON"])
  func json_isAnsweredInJSON(type: String) throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": type]),
      Array(#"{"subject":"h\u00e9"}"#.utf8)
    )
    #expect(answer.head?.fields["content-type"] == "application/json")
    #expect(answer.text == #"{"reason":"h\#u{e9}"}"#)
  }

  @Test func emptyContent_isAnEmptyMessageWhateverItsCompression() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.fields("content-encoding", "gzip")))
    #expect(answer.head?.status == 200)
    #expect(answer.content.isEmpty && answer.isEnded)
    #expect(answer.head?.fields["content-length"] == "0")
  }

  @Test(arguments: ["gzip", "deflate"])
  func compressedRequest_isInflated(coding: String) throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", Self.fields("content-encoding", coding)),
      compressed(request("a"), coding)
    )
    #expect(answer.content == response("a"))
  }

  @Test func answer_isCompressedAsTheRequestUnlessItSaysMore() throws {
    let fixture = try ExchangeFixture(compresses: true)
    let content = compressed(request("a", "long"), "gzip")
    let same = try fixture.answer(.call("Say", Self.fields("content-encoding", "gzip")), content)
    #expect(same.head?.fields["content-encoding"] == "gzip")
    #expect(same.head?.fields["vary"] == "accept-encoding")
    #expect(same.head?.fields["content-length"] == "\(same.content.count)")
    let fields: HTTPFields = [
      "content-type": "application/proto", "content-encoding": "gzip", "accept-encoding": "br",
    ]
    let plain = try fixture.answer(.call("Say", fields), content)
    #expect(plain.head?.fields["content-encoding"] == nil)
  }

  @Test("A handler's word counts before the server's", arguments: [false, true])
  func answer_isCompressedAsTheHandlerSays(serverCompresses: Bool) throws {
    let fixture = try ExchangeFixture(compresses: serverCompresses)
    for (order, coding) in [("compressed", "gzip"), ("plain", nil)] {
      let answer = try fixture.answer(
        .call("Say", ["content-type": "application/proto", "accept-encoding": "gzip"]),
        request("a", "\(order) long")
      )
      #expect(answer.head?.fields["content-encoding"] == coding)
      #expect(answer.head?.fields["vary"] == "accept-encoding")
    }
  }

  // MARK: - Errors

  @Test func error_isJSONWithTheStatusOfItsCode() throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", Self.proto),
      request("a", "header fail")
    )
    #expect(answer.head?.status == 429)
    #expect(answer.head?.fields["content-type"] == "application/json")
    #expect(answer.head?.fields["retry-after"] == "2")
    #expect(answer.head?.fields["ratelimit"] == #""OVERLOADED";r=0;t=2"#)
    #expect(answer.head?.fields["answered-by"] == "echo")
    let start =
      #"{"code":"resource_exhausted","message":"50 % of "#
      + "\u{e9}" + #"verything\n","details":[{"type":"google.rpc.ErrorInfo","value":""#
    #expect(answer.text.hasPrefix(start))
    #expect(answer.text.hasSuffix(#""}]}"#) && !answer.text.contains("="))
  }

  @Test(arguments: [
    (1, "canceled", 499), (2, "unknown", 500), (3, "invalid_argument", 400),
    (4, "deadline_exceeded", 504), (5, "not_found", 404), (6, "already_exists", 409),
    (7, "permission_denied", 403), (8, "resource_exhausted", 429), (9, "failed_precondition", 400),
    (10, "aborted", 409), (11, "out_of_range", 400), (12, "unimplemented", 501),
    (13, "internal", 500), (14, "unavailable", 503), (15, "data_loss", 500),
    (16, "unauthenticated", 401), (99, "unknown", 500), (0, "unknown", 500),
  ])
  func code_hasItsNameAndStatus(code: Int32, name: String, status: Int) {
    #expect(ConnectError.name(of: StatusCode(rawValue: code)) == name)
    #expect(StatusCode(rawValue: code).httpStatus == status)
  }

  @Test func error_withNothingToSay_isItsCodeAlone() {
    var text: [UInt8] = []
    ConnectError.appendJSON(RPCError(.notFound, ""), to: &text)
    #expect(String(decoding: text, as: UTF8.self) == #"{"code":"not_found"}"#)
  }

  @Test func responseTooLarge_isAnError() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.proto), request("a", "large"))
    #expect(answer.head?.status == 429)
    #expect(answer.text.contains("larger than"))
  }

  // MARK: - Bad input

  @Test(arguments: ["2", "", "1, 1"])
  func otherVersion_isRefused(version: String) throws {
    let fields = Self.fields("connect-protocol-version", version)
    let answer = try ExchangeFixture().answer(.call("Say", fields))
    #expect(answer.head?.status == 400)
    #expect(answer.text.contains(#""code":"invalid_argument""#))
  }

  @Test(arguments: ["-5", "", "1.5", "12345678901", "5s", " 5"])
  func malformedTimeout_isRefused(timeout: String) throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(.call("Say", Self.fields("connect-timeout-ms", timeout)))
    #expect(answer.head?.status == 400)
    #expect(answer.text.contains(#""code":"invalid_argument""#))
    #expect(fixture.service.calls.isEmpty)
  }

  @Test func twoTimeouts_areRefused() throws {
    let fields: HTTPFields = [
      "content-type": "application/proto", "connect-timeout-ms": "1", "connect-timeout-ms": "9",
    ]
    let answer = try ExchangeFixture().answer(.call("Say", fields))
    #expect(answer.head?.status == 400)
  }

  @Test func timeout_endsTheCall() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Say", Self.fields("connect-timeout-ms", "2000")),
      request("a", "hold")
    )
    #expect(!answer.isEnded)
    try fixture.simulation.run(for: .seconds(3))
    #expect(answer.head?.status == 504)
  }

  @Test func unknownCompression_namesTheKnown() throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.fields("content-encoding", "br")))
    #expect(answer.head?.status == 501)
    #expect(answer.head?.fields["accept-encoding"] == "gzip,deflate,identity")
    #expect(answer.text.contains("gzip"))
  }

  @Test func damagedContent_isInvalidArgument() throws {
    let fixture = try ExchangeFixture()
    let gzip = Self.fields("content-encoding", "gzip")
    let bytes = compressed(request("a"), "gzip")
    for (head, content) in [
      (HTTPRequestHead.call("Say", gzip), Array(bytes.dropLast())),
      (.call("Say", gzip), bytes + [0]),
      (.call("Say", Self.proto), [0xFF]),
      (.call("Say", Self.json), Array("{".utf8)),
      (.call("Say", Self.json), Array(#"{"nobody":1}"#.utf8)),
      (.call("Say", Self.json), Array(#"{"subject":"a","subject":"b"}"#.utf8)),
      (.call("Say", Self.json), Array(#"{"subject":1}"#.utf8)),
      (.call("Say", Self.fields("key-bin", "%")), request("a")),
    ] {
      let answer = try fixture.answer(head, content)
      #expect(answer.head?.status == 400, "\(content)")
      #expect(answer.text.contains(#""code":"invalid_argument""#))
    }
    #expect(fixture.service.calls.isEmpty)
  }

  @Test func contentTooLarge_isRefusedByItsLengthOrWhenItCame() throws {
    var limits = Limits()
    limits.frameByteCountMax = 100
    let fixture = try ExchangeFixture(limits: limits)
    let announced = try fixture.open(.call("Say", Self.fields("content-length", "101")))
    #expect(announced.answer.head?.status == 429)
    let sent = try fixture.open(.call("Say", Self.proto))
    try sent.send([UInt8](repeating: 0, count: 100))
    #expect(!sent.answer.isEnded)
    try sent.send([0])
    #expect(sent.answer.head?.status == 429)
    let bomb = compressed([UInt8](repeating: 0, count: 101), "gzip")
    let inflated = try fixture.answer(.call("Say", Self.fields("content-encoding", "gzip")), bomb)
    #expect(inflated.head?.status == 429)
    #expect(fixture.heldByteCount == 0)
  }

  @Test(arguments: ["GET", "PUT", "HEAD", "OPTIONS", "DELETE"])
  func otherVerb_is405(verb: String) throws {
    let answer = try ExchangeFixture().answer(.call("Say", Self.proto, verb: verb))
    #expect(answer.head?.status == 405)
    #expect(answer.head?.fields["allow"] == "POST")
    #expect(answer.isEnded && answer.content.isEmpty == (verb == "HEAD"))
    let read = try ExchangeFixture().answer(.call("Read", Self.proto, verb: "PUT"))
    #expect(read.head?.fields["allow"] == "GET, POST")
  }

  @Test(arguments: [
    ("Say", "text/plain", "application/proto, application/json"),
    ("Say", "application/json; charset=latin1", "application/proto, application/json"),
    ("Count", "application/proto", "application/connect+proto, application/connect+json"),
  ])
  func otherType_is415AndSaysWhichItTakes(method: String, type: String, accepted: String) throws {
    let answer = try ExchangeFixture().answer(.call(method, ["content-type": type]))
    #expect(answer.head?.status == 415)
    #expect(answer.head?.fields["accept-post"] == accepted)
  }

  @Test func json_withoutATranscoder_is415() throws {
    let fixture = try ExchangeFixture { $0.transcoder = nil }
    let answer = try fixture.answer(.call("Say", Self.json), Array("{}".utf8))
    #expect(answer.head?.status == 415)
    #expect(answer.head?.fields["accept-post"] == "application/proto")
  }

  @Test func unknownMethod_is404() throws {
    let answer = try ExchangeFixture().answer(.call("Nobody", Self.proto))
    #expect(answer.head?.status == 404)
    let message = "test.Echo has no method Nobody"
    #expect(answer.text.hasPrefix(#"{"code":"unimplemented","message":"\#(message)""#))
  }

  // MARK: - GET

  @Test func get_inAnyOrderWithUnknownKeys_isAnswered() throws {
    let message = Self.urlBase64(request("a?>\u{ff}"))
    for query in [
      "connect=v1&base64=1&encoding=proto&message=\(message)",
      "message=\(message)&x=1&x=2&encoding=proto&base64=1",
      "encoding=proto&base64=1&message=\(message)%3D%3D",
    ] {
      let answer = try ExchangeFixture().answer(Self.get(query))
      #expect(answer.head?.status == 200, "\(query)")
      #expect(answer.content == response("a?>\u{ff}"))
    }
  }

  @Test func get_withPercentSignsPaddingAndCompression_isAnswered() throws {
    let text = Base64.encode(compressed(request("a"), "gzip").span, isPadded: false)
    let padding = String(repeating: "%3D", count: (4 - text.count % 4) % 4)
    let query =
      "encoding=proto&compression=gzip&base64=1&message="
      + text.replacing("+", with: "%2B").replacing("/", with: "%2f") + padding
    let answer = try ExchangeFixture().answer(Self.get(query))
    #expect(answer.content == response("a"))
    #expect(answer.head?.fields["vary"] == "accept-encoding")
  }

  @Test func get_ofJSON_needsNoBase64() throws {
    let query = "encoding=json&message=%7B%22subject%22%3A%22a+b%22%7D"
    let answer = try ExchangeFixture().answer(Self.get(query))
    #expect(answer.text == #"{"reason":"a b"}"#)
  }

  @Test func get_ofAnEmptyMessage_isAnswered() throws {
    let answer = try ExchangeFixture().answer(Self.get("encoding=proto&message="))
    #expect(answer.head?.status == 200)
  }

  @Test(
    arguments: [
      (nil, 415), ("message=", 415), ("encoding=xml&message=", 415), ("encoding=proto", 400),
      ("encoding=proto&message=%2", 400), ("encoding=proto&message=%zz", 400),
      ("encoding=proto&base64=1&message=%25", 400), ("encoding=proto&message=&message=", 400),
      ("encoding=proto&encoding=json&message=", 400), ("encoding=proto&message=&connect=v2", 400),
      ("encoding=proto&message=&compression=br", 501), ("encoding=proto&message=%FF", 400),
    ] as [(String?, Int)]
  )
  func get_badQuery_isRefused(query: String?, status: Int) throws {
    let fixture = try ExchangeFixture()
    #expect(try fixture.answer(Self.get(query)).head?.status == status)
    #expect(fixture.service.calls.isEmpty)
  }

  @Test func get_withContent_is415() throws {
    let answer = try ExchangeFixture().answer(Self.get("encoding=proto&message="), [0])
    #expect(answer.head?.status == 415)
  }
}
