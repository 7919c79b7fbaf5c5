import Testing

@testable import RPCKitHTTP

@Suite("HTTP/1.1: what is understood", .teardown) struct HTTP1RequestParserTests {
  private func request(
    _ text: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> HTTP1Request {
    let input = HTTP1Input(text)
    #expect(input.isTheSameInPieces, sourceLocation: location)
    #expect(input.rejection == nil, sourceLocation: location)
    #expect(input.endCount == 1, sourceLocation: location)
    return try #require(input.requests.first, sourceLocation: location)
  }

  @Test("A request is taken apart, and nothing is decoded")
  func request_isTakenApart() throws {
    let request = try request(
      "GET /a%2Fb/../c?x=1&y=%zz?|{} HTTP/1.1\nHost: example.com:8080\nX-Name:  a\t b \nx-name:c\nEmpty:\n\n"
    )
    let head = request.head
    #expect(head.method == "GET" && head.version == .http1_1)
    #expect(head.path == "/a%2Fb/../c" && head.query == "x=1&y=%zz?|{}")
    #expect(head.authority == "example.com:8080")
    #expect(head.fields == ["x-name": "a\t b", "x-name": "c", "empty": ""])
    #expect(request.content == .none && request.isPersistent && !request.awaitsContinue)
  }

  @Test("All methods of resources are known", arguments: HTTPRequestHead.methods)
  func method_isKnown(method: String) throws {
    #expect(try request("\(method) / HTTP/1.1\nHost: a\n\n").head.method == method)
  }

  @Test("A later version of HTTP/1 is as good as HTTP/1.1")
  func laterVersion_isOurs() throws {
    let request = try request("GET / HTTP/1.2\nHost: a\n\n")
    #expect(request.head.version == .http1_1 && request.isPersistent)
  }

  @Test(
    "A host is a name or an address, with or without a port",
    arguments: [
      "a", "EXAMPLE.com", "a_b.c-d", "10.0.0.1", "a:0", "a:65535", "a:", "[::1]", "[fe80::1]:80",
    ]
  )
  func host_isTaken(host: String) throws {
    #expect(try request("GET / HTTP/1.1\nHost: \(host)\n\n").head.authority == host)
  }

  @Test("The absolute form stands for path and host")
  func absoluteForm_isTaken() throws {
    let head = try request("GET http://Example.com:80/a?b HTTP/1.1\nHost: example.com:80\n\n").head
    #expect(head.path == "/a" && head.query == "b" && head.authority == "Example.com:80")
    let bare = try request("GET HTTPS://a?b HTTP/1.1\nHost: a\n\n").head
    #expect(bare.path == "/" && bare.query == "b")
    let old = try request("GET http://a HTTP/1.0\n\n").head
    #expect(old.path == "/" && old.query == nil && old.authority == "a")
  }

  @Test("OPTIONS may ask for the server as a whole")
  func asterisk_isTaken() throws {
    #expect(try request("OPTIONS * HTTP/1.1\nHost: a\n\n").head.path == "*")
  }

  @Test("One or two empty lines in front are skipped", arguments: ["\n", "\n\n"])
  func emptyLines_areSkipped(lines: String) throws {
    #expect(try request("\(lines)GET / HTTP/1.1\nHost: a\n\n").head.path == "/")
  }

  @Test("Empty lines are no beginning of a request, a byte of one is")
  func isInsideHead_beginsWithABytes() {
    var parser = HTTP1RequestParser(HTTPLimits())
    var offset = 0
    let afterEmptyLine = parser.next(Array("\r\n".utf8).span, &offset)
    #expect(afterEmptyLine == .needMoreBytes)
    let isInsideEmptyLine = parser.isInsideHead
    #expect(!isInsideEmptyLine)
    offset = 0
    let afterByte = parser.next(Array("G".utf8).span, &offset)
    #expect(afterByte == .needMoreBytes)
    let (isInsideHead, heldByteCount) = (parser.isInsideHead, parser.heldByteCount)
    #expect(isInsideHead && heldByteCount == 1)
  }

  @Test(
    "The connection lasts unless somebody says otherwise",
    arguments: [
      ("1.1", "", true), ("1.1", "Connection: keep-alive\n", true),
      ("1.1", "Connection: close\n", false), ("1.1", "Connection: x, Close\n", false),
      ("1.1", "Connection: x\nConnection: close\n", false), ("1.0", "", false),
      ("1.0", "Connection: keep-alive\n", false),
    ]
  )
  func connection_isPersistent(version: String, field: String, isPersistent: Bool) throws {
    let request = try request("GET / HTTP/\(version)\nHost: a\n\(field)\n")
    #expect(request.isPersistent == isPersistent)
    #expect(request.head.fields.isEmpty)
  }

  @Test("Upgrades are not heard")
  func upgrade_isDropped() throws {
    let request = try request(
      "GET / HTTP/1.1\nHost: a\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAAA\n\n"
    )
    #expect(request.head.fields.isEmpty && request.isPersistent)
  }

  @Test("Content has the length that is said")
  func length_isTaken() throws {
    let input = HTTP1Input("POST / HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello")
    #expect(input.requests.first?.content == .length(5) && input.content == "hello")
    #expect(input.requests.first?.head.fields == ["content-length": "5"])
    #expect(input.endCount == 1 && input.isTheSameInPieces)
    #expect(try request("POST / HTTP/1.1\nHost: a\nContent-Length: 0\n\n").content == .none)
    let huge = HTTP1Input("POST / HTTP/1.1\nHost: a\nContent-Length: 9223372036854775807\n\nhello")
    #expect(huge.requests.first?.content == .length(.max) && huge.endCount == 0)
  }

  @Test(
    "Content in chunks is put together; extensions and trailers are dropped",
    arguments: [
      "5\nhello\n0\n\n", "2\nhe\n3\nllo\n0\n\n", "0005\nhello\n000\n\n",
      "5;a;b=c;d=\"e;\\\" f\"\nhello\n0;last\n\n", "5\nhello\n0\nX-Sum: 1\nx-sum: 2\n\n",
    ]
  )
  func chunks_arePutTogether(chunks: String) throws {
    for name in ["chunked", "Chunked", " CHUNKED "] {
      let input = HTTP1Input("POST / HTTP/1.1\nHost: a\nTransfer-Encoding:\(name)\n\n\(chunks)")
      #expect(input.requests.first?.content == .chunked && input.content == "hello")
      #expect(input.requests.first?.head.fields.isEmpty == true)
      #expect(input.endCount == 1 && input.isTheSameInPieces)
    }
  }

  @Test("Sizes of chunks are hexadecimal in both cases")
  func chunkSize_isHexadecimal() {
    let text = String(repeating: "x", count: 0xAB)
    for size in ["ab", "AB", "aB"] {
      let input = HTTP1Input(
        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n\(size)\n\(text)\n0\n\n"
      )
      #expect(input.content == text && input.endCount == 1)
    }
  }

  @Test("Requests follow one another, whatever their content")
  func pipeline_isTakenApart() {
    let input = HTTP1Input(
      """
      POST /1 HTTP/1.1
      Host: a
      Content-Length: 5

      helloGET /2 HTTP/1.1
      Host: a

      POST /3 HTTP/1.1
      Host: a
      Transfer-Encoding: chunked

      2
      he
      0

      \nGET /4 HTTP/1.0


      """
    )
    #expect(input.requests.map(\.head.path) == ["/1", "/2", "/3", "/4"])
    #expect(input.endCount == 4 && input.rejection == nil && input.isTheSameInPieces)
  }

  @Test(
    "Who waits for 100 Continue is known",
    arguments: [
      ("1.1", "Content-Length: 1\n", true), ("1.1", "Transfer-Encoding: chunked\n", true),
      ("1.1", "Content-Length: 0\n", false), ("1.1", "", false),
      ("1.0", "Content-Length: 1\n", false),
    ]
  )
  func expectation_isKnown(version: String, field: String, waits: Bool) {
    let input = HTTP1Input("POST / HTTP/\(version)\nHost: a\nExpect: 100-Continue\n\(field)\n")
    #expect(input.requests.map(\.awaitsContinue) == [waits])
    #expect(input.requests.first?.head.fields["expect"] == nil)
  }
}
