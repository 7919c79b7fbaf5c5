import TestingContracts
import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Bodies of requests", .teardown)
struct RESTBodyTests {
  private static let path = "/test/shelves/s/books"

  @Test("JSON becomes a message: names, numbers, bytes, instants, null")
  func body_becomesMessage() throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send(
        "POST",
        Self.path,
        json: """
          {"id":"b","page_count":"12","byteCount":9007199254740993,"binding":2,"author":null,
           "publishedAt":"2026-11-22T09:00:00+01:00","readingTime":"90s","cover":"-_8","available":true,
           "progress":0}
          """
      )
    )
    #expect(answer.status == 201, "\(answer.text)")
    let book = try #require(
      stage.library.lastRequest(Testing_V1.CreateBookRequest.self)?.book
    )
    #expect(book.pageCount == 12)
    #expect(book.byteCount == 9_007_199_254_740_993)
    #expect(book.binding == .cloth)
    #expect(book.author == nil)
    #expect(book.publishedAt?.seconds == 1_795_334_400)
    #expect(book.cover == [0xFB, 0xFF])
    #expect(book.progress == 0)
  }

  @Test("The answer has defaults, 64-bit numbers as text, and the names of JSON")
  func answer_hasDefaults() throws {
    let half = try #require(JSONNumber(0.5))
    let answer = try #require(
      try RESTStage().send("POST", Self.path, json: #"{"byteCount":"5","progress":0.5}"#)
    )
    #expect(
      answer["data"] == [
        "id": "", "shelfId": "", "title": "", "pageCount": 0, "byteCount": "5",
        "binding": "BINDING_UNSPECIFIED", "tags": [], "cover": "", "available": false,
        "progress": .number(half), "tagsCut": false,
      ]
    )
    #expect(answer["status"] == "success")
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.fields["cache-control"] == "no-store")
    #expect(answer.fields["content-length"] == String(answer.text.utf8.count))
  }

  @Test(
    "What is wrong is named",
    arguments: [
      (#"{"colour":1}"#, "colour"), (#"{"author":{"colour":1}}"#, "author.colour"),
      (#"{"title":1}"#, "title"), (#"{"tags":"a"}"#, "tags"), (#"{"tags":["a",1]}"#, "tags[1]"),
      (#"{"pageCount":-1}"#, "pageCount"), (#"{"pageCount":1.5}"#, "pageCount"),
      (#"{"pageCount":4294967296}"#, "pageCount"), (#"{"available":"true"}"#, "available"),
      (#"{"binding":"LEATHER"}"#, "binding"), (#"{"cover":"?"}"#, "cover"),
      (#"{"publishedAt":"now"}"#, "publishedAt"), (#"{"author":[]}"#, "author"),
      (#"{"pageCount":1,"page_count":1}"#, "pageCount"), (#"{"Title":"a"}"#, "Title"),
    ]
  )
  func body_wrong_isNamed(_ body: String, _ field: String) throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send("POST", "/test/shelves/s:shelve", json: #"{"book":\#(body)}"#)
    )
    #expect(answer.status == 400)
    #expect(answer.field == "book.\(field)", "\(answer.text)")
    #expect(answer["details", "reason"] == "FIELD_VIOLATIONS")
    #expect(stage.library.requestCount == 0)
  }

  @Test(
    "What is no strict JSON is refused",
    arguments: [
      "{", "[]", "null", "1", #"{"title":"a","title":"b"}"#, #"{"title":"\ud800"}"#, "{} {}",
      "{'a':1}",
      #"{"title":"\#u{1}"}"#, #"{"title":NaN}"#, #"{"tags":["a",]}"#,
      String(repeating: #"{"author":"#, count: 101), String(repeating: "[", count: 5000),
    ]
  )
  func body_notJSON_isRefused(_ body: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("PUT", "/test/shelves/s/books/b", json: body))
    #expect(answer.status == 400, "\(answer.text)")
    #expect(stage.library.requestCount == 0)
  }

  @Test("A body of ten megabytes is refused before it is read")
  func body_large_isRefused() throws {
    let stage = try RESTStage()
    let fields: HTTPFields = ["content-type": "application/json"]
    let body = Array(repeating: UInt8(ascii: " "), count: 10_000_000)
    let id = try #require(try stage.begin("POST", Self.path, fields, body: body))
    #expect(stage.answer(to: id).status == 413)
    var announced = fields
    announced.append("content-length", "10000000")
    #expect(try stage.send("POST", Self.path, announced)?.status == 413)
    #expect(stage.library.requestCount == 0)
  }

  @Test(
    "Only JSON is read as JSON",
    arguments: [
      "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "json",
      "application/json; charset=iso-8859-1", "",
    ]
  )
  func type_other_isRefused(_ type: String) throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send("POST", Self.path, ["content-type": type], body: "{}")
    )
    #expect(answer.status == 415)
    #expect(answer.fields["accept"] == "application/json")
    #expect(stage.library.requestCount == 0)
  }

  @Test("A body that does not say its type is not taken for JSON")
  func type_missing_isRefused() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("POST", Self.path, [:], body: "{}"))
    #expect(answer.status == 415)
    #expect(answer.fields["accept"] == "application/json")
    #expect(answer["message"]?.string?.contains("content-type") == true)
    #expect(stage.library.requestCount == 0)
  }

  @Test("UTF-8 may be said, and nothing needs no type")
  func type_ofJSON_isAccepted() throws {
    let stage = try RESTStage()
    let utf8: HTTPFields = ["content-type": "Application/JSON; charset=UTF-8"]
    #expect(try stage.send("POST", Self.path, utf8, body: "{}")?.status == 201)
    #expect(try stage.send("POST", Self.path)?.status == 201)
  }

  @Test("A body may be compressed, and the handler sees that", arguments: ["gzip", "deflate"])
  func coding_isUndone(coding: String) throws {
    let stage = try RESTStage()
    let json = #"{"title":"Atlas"}"#
    let fields: HTTPFields = ["content-type": "application/json", "content-encoding": coding]
    let bytes = compressed(Array(json.utf8), coding)
    let answer = try #require(try stage.send("POST", Self.path, fields, bytes: bytes))
    let plain = try #require(try RESTStage().send("POST", Self.path, json: json))
    #expect(answer.status == 201)
    #expect(answer.text == plain.text)
    #expect(stage.library.lastWasCompressed)
    #expect(try stage.send("POST", Self.path, json: json)?.status == 201)
    #expect(!stage.library.lastWasCompressed)
  }

  @Test("A coding that is not known is refused")
  func coding_unknown_isRefused() throws {
    let fields: HTTPFields = ["content-type": "application/json", "content-encoding": "br"]
    #expect(try RESTStage().send("POST", Self.path, fields, body: "{}")?.status == 415)
  }

  @Test("A request without a body has none")
  func body_ofGet_isRefused() throws {
    let stage = try RESTStage()
    #expect(try stage.send("GET", "/test/books", json: "{}")?.status == 400)
    #expect(stage.library.requestCount == 0)
  }

  @Test("A field of the path may be in the body, but not another value of it")
  func body_fieldOfPath() throws {
    let stage = try RESTStage()
    let path = "/test/shelves/s/books/b"
    #expect(try stage.send("PUT", path, json: #"{"shelfId":"s","book_id":"b"}"#)?.status == 200)
    #expect(try stage.send("PUT", path, json: #"{"bookId":null}"#)?.status == 200)
    let answer = try #require(try stage.send("PUT", path, json: #"{"book_id":"c"}"#))
    #expect(answer.status == 400)
    #expect(answer.field == "bookId")
    #expect(stage.library.lastRequest(Testing_V1.UpdateBookRequest.self)?.bookId == "b")
  }

  @Test("Members that only the answer has are what the client has read, and errors name them alike")
  func body_membersOfTheAnswer_areCurrent() throws {
    let stage = try RESTStage()
    let path = "/test/shelves/s/books/b"
    let body = #"{"id":"b","title":"T","page_count":3,"shelfId":"s","tags":[],"progress":null}"#
    #expect(try stage.send("PUT", path, json: body)?.status == 200)
    let request = try #require(stage.library.lastRequest(Testing_V1.UpdateBookRequest.self))
    #expect(request.current == .init(id: "b", pageCount: 3))
    #expect(request.updateMask?.paths == ["title", "tags"])
    #expect(request.title == "T" && request.shelfId == "s")
    // As a whole, and with more of it.
    let whole = #"{"current":{"id":"b","title":"T"},"pageCount":3}"#
    #expect(try stage.send("PUT", path, json: whole)?.status == 200)
    let second = try #require(stage.library.lastRequest(Testing_V1.UpdateBookRequest.self))
    #expect(second.current == .init(id: "b", title: "T", pageCount: 3))
    #expect(second.title == "" && second.updateMask?.paths == [])
    for (body, field) in [
      (#"{"pageCount":-1}"#, "pageCount"), (#"{"current":{"pageCount":-1}}"#, "pageCount"),
      (#"{"publishedAt":"now"}"#, "publishedAt"), (#"{"colour":1}"#, "colour"),
      (#"{"id":"b","current":{"id":"b"}}"#, "id"), (#"{"id":"b","current":1}"#, "current"),
    ] {
      let answer = try #require(try stage.send("PUT", path, json: body))
      #expect(answer.status == 400, "\(body)")
      #expect(answer.field == field, "\(answer.text)")
    }
  }

  @Test("A list that a flag says is left out is absent, and is empty without it")
  func answer_leavesOut_whatIsCut() throws {
    let stage = try RESTStage()
    let cut = try #require(try stage.send("POST", Self.path, json: #"{"tagsCut":true}"#))
    #expect(cut["data", "tags"] == nil)
    #expect(cut["data", "tagsCut"] == true)
    let whole = try #require(try stage.send("POST", Self.path, json: "{}"))
    #expect(whole["data", "tags"] == [])
  }

  private static func update(
    _ method: String,
    _ body: String,
    _ stage: RESTStage
  ) throws -> Testing_V1.UpdateBookRequest? {
    let answer = try stage.send(method, "/test/shelves/s/books/b", json: body)
    #expect(answer?.status == 200, "\(body)")
    return stage.library.lastRequest(Testing_V1.UpdateBookRequest.self)
  }

  @Test(
    "A body without a mask changes what it has, and whole lists and messages",
    arguments: [
      "PUT", "PATCH",
    ]
  )
  func mask_isMadeOfBody(_ method: String) throws {
    let stage = try RESTStage()
    func mask(_ body: String) throws -> [String]? {
      try Self.update(method, body, stage)?.updateMask?.paths
    }
    let author = method == "PUT" ? "author" : "author.given_name"
    #expect(
      try mask(#"{"bookId":"b","tags":[],"author":{"givenName":"Ada"}}"#) == ["tags", author]
    )
    #expect(try mask(#"{"author":null}"#) == ["author"])
    #expect(try mask("{}") == [])
    #expect(try mask(#"{"title":"a","updateMask":"tags"}"#) == ["tags"])
  }

  @Test("PATCH merges objects: it changes the members that they have")
  func patch_ofAnObject_merges() throws {
    let stage = try RESTStage()
    func patch(_ body: String) throws -> Testing_V1.UpdateBookRequest? {
      try Self.update("PATCH", body, stage)
    }
    let removed = try patch(#"{"author":{"given_name":null,"id":"a"}}"#)
    #expect(removed?.updateMask?.paths == ["author.given_name", "author.id"])
    #expect(removed?.author == Testing_V1.Author(id: "a"))
    // An empty object changes nothing, and is not taken for all that is given.
    let empty = try patch(#"{"author":{}}"#)
    #expect(empty?.updateMask?.paths == [] && empty?.author == nil)
    let path = "/test/shelves/s/books/b"
    let unknown = try #require(try stage.send("PATCH", path, json: #"{"author":{"age":1}}"#))
    #expect(unknown.status == 400)
    #expect(unknown.field == "author.age")
  }

  @Test("A field has its name and those that the contract adds, and the mask has the contract's")
  func field_ofSeveralNames_isRead() throws {
    let stage = try RESTStage()
    for name in ["readers", "lent_to_ids", "lentToIds", "borrowers"] {
      let request = try Self.update("PUT", #"{"\#(name)":["a"]}"#, stage)
      #expect(request?.lentToIds == ["a"], "\(name)")
      #expect(request?.updateMask?.paths == ["lent_to_ids"], "\(name)")
      let masked = try Self.update("PUT", #"{"title":"T","updateMask":"title,\#(name)"}"#, stage)
      #expect(masked?.updateMask?.paths == ["title", "lent_to_ids"], "\(name)")
    }
    let twice = try stage.send(
      "PUT",
      "/test/shelves/s/books/b",
      json: #"{"readers":["a"],"borrowers":["a"]}"#
    )
    #expect(twice?.status == 400 && twice?.field == "readers")
    let long = try stage.send(
      "PUT",
      "/test/shelves/s/books/b",
      json: #"{"borrowers":["\#(String(repeating: "a", count: 65))"]}"#
    )
    #expect(long?.status == 400 && long?.field == "readers[0]")
  }

  @Test("A form is read where the contract has one, and then the answer is bare")
  func form_isRead() throws {
    let stage = try RESTStage()
    let fields: HTTPFields = ["content-type": "application/x-www-form-urlencoded"]
    let answer = try #require(
      try stage.send("POST", "/test/inspect", fields, body: "token=good&token_type_hint=a+b")
    )
    #expect(answer.status == 200)
    #expect(answer.text == #"{"active":true}"#)
    #expect(answer.fields["cache-control"] == "max-age=60")
    let request = stage.library.lastRequest(Testing_V1.InspectRequest.self)
    #expect(request?.tokenTypeHint == "a b")
    let twice = try stage.send("POST", "/test/inspect", fields, body: "token=a&token=b")
    #expect(twice?.status == 400)
    let bad = try #require(try stage.send("POST", "/test/inspect", fields, body: "token=bad"))
    #expect(bad.status == 400)
    #expect(bad.text == #"{"error":"invalid_request","error_description":"bad"}"#)
    #expect(bad.fields["cache-control"] == "no-store")
  }
}
