import PeerContracts
import TestingContracts
import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Deadlines of methods called by HTTP with JSON", .teardown)
struct RESTDeadlineTests {
  @Test("A call without a field for it has no deadline")
  func none_isNoDeadline() throws {
    let stage = try RESTStage()
    #expect(try stage.send("GET", "/test/books/b1")?.status == 200)
    #expect(stage.library.lastTimeRemaining == nil)
  }

  @Test(
    "The caller says how long a call may take, and Envoy how long it waits; the shorter holds",
    arguments: [
      ("2S", nil, .seconds(2)), (nil, "1500", .milliseconds(1500)),
      ("2S", "15000", .seconds(2)), ("1M", "15000", .seconds(15)),
    ] as [(String?, String?, Duration)]
  )
  func shorter_holds(_ caller: String?, _ gateway: String?, _ expected: Duration) throws {
    let stage = try RESTStage()
    var fields = HTTPFields()
    if let caller { fields.append("grpc-timeout", caller) }
    if let gateway { fields.append("x-envoy-expected-rq-timeout-ms", gateway) }
    #expect(try stage.send("GET", "/test/books/b1", fields)?.status == 200)
    #expect(stage.library.lastTimeRemaining == expected)
  }

  @Test("A call that takes longer is ended")
  func deadline_endsTheCall() throws {
    let stage = try RESTStage()
    let id = try #require(try stage.begin("GET", "/test/books/slow", ["grpc-timeout": "2S"]))
    try stage.pass(.milliseconds(1900))
    #expect(!stage.answer(to: id).isComplete)
    try stage.pass(.milliseconds(200))
    let answer = stage.answer(to: id)
    #expect(answer.isComplete)
    #expect(answer.status == 504)
    #expect(answer["details", "code"] == "DEADLINE_EXCEEDED")
  }

  @Test("A call without time left is not begun")
  func deadline_passed() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/books/b1", ["grpc-timeout": "0n"]))
    #expect(answer.status == 504)
    #expect(stage.library.requestCount == 0)
  }

  @Test(
    "What is no time is refused, not taken for none",
    arguments: [
      ["grpc-timeout": "-1S"], ["grpc-timeout": "5"], ["grpc-timeout": ""],
      ["grpc-timeout": "123456789S"], ["grpc-timeout": "1S", "grpc-timeout": "9S"],
      ["x-envoy-expected-rq-timeout-ms": "-5"], ["x-envoy-expected-rq-timeout-ms": "1.5"],
      ["x-envoy-expected-rq-timeout-ms": "12345678901"],
      ["x-envoy-expected-rq-timeout-ms": "1", "x-envoy-expected-rq-timeout-ms": "9"],
    ] as [HTTPFields]
  )
  func malformed_isRefused(_ fields: HTTPFields) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/books/b1", fields))
    #expect(answer.status == 400)
    #expect(answer["details", "code"] == "INVALID_ARGUMENT")
    let name = try #require(fields.fields.first?.name)
    #expect(answer["message"]?.string?.contains(name) == true)
    #expect(stage.library.requestCount == 0)
  }
}
