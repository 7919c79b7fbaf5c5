import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct HTTPVersionSnifferTests {
  @Test(arguments: [
    "GET / HTTP/1.1", "POST /", "PUT /", "PATCH /", "PROXY TCP4", "DELETE", "\r\nGET /", "H",
    "get / HTTP/1.1", "post /", "pri * HTTP/2.0", "a", "zap /",
  ])
  func guess_methodOfHTTP1_isHTTP1(first: String) {
    #expect(HTTPVersionSniffer.guess(Array(first.utf8).span) == .http1)
  }

  @Test func guess_preface_needsThreeBytes() {
    let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    #expect(HTTPVersionSniffer.guess(preface.span.extracting(first: 1)) == .undecided)
    #expect(HTTPVersionSniffer.guess(preface.span.extracting(first: 2)) == .undecided)
    #expect(HTTPVersionSniffer.guess(preface.span.extracting(first: 3)) == .http2)
    #expect(HTTPVersionSniffer.guess(preface.span) == .http2)
  }

  @Test(
    arguments: [
      [0], [0x16, 3, 1], [UInt8(ascii: "{")], [UInt8(ascii: "@")], [UInt8(ascii: "[")],
      [0x0d + 0x80], [0x61 + 0x80],
    ] as [[UInt8]]
  )
  func guess_otherBytes_isNeither(first: [UInt8]) {
    #expect(HTTPVersionSniffer.guess(first.span) == .neither)
  }
}
