import RPCKit
import RPCKitTesting
import StrictJSON
import Testing

@testable import RPCKitHTTP

/// Below the prefix of REST every answer has its envelope, whichever part of the server gives it.
@Suite("Errors below the prefix of REST", .teardown)
struct RESTEnvelopeTests {
  private static let router = {
    var router = CallRouter()
    router.restPrefix = "/api/"
    return router
  }()

  private static func envelope(_ content: String) -> JSONObject? {
    let json = try? JSONReader.read(Array(content.utf8), limits: JSONLimits(byteCountMax: 1 << 16))
    guard let object = json?.object, object["status"] == "error", object["message"]?.string != nil
    else { return nil }
    return object["details"]?.object
  }

  @Test(
    "By HTTP/1.1, also where the head is no request or too large",
    arguments: [
      ("GET /api/v1/nothing HTTP/1.1\nhost: a\n\n", 404, "SERVICE_UNKNOWN"),
      ("GET /api/ HTTP/1.1\nhost: a\n\n", 404, "SERVICE_UNKNOWN"),
      (
        "POST /api/v1/x HTTP/1.1\nhost: a\ncontent-type: application/grpc\ncontent-length: 0\n\n",
        404, "SERVICE_UNKNOWN"
      ),
      (
        "POST /api/v1/x HTTP/1.1\nhost: a\ncontent-type: application/connect+json\n"
          + "content-length: 0\n\n",
        404, "SERVICE_UNKNOWN"
      ),
      ("BREW /api/v1/x?a=b HTTP/1.1\n", 501, "METHOD_UNKNOWN"),
      ("get /api/v1/x HTTP/1.1\n", 501, "METHOD_UNKNOWN"),
      ("TRACE /api/v1/x HTTP/1.1\n", 405, "METHOD_UNKNOWN"),
      ("GET /api/v1/x HTTP/2.0\n", 505, "METHOD_UNKNOWN"),
      ("GET /api/v1/x HTTP/1.1\nExpect: x\n", 417, "MALFORMED_REQUEST"),
      ("GET /api/v1/x HTTP/1.1\nno field\n", 400, "MALFORMED_REQUEST"),
      (
        "GET /api/v1/x HTTP/1.1\na: \(String(repeating: "a", count: 32 << 10))\n", 431,
        "METADATA_TOO_LARGE"
      ),
    ]
  )
  func http1_belowPrefix(request: String, status: Int, reason: String) throws {
    let fixture = try HTTPFixture(http: { $0.router = Self.router })
    let answer = try fixture.connect().send(request)
    let parts = answer.split(separator: "\n\n", maxSplits: 1).map(String.init)
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(40))")
    #expect(parts[0].contains("content-type: application/json\n"))
    let details = try #require(Self.envelope(parts.last ?? ""))
    #expect(details["reason"] == .string(reason))
    // The same elsewhere is none of REST's.
    let elsewhere = request.replacing("/api/", with: "/app/")
    let other = try fixture.connect().send(elsewhere)
    let content = other.split(separator: "\n\n", maxSplits: 1).map(String.init).last ?? ""
    #expect(Self.envelope(content) == nil, "\(other)")
  }

  @Test("By HTTP/1.1, a request that does not come in time")
  func http1_late() throws {
    let fixture = try HTTPFixture(http: { $0.router = Self.router })
    let peer = try fixture.connect()
    try peer.send("GET /api/v1/x HTTP/1.1\nhost: a\n")
    try fixture.simulation.run(for: .seconds(60))
    let answer = peer.take()
    let parts = answer.split(separator: "\n\n", maxSplits: 1).map(String.init)
    #expect(answer.hasPrefix("HTTP/1.1 408 "))
    #expect(Self.envelope(parts.last ?? "")?["code"] == "DEADLINE_EXCEEDED")
  }

  @Test("By HTTP/2, also where the head cannot be right")
  func http2_belowPrefix() throws {
    let stage = try HTTP2Stage { $0.router = Self.router }
    let client = try stage.open()
    try client.exchange(
      .request(1, "/api/v1/nothing"),
      .request(3, "/api/v1/x", [("expect", "a")]),
      .request(5, "/app/v1/x", [("expect", "a")]),
      .request(7, "/api/v1/x", [("content-type", "application/grpc")])
    )
    for (stream, status) in [(1, "404"), (3, "417"), (7, "404")] {
      let answer = client[UInt32(stream)]
      #expect(answer.status == status && answer.isEnded)
      let content = String(decoding: answer.content, as: UTF8.self)
      #expect(Self.envelope(content) != nil, "\(stream): \(content)")
    }
    #expect(client[5].status == "417" && client[5].content.isEmpty && client[5].isEnded)
  }
}
