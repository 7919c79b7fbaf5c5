import RPCKit
import Testing
import TextEncodings

@testable import RPCKitHTTP

@Suite(.teardown) struct GRPCWebExchangeTests {
  private static let ok = Array("grpc-status:0\r\n".utf8)

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    Base64.letters(bytes.span, isPadded: true)
  }

  @Test(
    arguments: ["application/grpc-web", "APPLICATION/grpc-web+proto; charset=utf-8"],
    [HTTPRequestHead.Version.http1_1, .http2]
  )
  func bytes_endInTrailersInTheContent(type: String, version: HTTPRequestHead.Version) throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": type], version: version),
      envelope(request("a", "header")),
      pieceByteCount: 2
    )
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["content-type"] == "application/grpc-web+proto")
    #expect(answer.head?.fields["answered-by"] == "echo")
    #expect(answer.content == envelope(response("a")) + envelope(Self.ok, flags: 0x80))
    #expect(answer.trailers?.isEmpty == true)
  }

  @Test func errorAfterMessages_isInTheLastEnvelope() throws {
    let answer = try ExchangeFixture().answer(
      .call("Count", ["content-type": "application/grpc-web"]),
      envelope(request("a", "header fail"))
    )
    let messages = envelope(response("a1")) + envelope(response("a2"))
    #expect(answer.content.starts(with: messages))
    let rest = Array(answer.content.dropFirst(messages.count))
    #expect(rest.first == 0x80)
    let lines = String(decoding: rest.dropFirst(5), as: UTF8.self)
    #expect(lines.hasPrefix("grpc-status:8\r\ngrpc-message:50 %25 of %C3%A9verything%0A\r\n"))
    #expect(lines.contains("\r\nanswered-by:echo\r\ntoken-bin:AAEC\r\n"))
    #expect(lines.hasSuffix("\r\n") && !lines.contains("\r\n\r\n"))
    #expect(answer.head?.fields["grpc-status"] == nil)
  }

  @Test func error_beforeAnyMessage_isInTheHeadAlone() throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": "application/grpc-web"]),
      envelope(request("a", "fail"))
    )
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["grpc-status"] == "8")
    #expect(answer.head?.fields["content-type"] == "application/grpc-web+proto")
    #expect(answer.content.isEmpty && answer.isEnded)
  }

  // MARK: - Text

  @Test(arguments: [1, 2, 3, 5, 1000])
  func text_cutAnywhereAndPaddedInBetween_isRead(pieceByteCount: Int) throws {
    let bytes = envelope(request("a"))
    let text = Self.base64(Array(bytes.prefix(4))) + Self.base64(Array(bytes.dropFirst(4)))
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": "application/grpc-web-text"], version: .http1_1),
      text,
      pieceByteCount: pieceByteCount
    )
    #expect(answer.head?.fields["content-type"] == "application/grpc-web-text+proto")
    let expected =
      Self.base64(envelope(response("a"))) + Self.base64(envelope(Self.ok, flags: 0x80))
    #expect(answer.content == expected)
    #expect(answer.consumedByteCount == text.count)
  }

  @Test(arguments: [
    ("application/grpc-web-text", "*/*", true),
    ("application/grpc-web-text", "application/grpc-web", false),
    ("application/grpc-web", "application/grpc-web-text+proto, */*", true),
    ("application/grpc-web", "*/*", false),
  ])
  func accept_decidesOnText(type: String, accept: String, isText: Bool) throws {
    let content = envelope(request("a"))
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": type, "accept": accept]),
      type.hasSuffix("text") ? Self.base64(content) : content
    )
    let expected = isText ? "application/grpc-web-text+proto" : "application/grpc-web+proto"
    #expect(answer.head?.fields["content-type"] == expected)
    #expect((answer.content.first == 0) == !isText)
  }

  @Test func text_withoutPaddingAtTheEnd_isRead() throws {
    let text = Self.base64(envelope(request("a"))).filter { $0 != UInt8(ascii: "=") }
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": "application/grpc-web-text"]),
      text
    )
    #expect(answer.head?.fields["grpc-status"] == nil)
    #expect(!answer.content.isEmpty)
  }

  @Test(arguments: ["A", "A=", "AA=A", "=", "AAAA=", "AA A", "AA==="])
  func text_thatIsNoBase64_is400(text: String) throws {
    let answer = try ExchangeFixture().answer(
      .call("Say", ["content-type": "application/grpc-web-text"]),
      Array(text.utf8)
    )
    #expect(answer.head?.status == 400)
    #expect(answer.head?.fields["grpc-status"] == "13")
  }

  // MARK: - Bad input

  @Test(arguments: ["application/grpc-web+json", "application/grpc-webx", "application/grpc-web-"])
  func otherType_is415(type: String) throws {
    let answer = try ExchangeFixture().answer(.call("Say", ["content-type": type]))
    #expect(answer.head?.status == 415)
  }

  @Test func streamsBothWays_needHTTP2() throws {
    let fields: HTTPFields = ["content-type": "application/grpc-web"]
    let answer = try ExchangeFixture().answer(.call("Chat", fields, version: .http1_1))
    #expect(answer.head?.status == 505)
    #expect(answer.head?.fields["grpc-status"] == "12")
  }
}
