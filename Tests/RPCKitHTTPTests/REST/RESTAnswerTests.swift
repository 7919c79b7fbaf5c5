import TestingContracts
import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Answers of methods called by HTTP with JSON", .teardown)
struct RESTAnswerTests {
  @Test(
    "Each code has its status and the envelope of errors",
    arguments: [
      ("missing", 404, "NOT_FOUND"), ("locked", 401, "UNAUTHENTICATED"),
      ("taken", 409, "ALREADY_EXISTS"),
      ("forbidden", 403, "PERMISSION_DENIED"), ("many", 429, "RESOURCE_EXHAUSTED"),
      ("busy", 503, "UNAVAILABLE"),
    ]
  )
  func error_hasStatusAndEnvelope(_ id: String, _ status: Int, _ code: String) throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books/\(id)"))
    #expect(answer.status == status)
    #expect(answer["status"] == "error")
    #expect(answer["message"]?.string?.isEmpty == false)
    #expect(answer["details", "code"] == .string(code))
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.isComplete)
  }

  @Test("When to try again is in a field, rounded up")
  func error_retryAfter() throws {
    let busy = try #require(try RESTStage().send("GET", "/test/books/busy"))
    #expect(busy.fields["retry-after"] == "2" && busy.fields["ratelimit"] == nil)
    #expect(try RESTStage().send("GET", "/test/books/many")?.fields["retry-after"] == nil)
  }

  @Test("A limit is named beside it, however long it lasts")
  func error_rateLimit() throws {
    let daily = try #require(try RESTStage().send("GET", "/test/books/daily"))
    #expect(daily.status == 429)
    #expect(daily.fields["retry-after"] == "86400")
    #expect(daily.fields["ratelimit"] == #""OVERLOADED";r=0;t=86400"#)
  }

  @Test("401 says how to prove who one is, and what was wrong with the proof")
  func error_challenge() throws {
    let stage = try RESTStage()
    let without = try #require(try stage.send("GET", "/test/books/locked"))
    #expect(without.fields["www-authenticate"] == "Bearer")
    let with = try #require(
      try stage.send("GET", "/test/books/locked", ["authorization": "Bearer x"])
    )
    #expect(with.fields["www-authenticate"] == #"Bearer error="invalid_token""#)
  }

  @Test(
    "Error details distinguish an insufficient proof from a wrong one",
    arguments: [
      (["acr_values": "mfa phr"], true), (["max_age_seconds": "300"], true),
      (["action": "book.lend"], true), (["token": "expired"], false), ([:], false),
    ]
  )
  func error_challengeForMore(metadata: [String: String], isForMore: Bool) {
    let info = Google_Rpc.ErrorInfo(reason: "ANY", domain: "test", metadata: metadata)
    var error = RPCError(.unauthenticated, "prove more")
    error.details.append(
      RPCError.Detail(
        typeURL: "type.googleapis.com/google.rpc.ErrorInfo",
        value: info.protobufBytes
      )
    )
    let code = isForMore ? "insufficient_user_authentication" : "invalid_token"
    #expect(error.challenge(hadCredentials: true) == #"Bearer error="\#(code)""#)
    #expect(error.challenge(hadCredentials: false) == "Bearer")
  }

  @Test("A rule of the contract that is broken names the field as JSON does")
  func error_fieldViolation() throws {
    let stage = try RESTStage()
    let long = String(repeating: "a", count: 65)
    let answer = try #require(try stage.send("GET", "/test/books?shelfId=\(long)&limit=1001"))
    #expect(answer.status == 400)
    let violations = answer["details", "fieldViolations"]?.array ?? []
    #expect(violations.map { $0.object?["field"] } == ["shelfId", "limit"])
    #expect(answer["message"] == "shelfId: must have at most 64 bytes (and 1 more)")
  }

  @Test("Fields of the request are metadata of the call")
  func metadata_isPassed() throws {
    let stage = try RESTStage()
    let fields: HTTPFields = [
      "authorization": "Bearer t", "x-request-id": "r-1",
      "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "accept": "application/json", "content-length": "0",
    ]
    _ = try stage.send("GET", "/test/books", fields)
    let metadata = stage.library.lastMetadata
    #expect(metadata["authorization"] == "Bearer t")
    #expect(metadata["x-request-id"] == "r-1")
    #expect(metadata["traceparent"]?.hasPrefix("00-0af7") == true)
    #expect(metadata["accept"] == nil)
    #expect(metadata["content-length"] == nil)
  }

  @Test("Browsers are told not to guess types, whatever the answer")
  func answers_areNotSniffed() throws {
    let stage = try RESTStage()
    for (method, path) in [("GET", "/test/books"), ("DELETE", "/test/books"), ("GET", "/test/%zz")]
    {
      let answer = try #require(try stage.send(method, path))
      #expect(answer.fields["x-content-type-options"] == "nosniff", "\(method) \(path)")
    }
  }

  @Test("Too many fields are 431 and RESOURCE_EXHAUSTED")
  func fields_tooMany() throws {
    let stage = try RESTStage()
    var fields = HTTPFields()
    for index in 0..<20 { fields.append("x-\(index)", String(repeating: "v", count: 1000)) }
    let answer = try #require(try stage.send("GET", "/test/books", fields))
    #expect(answer.status == 431)
    #expect(answer["details", "code"] == "RESOURCE_EXHAUSTED")
    #expect(answer["details", "reason"] == "METADATA_TOO_LARGE")
    #expect(stage.library.requestCount == 0)
  }

  @Test("The header idempotency-key is the field, and nothing else beside it")
  func idempotencyKey_isField() throws {
    let stage = try RESTStage()
    let path = "/test/shelves/s:shelve"
    let fields: HTTPFields = ["content-type": "application/json", "idempotency-key": "k1"]
    #expect(try stage.send("POST", path, fields, body: "{}")?.status == 201)
    #expect(
      stage.library.lastRequest(Testing_V1.CreateBookRequest.self)?.idempotencyKey == "k1"
    )
    let same = #"{"idempotency_key":"k1"}"#
    #expect(try stage.send("POST", path, fields, body: same)?.status == 201)
    let other = #"{"idempotencyKey":"k2"}"#
    let answer = try #require(try stage.send("POST", path, fields, body: other))
    #expect(answer.status == 400)
    #expect(answer.field == "idempotencyKey")
  }

  @Test("A stream is a line a message, and its last line says how it ended")
  func stream_endsExplicitly() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books:watch"))
    #expect(answer.status == 200)
    let lines = answer.text.split(separator: "\n").map { Array($0.utf8) }
    #expect(answer.text.hasSuffix("\n"))
    let values = try lines.map { try JSONReader.read($0, limits: JSONLimits(byteCountMax: 4096)) }
    #expect(values.count == 3)
    #expect(values.first?.object?["data"]?.object?["id"] == "b1")
    #expect(values.last == ["status": "success"])
    #expect(answer.isComplete)
  }

  @Test("A stream that fails says so in its last line, after what was sent")
  func stream_fails_inLastLine() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books:watch?sortBy=broken"))
    #expect(answer.status == 200)
    let lines = answer.text.split(separator: "\n").map { Array($0.utf8) }
    let last = try JSONReader.read(
      try #require(lines.last),
      limits: JSONLimits(byteCountMax: 4096)
    )
    #expect(lines.count == 2)
    #expect(last.object?["status"] == "error")
    #expect(last.object?["details"]?.object?["code"] == "UNAVAILABLE")
    #expect(answer.isComplete)
  }

  @Test("A stream that fails before its first message is refused by its status")
  func stream_failsFirst_hasStatus() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books:watch?sortBy=refused"))
    #expect(answer.status == 403)
    #expect(answer["status"] == "error")
  }
}
