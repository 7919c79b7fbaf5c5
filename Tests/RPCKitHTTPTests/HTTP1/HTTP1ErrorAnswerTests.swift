import RPCKitTesting
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

@Suite("HTTP/1.1 connection: answers to what is no request", .teardown) struct HTTP1ErrorAnswerTests
{
  @Test(
    "An error has a length, a date and a close, and is followed by the end of stream",
    arguments: [
      ("GET /\n\n", "400 Bad Request", ""),
      ("BREW / HTTP/1.1\n", "501 Not Implemented", ""),
      (
        "TRACE / HTTP/1.1\n", "405 Method Not Allowed",
        "allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\n"
      ),
      ("GET / HTTP/2.0\n", "505 HTTP Version Not Supported", ""),
      ("GET / HTTP/1.1\nExpect: x\n", "417 Expectation Failed", ""),
      ("GET /\(String(repeating: "a", count: 16 << 10)) HTTP/1.1\n", "414 URI Too Long", ""),
      (
        "GET / HTTP/1.1\na: \(String(repeating: "a", count: 32 << 10))\n",
        "431 Request Header Fields Too Large", ""
      ),
    ]
  )
  func error_isSelfDelimited(request: String, status: String, allow: String) throws {
    let fixture = try HTTPFixture()
    let peer = try fixture.connect()
    let answer = try peer.send(request)
    let parts = answer.split(separator: "\n\n", maxSplits: 1).map(String.init)
    let content = try #require(parts.last)
    #expect(
      answer
        == .answer(
          status,
          "content-type: text/plain; charset=utf-8\ncache-control: no-store\n"
            + "x-content-type-options: nosniff\n\(allow)"
            + "content-length: \(content.utf8.count)\nconnection: close\n",
          content
        )
    )
    #expect(content.hasPrefix("\(status): ") && content.hasSuffix("\n"))
    #expect(peer.isEnded && !peer.wire.isClosed)
    #expect(fixture.exchanges.isEmpty)
    // The client reads it although it still sends, and the connection closes when it is quiet.
    try peer.send(String(repeating: "x", count: 100_000))
    #expect(peer.wire.error == nil)
    try fixture.simulation.run(for: .seconds(3))
    #expect(fixture.network.connectionCount == 0 || peer.wire.isClosed == false)
    #expect(fixture.server.connectionCount == 0)
  }

  @Test("Errors are counted by what they are")
  func error_isCounted() throws {
    let fixture = try HTTPFixture()
    try fixture.connect().send("GET /\n\n")
    let malformed = fixture.metrics.serverConnections.protocolError("malformed_http1")
    #expect(malformed.value == 1 && fixture.reachedCount(.metadata) == 0)
    try fixture.connect().send("GET / HTTP/1.1\na: \(String(repeating: "a", count: 32 << 10))\n")
    #expect(malformed.value == 1 && fixture.reachedCount(.metadata) == 1)
    try fixture.connect().send("TRACE / HTTP/1.1\nHost: a\n\n")
    #expect(malformed.value == 1)
  }
}
