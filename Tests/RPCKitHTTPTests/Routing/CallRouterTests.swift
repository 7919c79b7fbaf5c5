import RPCKit
import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct CallRouterTests {
  private static let origin = "https://app.example.com"

  private static func withPolicy(_ router: inout CallRouter) {
    router.crossOrigin = CrossOriginPolicy(origins: [origin])
  }

  private static func preflight(from origin: String) -> HTTPRequestHead {
    .call(
      "Nobody",
      ["origin": origin, "access-control-request-method": "POST", "authorization": "no"],
      verb: "OPTIONS",
      version: .http1_1
    )
  }

  // MARK: - The server as a whole

  @Test(arguments: [HTTPRequestHead.Version.http1_1, .http2])
  func optionsOfTheServer_areItsMethods(version: HTTPRequestHead.Version) throws {
    for fixture in [try ExchangeFixture(), try ExchangeFixture(configure: Self.withPolicy)] {
      let head = HTTPRequestHead(method: "OPTIONS", path: "*", version: version)
      let answer = try fixture.answer(head)
      #expect(answer.head?.status == 204)
      #expect(answer.head?.fields["allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
      #expect(answer.isEnded && answer.content.isEmpty)
    }
  }

  // MARK: - What every answer has

  @Test(arguments: [
    ("Say", "application/json", true), ("Say", "text/plain", true), ("Nobody", "text/plain", true),
    ("Say", "application/grpc-web", true), ("Count", "application/connect+proto", true),
    ("Say", "application/grpc", false),
  ])
  func browsers_areToldNotToGuess(method: String, type: String, isTold: Bool) throws {
    let answer = try ExchangeFixture().answer(.call(method, ["content-type": type]))
    #expect(answer.head?.fields["x-content-type-options"] == (isTold ? "nosniff" : nil))
  }

  // MARK: - Too many fields

  @Test(arguments: [
    ("Say", "application/json", 431, nil), ("Say", "application/proto", 431, nil),
    ("Say", "application/grpc", 200, "8"), ("Say", "application/grpc-web-text", 200, "8"),
    ("Count", "application/connect+json", 200, nil), ("Nobody", "text/plain", 404, nil),
  ])
  func tooManyFields_areRefusedInTheWayOfTheCall(
    method: String,
    type: String,
    status: Int,
    grpcStatus: String?
  ) throws {
    let fixture = try ExchangeFixture()
    // What a connection keeps of such a head.
    let head = HTTPRequestHead.call(method, ["content-type": type])
    let error = fixture.connection.core.refusals.tooMuchMetadata.error
    let answer = try fixture.open(head, refusing: error).answer
    #expect(answer.head?.status == status)
    #expect(answer.head?.fields["grpc-status"] == grpcStatus)
    if type == "application/connect+json" {
      let text = String(decoding: answer.content, as: UTF8.self)
      #expect(text.contains("resource_exhausted"))
    }
    #expect(fixture.service.calls.isEmpty)
  }

  // MARK: - Routes

  /// Answers everything below a path with 418.
  private struct Teapot: HTTPRoutes {
    let prefix: String
    let status: Int

    func makeExchange(_ arrival: HTTPArrival) -> HTTPExchange? {
      guard arrival.head.path.hasPrefix(prefix) else { return nil }
      return RefusalExchange(
        arrival,
        error: RPCError(.unknown, "short and stout"),
        status: status
      )
    }
  }

  @Test func routes_areAskedInOrderAfterContentTypesAndBeforePaths() throws {
    let fixture = try ExchangeFixture { router in
      router.routes = [
        Teapot(prefix: "/test.Echo/Say", status: 418), Teapot(prefix: "/test", status: 419),
      ]
    }
    func status(_ method: String, _ type: String) throws -> Int? {
      try fixture.answer(.call(method, ["content-type": type])).head?.status
    }
    #expect(try status("Say", "application/json") == 418)
    #expect(try status("Read", "application/json") == 419)
    #expect(try status("Say", "application/grpc") == 200)
    #expect(try status("Count", "application/connect+proto") == 200)
  }

  @Test func nothing_is404InJSON() throws {
    let answer = try ExchangeFixture().answer(
      HTTPRequestHead(method: "GET", path: "/favicon.ico", version: .http1_1)
    )
    #expect(answer.head?.status == 404)
    #expect(answer.head?.fields["content-type"] == "application/json")
  }

  @Test(arguments: [
    (CallDialect.grpc, "application/grpc", 415), (.grpcWeb, "application/grpc-web-text", 415),
    (.connect, "application/connect+proto", 415), (.connect, "application/proto", 404),
  ])
  func dialectThatIsOff_isNotServed(dialect: CallDialect, type: String, status: Int) throws {
    let fixture = try ExchangeFixture { $0.dialects.remove(dialect) }
    let answer = try fixture.answer(.call("Say", ["content-type": type]), envelope(request("a")))
    #expect(answer.head?.status == status)
    #expect(fixture.service.calls.isEmpty)
  }

  // MARK: - Browsers

  @Test func preflight_ofAListedOrigin_isAnsweredBeforeRouting() throws {
    let fixture = try ExchangeFixture(configure: Self.withPolicy)
    let fields = try #require(try fixture.answer(Self.preflight(from: Self.origin)).head?.fields)
    #expect(fields["access-control-allow-origin"] == Self.origin)
    #expect(fields["access-control-allow-methods"] == "GET, POST, PUT, PATCH, DELETE")
    let allowed = fields["access-control-allow-headers"]?.split(separator: ", ") ?? []
    for name in [
      "authorization", "connect-protocol-version", "connect-timeout-ms", "content-type",
      "grpc-timeout", "idempotency-key", "if-none-match", "last-event-id", "traceparent",
      "tracestate", "x-grpc-web",
      "x-request-id", "x-user-agent",
    ] { #expect(allowed.contains(Substring(name))) }
    #expect(fields["access-control-max-age"] == "7200")
    #expect(fields["access-control-allow-credentials"] == nil)
    #expect(
      fields["vary"] == "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
    )
  }

  @Test(arguments: [
    "https://evil.example.com", "http://app.example.com", "https://app.example.com:8443", "null",
    "https://app.example.com.evil.com", "",
  ])
  func otherOrigin_getsNoPermission(origin: String) throws {
    let fixture = try ExchangeFixture(configure: Self.withPolicy)
    let preflight = try fixture.answer(Self.preflight(from: origin))
    #expect(preflight.head?.status == 204)
    #expect(preflight.head?.fields.fields.map(\.name) == ["vary", "x-content-type-options"])
    let actual = try fixture.answer(
      .call("Say", ["content-type": "application/proto", "origin": origin]),
      request("a")
    )
    #expect(actual.head?.status == 200)
    #expect(actual.head?.fields.fields.contains { $0.name.hasPrefix("access-control") } == false)
    #expect(actual.head?.fields["vary"] == "Origin")
  }

  @Test(arguments: ["application/grpc-web", "application/proto", "application/connect+proto"])
  func listedOrigin_mayReadAnswersAndRefusals(type: String) throws {
    let fixture = try ExchangeFixture { router in
      router.crossOrigin = CrossOriginPolicy(origins: [Self.origin])
      router.crossOrigin?.allowsCredentials = true
    }
    for method in ["Say", "Nobody", "Count"] {
      let head = HTTPRequestHead.call(method, ["content-type": type, "origin": Self.origin])
      let fields = try #require(try fixture.answer(head).head?.fields)
      #expect(fields["access-control-allow-origin"] == Self.origin)
      #expect(fields["access-control-allow-credentials"] == "true")
      #expect(
        fields["access-control-expose-headers"]?.hasPrefix(
          "grpc-status, grpc-message, grpc-status-details-bin, retry-after"
        ) == true
      )
    }
  }

  @Test func exposedNames_areThoseOfTheAnswer() throws {
    let fixture = try ExchangeFixture(configure: Self.withPolicy)
    let answer = try fixture.answer(
      .call("Say", ["content-type": "application/proto", "origin": Self.origin]),
      request("a", "header")
    )
    #expect(
      answer.head?.fields["access-control-expose-headers"]
        == "grpc-status, grpc-message, grpc-status-details-bin, retry-after, answered-by, token-bin"
    )
  }

  @Test func twoOrigins_areNone() throws {
    let fixture = try ExchangeFixture(configure: Self.withPolicy)
    let answer = try fixture.answer(
      .call(
        "Say",
        ["content-type": "application/proto", "origin": Self.origin, "origin": Self.origin]
      )
    )
    #expect(answer.head?.fields["access-control-allow-origin"] == nil)
  }

  @Test func withoutAPolicy_nothingIsSaid() throws {
    let fixture = try ExchangeFixture()
    #expect(try fixture.answer(Self.preflight(from: Self.origin)).head?.status == 404)
    let answer = try fixture.answer(
      .call("Say", ["content-type": "application/proto", "origin": Self.origin])
    )
    #expect(answer.head?.fields["vary"] == nil)
    #expect(answer.head?.fields["access-control-allow-origin"] == nil)
  }
}
