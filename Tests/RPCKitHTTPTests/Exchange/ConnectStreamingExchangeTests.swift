import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct ConnectStreamingExchangeTests {
  private static let proto: HTTPFields = ["content-type": "application/connect+proto"]
  /// The end of a stream that went well, as the protocol's page has it.
  private static let success: [UInt8] = [2, 0, 0, 0, 2, 0x7B, 0x7D]

  private static func fields(_ name: String, _ value: String) -> HTTPFields {
    ["content-type": "application/connect+proto", name: value]
  }

  /// The text of the last envelope, which must be one that ends a stream.
  private static func endText(_ answer: RecordedAnswer) throws -> String {
    var decoder = EnvelopeDecoder(byteCountMax: .max)
    let content = answer.content
    var last: (flags: UInt8, text: String)?
    try decoder.decode(content.span) { header, message in
      var bytes: [UInt8] = []
      bytes.replaceAll(with: message)
      last = (header.flags, String(decoding: bytes, as: UTF8.self))
      return true
    }
    #expect(decoder.waitingByteCount == 0)
    #expect(last?.flags == 2)
    return last?.text ?? ""
  }

  @Test(arguments: [1, 6, 1000])
  func serverStreaming_cutAnywhere_endsWithAnEnvelope(pieceByteCount: Int) throws {
    let answer = try ExchangeFixture().answer(
      .call("Count", Self.proto, version: .http1_1),
      envelope(request("n")),
      pieceByteCount: pieceByteCount
    )
    #expect(answer.head?.status == 200)
    var fields = Self.proto
    fields.append("x-content-type-options", "nosniff")
    #expect(answer.head?.fields == fields)
    #expect(
      answer.content == envelope(response("n1")) + envelope(response("n2")) + Self.success
    )
    #expect(answer.trailers?.isEmpty == true)
  }

  @Test func json_isEnvelopedAsWell() throws {
    let answer = try ExchangeFixture().answer(
      .call("Join", ["content-type": "application/connect+json"]),
      envelope(Array(#"{"subject":"a"}"#.utf8)) + envelope(Array(#"{"subject":"b"}"#.utf8))
    )
    #expect(answer.head?.fields["content-type"] == "application/connect+json")
    #expect(answer.content == envelope(Array(#"{"reason":"a,b"}"#.utf8)) + Self.success)
  }

  @Test func bidirectional_answersAtOnceOverHTTP2Alone() throws {
    let fixture = try ExchangeFixture()
    let open = try fixture.open(.call("Chat", Self.proto))
    try open.send(envelope(request("a")))
    #expect(open.answer.content == envelope(response("a")))
    try open.end()
    #expect(open.answer.content == envelope(response("a")) + Self.success)
    let refused = try fixture.answer(.call("Chat", Self.proto, version: .http1_1))
    #expect(refused.head?.status == 505)
  }

  @Test func metadata_isInTheLastEnvelope() throws {
    let answer = try ExchangeFixture().answer(
      .call("Count", Self.proto),
      envelope(request("n", "header"))
    )
    #expect(
      try Self.endText(answer) == #"{"metadata":{"answered-by":["echo"],"token-bin":["AAEC"]}}"#
    )
  }

  @Test func error_isInTheLastEnvelopeAfterMessagesOrNone() throws {
    let fixture = try ExchangeFixture()
    let late = try fixture.answer(.call("Count", Self.proto), envelope(request("n", "fail")))
    #expect(late.head?.status == 200)
    #expect(late.head?.fields["retry-after"] == nil && late.head?.fields["ratelimit"] == nil)
    #expect(late.content.starts(with: envelope(response("n1")) + envelope(response("n2"))))
    #expect(try Self.endText(late).hasPrefix(#"{"error":{"code":"resource_exhausted","message":"#))
    let early = try fixture.answer(.call("Join", Self.proto), envelope(request("n", "header fail")))
    #expect(early.head?.status == 200)
    #expect(early.head?.fields["retry-after"] == "2")
    #expect(early.head?.fields["ratelimit"] == #""OVERLOADED";r=0;t=2"#)
    let text = try Self.endText(early)
    #expect(text.hasPrefix(#"{"error":{"code":"resource_exhausted","#))
    #expect(text.hasSuffix(#""}]},"metadata":{"answered-by":["echo"],"token-bin":["AAEC"]}}"#))
  }

  @Test func refusal_beforeTheCall_isInTheLastEnvelope() throws {
    let answer = try ExchangeFixture().answer(
      .call("Join", Self.fields("connect-timeout-ms", "0"))
    )
    #expect(answer.head?.status == 200)
    #expect(try Self.endText(answer).hasPrefix(#"{"error":{"code":"deadline_exceeded""#))
  }

  @Test(
    arguments: [
      ("Join", [4, 0, 0, 0, 0], "internal"), ("Join", [2, 0, 0, 0, 0], "internal"),
      ("Join", [1, 0, 0, 0, 1, 0], "internal"), ("Join", [0, 0, 0, 0], "invalid_argument"),
      ("Join", [0, 0, 0, 0, 1, 0xFF], "invalid_argument"),
      ("Count", [0, 0, 0, 0, 1, 0xFF], "invalid_argument"), ("Count", [], "unimplemented"),
      ("Count", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "unimplemented"),
      ("Join", [0, 0x7F, 0, 0, 0], "resource_exhausted"),
    ] as [(String, [UInt8], String)]
  )
  func badContent_endsTheStream(method: String, content: [UInt8], code: String) throws {
    let answer = try ExchangeFixture().answer(.call(method, Self.proto), content)
    #expect(try Self.endText(answer).hasPrefix(#"{"error":{"code":"\#(code)""#))
  }

  @Test func compression_isNamedByFieldsOfItsOwn() throws {
    let fixture = try ExchangeFixture(compresses: true)
    let content = envelope(compressed(request("n", "long"), "gzip"), flags: 1)
    let answer = try fixture.answer(
      .call("Join", Self.fields("connect-content-encoding", "gzip")),
      content
    )
    #expect(answer.head?.fields["connect-content-encoding"] == "gzip")
    #expect(answer.head?.fields["connect-accept-encoding"] == "gzip,deflate,identity")
    #expect(answer.content.first == 1)
    let unknown = try fixture.answer(.call("Join", Self.fields("connect-content-encoding", "br")))
    #expect(try Self.endText(unknown).hasPrefix(#"{"error":{"code":"unimplemented""#))
  }

  @Test func compression_isTheHandlersToChoose() throws {
    let fixture = try ExchangeFixture()
    let answer = try fixture.answer(
      .call("Count", Self.fields("connect-accept-encoding", "gzip")),
      envelope(request("many", "compressed long,plain long"))
    )
    #expect(answer.head?.fields["connect-content-encoding"] == "gzip")
    #expect(answer.content.first == 1)
    let length = answer.content[1..<5].reduce(0) { $0 << 8 | Int($1) }
    #expect(answer.content[5 + length] == 0)
  }

  @Test func whatIsNoCallOfTheProtocol_hasAStatus() throws {
    let fixture = try ExchangeFixture()
    let verb = try fixture.answer(.call("Count", Self.proto, verb: "GET"))
    #expect(verb.head?.status == 405 && verb.head?.fields["allow"] == "POST")
    let codec = try fixture.answer(.call("Count", ["content-type": "application/connect+xml"]))
    #expect(codec.head?.status == 415)
    #expect(
      codec.head?.fields["accept-post"] == "application/connect+proto, application/connect+json"
    )
    let unary = try fixture.answer(.call("Say", Self.proto))
    #expect(unary.head?.status == 415 && unary.head?.fields["accept-post"] == "application/proto")
    let unknown = try fixture.answer(.call("Nobody", Self.proto))
    #expect(unknown.head?.status == 404)
    #expect(unknown.text.hasPrefix(#"{"code":"unimplemented""#))
  }
}
