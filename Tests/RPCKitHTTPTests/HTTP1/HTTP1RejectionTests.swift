import Testing

@testable import RPCKitHTTP

/// Every form that smuggles requests, or could: each by its exact bytes, whole and cut at every byte.
@Suite("HTTP/1.1: what is refused", .teardown) struct HTTP1RejectionTests {
  /// A request that is refused.
  struct Case: CustomTestStringConvertible, Sendable {
    let status: Int
    let text: String
    var testDescription: String { "\(status): \(text.debugDescription)" }

    init(_ status: Int, _ text: String) {
      self.status = status
      self.text = text
    }

    /// With these field lines beside a host.
    static func fields(_ status: Int, _ lines: String) -> Case {
      Case(status, "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
    }

    /// With this request line.
    static func line(_ status: Int, _ line: String) -> Case {
      Case(status, "\(line)\r\nHost: a\r\n\r\n")
    }

    /// With this content in chunks.
    static func chunks(_ content: String) -> Case {
      Case(400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(content)")
    }
  }

  private func expectRefused(_ example: Case, _ location: SourceLocation = #_sourceLocation) {
    // What follows must not be taken for a request.
    let input = HTTP1Input(exactly: example.text + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(input.rejection?.status == example.status, sourceLocation: location)
    #expect(!input.requests.contains { $0.head.path == "/smuggled" }, sourceLocation: location)
    #expect(input.isTheSameInPieces, sourceLocation: location)
  }

  @Test(
    "A content that two readers would end at different places",
    arguments: [
      .fields(400, "Content-Length: 5\r\nTransfer-Encoding: chunked"),
      .fields(400, "Transfer-Encoding: chunked\r\nContent-Length: 5"),
      .fields(400, "Content-Length: 5\r\nContent-Length: 5"),
      .fields(400, "Content-Length: 5\r\nContent-Length: 6"),
      .fields(400, "Content-Length: 5\r\ncontent-length: 5"),
      .fields(400, "Content-Length: 5, 5"),
      .fields(400, "Content-Length: +5"),
      .fields(400, "Content-Length: -0"),
      .fields(400, "Content-Length: -1"),
      .fields(400, "Content-Length: 0x5"),
      .fields(400, "Content-Length: 5 5"),
      .fields(400, "Content-Length: 005"),
      .fields(400, "Content-Length: 00"),
      .fields(400, "Content-Length: "),
      .fields(400, "Content-Length:"),
      .fields(400, "Content-Length: five"),
      .fields(400, "Content-Length: 5;"),
      .fields(400, "Content-Length: \"5\""),
      .fields(400, "Content-Length: 9223372036854775808"),
      .fields(400, "Content-Length: 18446744073709551617"),
      .fields(400, "Transfer-Encoding: identity"),
      .fields(400, "Transfer-Encoding: chunked, identity"),
      .fields(400, "Transfer-Encoding: identity, chunked"),
      .fields(400, "Transfer-Encoding: chunked, chunked"),
      .fields(400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
      .fields(400, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
      .fields(400, "Transfer-Encoding: chunked, gzip"),
      .fields(400, "Transfer-Encoding: chunked;q=1"),
      .fields(400, "Transfer-Encoding: \u{B}chunked"),
      .fields(400, "Transfer-Encoding: chunked\u{B}"),
      .fields(400, "Transfer-Encoding: \"chunked\""),
      .fields(400, "Transfer-Encoding: chunked,"),
      .fields(400, "Transfer-Encoding: ,chunked"),
      .fields(400, "Transfer-Encoding: "),
      .fields(400, "Transfer-Encoding:"),
      .fields(501, "Transfer-Encoding: xchunked"),
      .fields(501, "Transfer-Encoding: gzip"),
      .fields(501, "Transfer-Encoding: gzip, chunked"),
      Case(400, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .fields(400, "Transfer_Encoding: chunked"),
      .fields(400, "Content_Length: 5"),
      .fields(400, "CONTENT_LENGTH: 5"),
    ] as [Case]
  )
  func doubtfulLength_isRefused(example: Case) { expectRefused(example) }

  @Test(
    "A field line that is none",
    arguments: [
      .fields(400, "Name : value"),
      .fields(400, "Name\t: value"),
      .fields(400, "Transfer-Encoding : chunked"),
      .fields(400, ": value"),
      .fields(400, "name"),
      .fields(400, "na me: value"),
      .fields(400, "na(me: value"),
      .fields(400, "n\u{E4}me: value"),
      .fields(400, "na\u{0}me: value"),
      .fields(400, "Name: a\r\n folded"),
      .fields(400, "Name: a\r\n\tfolded"),
      .fields(400, "Transfer-Encoding:\r\n chunked"),
      Case(400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\n\r\r\nHost: a\r\n\r\n"),
      .fields(400, "Name: a\rb"),
      .fields(400, "Name: a\r"),
      .fields(400, "Name: a\u{0}b"),
      .fields(400, "Name: a\u{1}b"),
      .fields(400, "Name: a\u{7F}b"),
      .fields(400, "Name: a\u{1B}[31m"),
      .fields(400, "Name: a\nOther: b"),
      Case(400, "GET / HTTP/1.1\nHost: a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a\r\n\n"),
    ] as [Case]
  )
  func malformedField_isRefused(example: Case) { expectRefused(example) }

  @Test("A value that is not UTF-8")
  func valueThatIsNotText_isRefused() {
    let start = Array("GET / HTTP/1.1\r\nHost: a\r\nName: ".utf8)
    let input = HTTP1Input(exactly: start + [0xE4] + Array("\r\n\r\n".utf8))
    #expect(input.rejection?.status == 400)
    #expect(input.isTheSameInPieces)
  }

  @Test(
    "A host that is missing, or that two readers would read in different ways",
    arguments: [
      Case(400, "GET / HTTP/1.1\r\n\r\n"),
      Case(400, "GET http://a/ HTTP/1.1\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: user:password@a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a/path\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a?query\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a#fragment\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: http://a\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a%2fb\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: a:80:80\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: []\r\n\r\n"),
      Case(400, "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n"),
      Case(400, "GET / HTTP/1.0\r\nHost: a b\r\n\r\n"),
      Case(400, "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"),
      Case(400, "GET http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n"),
      Case(400, "GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
      Case(400, "GET http:///path HTTP/1.1\r\nHost: a\r\n\r\n"),
    ] as [Case]
  )
  func doubtfulHost_isRefused(example: Case) { expectRefused(example) }

  @Test(
    "A request line that is none",
    arguments: [
      .line(400, "GET  / HTTP/1.1"),
      .line(400, "GET /  HTTP/1.1"),
      .line(400, "GET\t/ HTTP/1.1"),
      .line(400, "GET /\tHTTP/1.1"),
      .line(400, " GET / HTTP/1.1"),
      .line(400, "GET / HTTP/1.1 "),
      .line(400, "GET / HTTP/1.1\r"),
      .line(400, "GET /"),
      .line(400, "GET HTTP/1.1"),
      .line(400, "GET /a b HTTP/1.1"),
      .line(400, "GET / http/1.1"),
      .line(400, "GET / HTTP/1"),
      .line(400, "GET / HTTP/1.10"),
      .line(400, "GET / HTTP/1,1"),
      .line(400, "GET / HTTP/ 1.1"),
      .line(400, "GET / ICY/1.1"),
      .line(505, "GET / HTTP/2.0"),
      .line(505, "GET / HTTP/0.9"),
      .line(505, "GET / HTTP/3.0"),
      .line(400, "G(T / HTTP/1.1"),
      .line(400, "G\u{E4}T / HTTP/1.1"),
      .line(501, "get / HTTP/1.1"),
      .line(501, "BREW / HTTP/1.1"),
      .line(501, "PROPFIND / HTTP/1.1"),
      .line(405, "TRACE / HTTP/1.1"),
      .line(405, "CONNECT a:443 HTTP/1.1"),
      .line(405, "CONNECT / HTTP/1.1"),
      .line(400, "GET * HTTP/1.1"),
      .line(400, "POST * HTTP/1.1"),
      .line(400, "OPTIONS ** HTTP/1.1"),
      .line(400, "GET a:443 HTTP/1.1"),
      .line(400, "GET path HTTP/1.1"),
      .line(400, "GET ftp://a/ HTTP/1.1"),
      .line(400, "GET ?query HTTP/1.1"),
      .line(400, "GET /#fragment HTTP/1.1"),
      .line(400, "GET /?a#fragment HTTP/1.1"),
      .line(400, "GET /\u{0} HTTP/1.1"),
      .line(400, "GET /\u{7F} HTTP/1.1"),
      .line(400, "GET /\u{E4} HTTP/1.1"),
      .line(400, "GET /?\u{E4} HTTP/1.1"),
      .line(400, "GET /a\\b HTTP/1.1"),
      .line(400, "GET /<script> HTTP/1.1"),
      .line(400, "GET /a\rb HTTP/1.1"),
      Case(400, "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Case(400, "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
      Case(400, "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ] as [Case]
  )
  func malformedRequestLine_isRefused(example: Case) { expectRefused(example) }

  @Test(
    "Content in chunks that are not as long as they say",
    arguments: [
      .chunks("0x5\r\nhello\r\n0\r\n\r\n"),
      .chunks("+5\r\nhello\r\n0\r\n\r\n"),
      .chunks("-1\r\nhello\r\n0\r\n\r\n"),
      .chunks("5_\r\nhello\r\n0\r\n\r\n"),
      .chunks("5 \r\nhello\r\n0\r\n\r\n"),
      .chunks(" 5\r\nhello\r\n0\r\n\r\n"),
      .chunks("5\t\r\nhello\r\n0\r\n\r\n"),
      .chunks("\r\nhello\r\n0\r\n\r\n"),
      .chunks("g\r\nhello\r\n0\r\n\r\n"),
      .chunks("8000000000000000\r\nhello\r\n0\r\n\r\n"),
      .chunks("FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
      .chunks("10000000000000005\r\nhello\r\n0\r\n\r\n"),
      .chunks("00000000000000005\r\nhello\r\n0\r\n\r\n"),
      .chunks("5\nhello\r\n0\r\n\r\n"),
      .chunks("5\r\nhello\n0\r\n\r\n"),
      .chunks("5\r\nhello0\r\n\r\n"),
      .chunks("5\r\nhello!\r\n0\r\n\r\n"),
      .chunks("5\r\nhello\r!0\r\n\r\n"),
      .chunks("5\r\nhello\r\n0\n\r\n"),
      .chunks("5\r\nhello\r\n0\r\n\n"),
      .chunks("5;\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;;a\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;=a\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a=\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a=\"b\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a=\"b\\\r\nhello\r\n0\r\n\r\n"),
      .chunks("5 ;a\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a\nb\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a\u{0}\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;a=\"\rb\"\r\nhello\r\n0\r\n\r\n"),
      .chunks("5;\(String(repeating: "a", count: 256))\r\nhello\r\n0\r\n\r\n"),
      .chunks("0\r\nContent-Length: 5\r\n\r\n"),
      .chunks("0\r\nTransfer-Encoding: chunked\r\n\r\n"),
      .chunks("0\r\nHost: b\r\n\r\n"),
      .chunks("0\r\nAuthorization: Bearer b\r\n\r\n"),
      .chunks("0\r\nProxy-Authorization: Basic b\r\n\r\n"),
      .chunks("0\r\nname : value\r\n\r\n"),
      .chunks("0\r\nname: a\r\n folded\r\n\r\n"),
      .chunks("0\r\nname\r\n\r\n"),
    ] as [Case]
  )
  func malformedChunk_isRefused(example: Case) { expectRefused(example) }

  @Test(
    "An expectation that is not known",
    arguments: [
      .fields(417, "Expect: 200-ok"),
      .fields(417, "Expect: 100-continue, more"),
      .fields(417, "Expect: 100-continue\r\nExpect: more"),
      .fields(417, "Expect:"),
    ] as [Case]
  )
  func unknownExpectation_isRefused(example: Case) { expectRefused(example) }

  @Test("After an error everything is an error")
  func next_afterRejection_isTheSame() {
    var parser = HTTP1RequestParser(HTTPLimits())
    var offset = 0
    let first = parser.next(Array("GET /\r\n".utf8).span, &offset)
    offset = 0
    let second = parser.next(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span, &offset)
    #expect(first == second && offset == 0)
    let (isInsideHead, heldByteCount) = (parser.isInsideHead, parser.heldByteCount)
    #expect(!isInsideHead && heldByteCount == 0)
  }
}
