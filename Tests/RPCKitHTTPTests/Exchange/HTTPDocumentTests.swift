import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct HTTPDocumentTests {
  private static let large = Array(String(repeating: "lorem ipsum ", count: 1000).utf8)

  private func makeFixture(_ large: HTTPContent = HTTPContent([])) throws -> ExchangeFixture {
    let untagged = HTTPContent(Array("{}".utf8))
    let tagged = HTTPContent(Array("text".utf8), entityTag: "v1")
    return try ExchangeFixture { router in
      router.routes = [
        HTTPDocuments([
          HTTPDocument(
            path: "/openapi.json",
            contentType: "application/json",
            cacheControl: "public, max-age=60"
          ) { untagged },
          HTTPDocument(
            path: "/tagged",
            contentType: "text/plain",
            fields: ["x-content-type-options": "nosniff"]
          ) { tagged },
          HTTPDocument(path: "/large", contentType: "text/plain") { large },
        ])
      ]
    }
  }

  private func head(
    _ method: String,
    _ path: String,
    _ fields: HTTPFields = [:]
  ) -> HTTPRequestHead {
    HTTPRequestHead(method: method, path: path, fields: fields, version: .http1_1)
  }

  @Test func get_isAnsweredAndMayBeKept() throws {
    let answer = try makeFixture().answer(head("GET", "/openapi.json"))
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["content-type"] == "application/json")
    #expect(answer.head?.fields["cache-control"] == "public, max-age=60")
    #expect(answer.text == "{}")
    #expect(answer.isEnded)
  }

  @Test func head_hasTheLengthAlone() throws {
    let answer = try makeFixture().answer(head("HEAD", "/openapi.json"))
    #expect(answer.head?.fields["content-length"] == "2")
    #expect(answer.content.isEmpty && answer.isEnded)
  }

  @Test func otherMethod_isToldWhichOnesThereAre() throws {
    let answer = try makeFixture().answer(head("POST", "/openapi.json"), [1, 2, 3])
    #expect(answer.head?.status == 405)
    #expect(answer.head?.fields["allow"] == "GET, HEAD")
  }

  @Test func otherPath_isLeftToOthers() throws {
    let answer = try makeFixture().answer(head("GET", "/openapi.json/"))
    #expect(answer.head?.status == 404)
  }

  @Test(
    "Who has the content of a tag already is not sent it again",
    arguments: ["\"v1\"", "W/\"v1\"", "\"v0\", \"v1\"", "\"v0\",W/\"v1\" ,\"v2\"", "*"],
    ["GET", "HEAD"]
  )
  func knownTag_isNotModified(tags: String, method: String) throws {
    let answer = try makeFixture().answer(head(method, "/tagged", ["if-none-match": tags]))
    #expect(answer.head?.status == 304)
    #expect(answer.head?.fields["etag"] == "\"v1\"")
    #expect(answer.head?.fields["cache-control"] == "public, max-age=300")
    #expect(answer.head?.fields["content-length"] == nil)
    #expect(answer.content.isEmpty && answer.isEnded)
  }

  @Test(
    "Who has other content is sent it",
    arguments: ["\"v0\"", "v1", "\"v1", "\"V1\"", "W/v1", "\"v0\", \"v2\"", ""]
  )
  func otherTag_isSent(tags: String) throws {
    let answer = try makeFixture().answer(head("GET", "/tagged", ["if-none-match": tags]))
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["etag"] == "\"v1\"")
    #expect(answer.head?.fields["x-content-type-options"] == "nosniff")
    #expect(answer.text == "text" && answer.isEnded)
  }

  @Test func withoutTag_isAlwaysSent() throws {
    let answer = try makeFixture().answer(head("GET", "/openapi.json", ["if-none-match": "*"]))
    #expect(answer.head?.status == 200)
    #expect(answer.head?.fields["etag"] == nil)
    #expect(answer.text == "{}")
  }

  @Test("Who reads gzip gets what was compressed once, with a tag of its own")
  func gzip_isMadeOnce() throws {
    let content = HTTPContent(Self.large, entityTag: "v1")
    content.compress()
    let fixture = try makeFixture(content)
    let compressed = try #require(content.gzip)
    #expect(content.gzip === compressed && compressed.bytes.count < Self.large.count / 10)
    let answer = try fixture.answer(head("GET", "/large", ["accept-encoding": "gzip, br"]))
    #expect(answer.head?.fields["content-encoding"] == "gzip")
    #expect(answer.head?.fields["etag"] == "\"v1-gzip\"")
    #expect(answer.head?.fields["vary"] == "accept-encoding")
    #expect(answer.content == compressed.bytes)
    var inflated = ByteBuffer()
    var inflater = Inflater(.gzip)
    try inflater.inflate(answer.content.span, into: &inflated, byteCountMax: 1 << 20)
    #expect(inflated.withBytes { bytes in bytes.indices.map { bytes[$0] } } == Self.large)
    let plain = try fixture.answer(head("GET", "/large", ["accept-encoding": "br"]))
    #expect(plain.head?.fields["content-encoding"] == nil && plain.content == Self.large)
    for tag in ["\"v1\"", "\"v1-gzip\""] {
      let fields: HTTPFields = ["accept-encoding": "gzip", "if-none-match": tag]
      #expect(try fixture.answer(head("GET", "/large", fields)).head?.status == 304)
    }
  }

  @Test("Content that does not shrink is sent as it is")
  func gzip_thatIsLonger_isNotSent() throws {
    let content = HTTPContent([1, 2, 3])
    content.compress()
    #expect(content.gzip == nil)
    let answer = try makeFixture(content).answer(head("GET", "/large", ["accept-encoding": "gzip"]))
    #expect(answer.content == [1, 2, 3] && answer.head?.fields["content-encoding"] == nil)
  }

  @Test("Who does not read what was sent is sent no further document")
  func unreadAnswers_areNotAddedTo() throws {
    let fixture = try makeFixture()
    fixture.connection.waitingByteCount = 33 << 20
    let answer = try fixture.answer(head("GET", "/openapi.json"))
    #expect(answer.head?.status == 503)
    #expect(answer.head?.fields["retry-after"] == "1")
    #expect(answer.content.isEmpty && answer.isEnded)
    let known = try fixture.answer(head("GET", "/tagged", ["if-none-match": "\"v1\""]))
    #expect(known.head?.status == 304)
    fixture.connection.waitingByteCount = 0
    #expect(try fixture.answer(head("GET", "/openapi.json")).head?.status == 200)
  }
}
