import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Answers that are the text of a field", .teardown)
struct RESTRawTests {
  @Test("The texts of all messages are the content, with the type that the first one has")
  func answer_isText() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books/b1/text"))
    #expect(answer.status == 200)
    #expect(answer.fields["content-type"] == "text/csv; charset=utf-8")
    #expect(answer.text == "Call me Ishmael.\n")
    #expect(answer.isComplete && !answer.isBrokenOff)
  }

  @Test("A type that no header field can have is not sent")
  func type_odd_isUnknown() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books/odd/text"))
    #expect(answer.fields["content-type"] == "application/octet-stream")
  }

  @Test("An error before the first message is answered as for every other method")
  func error_first_isEnvelope() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books/missing/text"))
    #expect(answer.status == 404 && answer["status"] == "error")
    #expect(answer.fields["content-type"] == "application/json")
  }

  @Test("An error after it breaks the answer off: nothing is added, and it has no end")
  func error_later_breaksOff() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books/broken/text"))
    #expect(answer.status == 200 && answer.text == "Call me ")
    #expect(answer.isBrokenOff && !answer.isComplete)
  }
}
