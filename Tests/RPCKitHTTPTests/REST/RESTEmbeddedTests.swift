import RPCKit
import Reflection
import StrictJSON
import Testing
import TestingContracts

@testable import RPCKitHTTP

@Suite("JSON in strings of a contract", .teardown)
struct RESTEmbeddedTests {
  private static let path = "/test/shelves/s/books"

  @Test(
    "A value is taken as its text, and a string as the text itself",
    arguments: [
      (#"{"b": [1, 2.50, "x"], "a": null}"#, #"{"b":[1,2.50,"x"],"a":null}"#),
      (#"["é", true]"#, #"["é",true]"#),
      ("12345678901234567890", "12345678901234567890"),
      (#""{\"a\": 1}""#, #"{"a": 1}"#), (#""no JSON""#, "no JSON"), ("null", ""),
    ]
  )
  func request_value_isText(_ value: String, _ text: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("POST", Self.path, json: #"{"notes":\#(value)}"#))
    #expect(answer.status == 201, "\(answer.text)")
    let book = stage.library.lastRequest(Testing_V1.CreateBookRequest.self)?.book
    #expect(book?.notes == text)
  }

  @Test(
    "An answer has the value; text that is no JSON stays a string, and no text is left out",
    arguments: [
      (#"{"a":[1,2.50],"b":{"c":null}}"#, #"{"a":[1,2.50],"b":{"c":null}}"#), ("5", "5"),
      (#""text""#, #""text""#), ("{", #""{""#), (#"{"a":1,"a":2}"#, #""{\"a\":1,\"a\":2}""#),
      ("", nil),
    ] as [(String, String?)]
  )
  func answer_text_isValue(_ text: String, _ value: String?) throws {
    let body = JSONValue.object(["notes": .string(text)]).text
    let answer = try #require(try RESTStage().send("POST", Self.path, json: body))
    #expect(answer["data", "notes"]?.text == value)
  }

  @Test("A value whose text is too long names the field")
  func request_tooLong_namesField() throws {
    let notes = String(repeating: "a", count: 4096)
    let answer = try #require(
      try RESTStage().send("POST", Self.path, json: #"{"notes":["\#(notes)"]}"#)
    )
    #expect(answer.status == 400 && answer.field?.hasSuffix("notes") == true)
  }
}
