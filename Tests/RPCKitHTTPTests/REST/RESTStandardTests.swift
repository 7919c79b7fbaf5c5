import TestingContracts
import RPCKit
import Testing

@testable import RPCKitHTTP

/// What contracts can say so that methods answer as standards of others want it.
@Suite("Methods called by HTTP as standards have them", .teardown)
struct RESTStandardTests {
  private static let json: HTTPFields = ["content-type": "application/json"]

  @Test("Members that nobody knows are ignored where the contract says so, at every level")
  func unknown_isIgnored() throws {
    let stage = try RESTStage()
    let body = #"{"key":"ada","color":"red","place":{"id":"p","floor":{"number":2}}}"#
    let answer = try #require(try stage.send("POST", "/test/may-borrow", json: body))
    #expect(answer.status == 200)
    #expect(answer.text == #"{"active":true}"#)
    let request = stage.library.lastRequest(Testing_V1.ReaderRequest.self)
    #expect(request?.key == "ada" && request?.place?.id == "p")
  }

  @Test(
    "What is known must be right, and given once",
    arguments: [
      #"{"key":1}"#, #"{"key":"a","key":"b"}"#, #"{"place":[]}"#, #"{"place":{"id":true}}"#,
      #"["key"]"#, "{", #"{"key":"a"} x"#,
    ]
  )
  func known_wrong_isRefused(_ body: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("POST", "/test/may-borrow", json: body))
    #expect(answer.status == 400)
    #expect(stage.library.requestCount == 0)
  }

  @Test("Everywhere else members that nobody knows are refused")
  func unknown_elsewhere_isRefused() throws {
    let body = #"{"token":"good","color":"red"}"#
    #expect(try RESTStage().send("POST", "/test/inspect", json: body)?.status == 400)
  }

  @Test("An error can be its text")
  func error_isText() throws {
    let answer = try #require(try RESTStage().send("POST", "/test/may-borrow", json: "{}"))
    #expect(answer.status == 400)
    #expect(answer.fields["content-type"] == "text/plain; charset=utf-8")
    #expect(answer.fields["cache-control"] == "no-store")
    #expect(answer.text == "who?")
    let foreign: HTTPFields = ["content-type": "text/plain"]
    let typed = try RESTStage().send("POST", "/test/may-borrow", foreign, body: #"{"key":"ada"}"#)
    #expect(typed?.status == 400)
    let body = #"{"key":"locked"}"#
    let locked = try #require(try RESTStage().send("POST", "/test/may-borrow", json: body))
    #expect(locked.status == 401)
    #expect(locked.fields["www-authenticate"] == "Bearer")
    #expect(locked.text == "who are you?")
  }

  @Test(
    "An error can have the code of a flag, and the flag",
    arguments: [
      ("nobody", "{}", 404, #"{"key":"nobody","errorCode":"FLAG_NOT_FOUND","errorDetails":"#),
      ("hidden", "{}", 400, #"{"key":"hidden","errorCode":"INVALID_CONTEXT""#),
      ("odd", "{}", 400, #"{"key":"odd","errorCode":"GENERAL","errorDetails":"odd"}"#),
      ("ada", "{", 400, #"{"key":"ada","errorCode":"PARSE_ERROR","errorDetails":"#),
      ("ada", #"{"place":{"id":1}}"#, 400, #"{"key":"ada","errorCode":"INVALID_CONTEXT""#),
      ("locked", "{}", 401, #"{"errorDetails":"who are you?"}"#),
      ("busy", "{}", 503, #"{"errorDetails":"busy"}"#),
    ]
  )
  func error_hasFlag(_ key: String, _ body: String, _ status: Int, _ text: String) throws {
    let answer = try #require(try RESTStage().send("POST", "/test/readers/\(key)", json: body))
    #expect(answer.status == status)
    #expect(answer.text.hasPrefix(text), "\(answer.text)")
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.fields["retry-after"] == (key == "busy" ? "2" : nil))
  }

  @Test(
    "Whoever has an answer with its tag already gets no second copy",
    arguments: [
      #""ada""#, #"W/"ada""#, #""x", "ada""#, #""x" , W/"ada" , "y""#,
    ]
  )
  func tag_known_isNotModified(_ known: String) throws {
    let fields: HTTPFields = ["content-type": "application/json", "if-none-match": known]
    let answer = try #require(try RESTStage().send("POST", "/test/readers/ada", fields, body: "{}"))
    #expect(answer.status == 304)
    #expect(answer.text.isEmpty && answer.isComplete)
    #expect(answer.fields["etag"] == #""ada""#)
    #expect(answer.fields["content-length"] == nil)
  }

  @Test(
    "Another tag, or what is none, gets the answer",
    arguments: [nil, #""ad""#, "ada", #"W/ada"#, "", "*"]
  )
  func tag_other_isAnswered(_ known: String?) throws {
    var fields = Self.json
    if let known { fields.append("if-none-match", known) }
    let answer = try #require(try RESTStage().send("POST", "/test/readers/ada", fields, body: "{}"))
    #expect(answer.status == 200)
    #expect(answer.text == #"{"active":true}"#)
    #expect(answer.fields["etag"] == #""ada""#)
  }

  @Test("An error is told again, whatever tag the client has")
  func tag_ofError_meansNothing() throws {
    let fields: HTTPFields = ["content-type": "application/json", "if-none-match": #""odd""#]
    let answer = try #require(try RESTStage().send("POST", "/test/readers/odd", fields, body: "{}"))
    #expect(answer.status == 400)
  }

  @Test("Answers and errors repeat what the client called its request")
  func requestID_isRepeated() throws {
    let stage = try RESTStage()
    var fields = Self.json
    fields.append("x-request-id", "r-1")
    for body in [#"{"key":"ada"}"#, "{}", "{"] {
      let answer = try #require(try stage.send("POST", "/test/may-borrow", fields, body: body))
      #expect(answer.fields.values("x-request-id") == ["r-1"], "\(body)")
    }
    let wrong = try #require(try stage.send("GET", "/test/may-borrow", ["x-request-id": "r-3"]))
    #expect(wrong.status == 405)
    #expect(wrong.fields["x-request-id"] == "r-3")
    #expect(try stage.send("GET", "/test/books")?.fields["x-request-id"] == nil)
    fields.append("x-request-id", "r-2")
    let twice = try #require(try stage.send("POST", "/test/may-borrow", fields, body: "{}"))
    #expect(twice.fields["x-request-id"] == nil)
  }
}
