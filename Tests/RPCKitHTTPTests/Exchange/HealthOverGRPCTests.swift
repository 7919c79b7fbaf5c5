import RPCKit
import RPCKitTesting
import Testing

@testable import RPCKitHTTP

@Suite(.teardown) struct HealthOverGRPCTests {
  typealias Request = Grpc_Health_V1.HealthCheckRequest
  typealias Response = Grpc_Health_V1.HealthCheckResponse

  private static func head(_ method: String) -> HTTPRequestHead {
    HTTPRequestHead(
      method: "POST",
      path: "/grpc.health.v1.Health/\(method)",
      fields: ["content-type": "application/grpc"],
      version: .http2
    )
  }

  private static func message(_ status: HealthService.Status) -> [UInt8] {
    envelope(Response(status: status).protobufBytes)
  }

  @Test func check_tellsTheServerAndUnknownServices() throws {
    let fixture = try ExchangeFixture()
    let server = try fixture.answer(Self.head("Check"), envelope(Request().protobufBytes))
    #expect(server.content == Self.message(.serving))
    let unknown = try fixture.answer(
      Self.head("Check"),
      envelope(Request(service: "no.Such").protobufBytes)
    )
    #expect(unknown.head?.fields["grpc-status"] == "5")
  }

  @Test func check_byGET_isAnswered() throws {
    let head = HTTPRequestHead(
      method: "GET",
      path: "/grpc.health.v1.Health/Check",
      query: "encoding=proto&message=",
      version: .http1_1
    )
    let answer = try ExchangeFixture().answer(head)
    #expect(answer.head?.status == 200)
    #expect(answer.content == Response(status: .serving).protobufBytes)
  }

  @Test func watch_tellsEachChangeUntilTheServerShutsDown() throws {
    let fixture = try ExchangeFixture()
    let watch = try fixture.open(Self.head("Watch"))
    try watch.send(envelope(Request(service: "a").protobufBytes))
    try watch.end()
    #expect(watch.answer.content == Self.message(.serviceUnknown))
    fixture.loop.execute { fixture.health.set(.serving, for: "a") }
    try fixture.simulation.settle()
    #expect(watch.answer.content == Self.message(.serviceUnknown) + Self.message(.serving))
    #expect(!watch.answer.isEnded)
    fixture.loop.execute { fixture.health.shutDown() }
    try fixture.simulation.settle()
    #expect(
      watch.answer.content.suffix(Self.message(.notServing).count) == Self.message(.notServing)[...]
    )
    #expect(watch.answer.trailers?["grpc-status"] == "0")
  }

  @Test func watch_thatIsGivenUp_isForgotten() throws {
    let fixture = try ExchangeFixture()
    let watch = try fixture.open(Self.head("Watch"))
    try watch.send(envelope(Request().protobufBytes))
    try watch.end()
    #expect(fixture.health.watcherCount == 1)
    try watch.abandon()
    #expect(fixture.health.watcherCount == 0)
  }
}
