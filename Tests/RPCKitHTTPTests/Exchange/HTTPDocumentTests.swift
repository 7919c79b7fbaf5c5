import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite struct HTTPDocumentTests {
  private func makeFixture() throws -> ExchangeFixture {
    try ExchangeFixture { router in
      router.routes = [
        HTTPDocuments([
          HTTPDocument(
            path: "/openapi.json",
            contentType: "application/json",
            ageMax: 60
          ) { Array("{}".utf8) }
        ])
      ]
    }
  }

  private func head(_ method: String, _ path: String) -> HTTPRequestHead {
    HTTPRequestHead(method: method, path: path, version: .http1_1)
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
}
