import TestingContracts
import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Paths of requests", .teardown)
struct RESTPathTests {
  @Test(
    "A segment is decoded once, an escaped slash included",
    arguments: [
      ("a", "a"), ("a%2Fb", "a/b"), ("a%2fb", "a/b"), ("%252F", "%2F"), ("a:b", "a:b"),
      ("a%20b", "a b"),
      ("%C3%BC", "ü"), ("a+b", "a+b"), ("...", "..."), ("a%3Ab", "a:b"),
    ]
  )
  func segment_isDecodedOnce(_ raw: String, _ id: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/books/\(raw)"))
    #expect(answer.status == 200)
    #expect(stage.library.lastRequest(Testing_V1.GetBookRequest.self)?.bookId == id)
  }

  @Test(
    "Several segments keep their escaped slashes",
    arguments: [
      ("names/shelves/a%2Fb/books/c%20d", "shelves/a%2Fb/books/c d"),
      ("names/shelves/a/books/b%2fc", "shelves/a/books/b%2fc"),
      ("files/a/b/c", "a/b/c"), ("files/a%252Fb/c", "a%2Fb/c"), ("files", ""),
      ("files/x:y/z:w", "x:y/z:w"),
    ]
  )
  func segments_keepEscapedSlashes(_ path: String, _ name: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/\(path)"))
    #expect(answer["data", "name"] == .string(name))
  }

  @Test(
    "What can be read in two ways is refused",
    arguments: [
      "/test/books/%zz", "/test/books/%2", "/test/books/%", "/test/books/%00", "/test/books/%FF",
      "/test/books/..", "/test/books/.", "/test/books/%2e%2E", "/test/../test/books/a",
      "/test/files/../x",
    ]
  )
  func path_doubtful_isRefused(_ path: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", path))
    #expect(answer.status == 400)
    #expect(answer["status"] == "error")
    #expect(stage.library.requestCount == 0)
  }

  @Test(
    "A path with a slash too many is another path",
    arguments: [
      "/test/books/a/", "/test/books/a//", "/test//books/a", "//test/books/a", "/test/files/a//b",
      "/test/files/", "/test/books/", "/", "/test", "/other",
    ]
  )
  func path_slashTooMany_isNoRoute(_ path: String) throws {
    #expect(try RESTStage().send("GET", path) == nil)
  }

  @Test("A verb counts only where a template names it")
  func verb_isOfItsTemplate() throws {
    let stage = try RESTStage()
    let watched = try #require(try stage.send("GET", "/test/books:watch"))
    #expect(watched.fields["content-type"] == "application/x-ndjson")
    let shouted = try #require(try stage.send("GET", "/test/names/a:b:shout"))
    #expect(shouted["data", "name"] == "a:b")
    let plain = try #require(try stage.send("GET", "/test/books/a:watch"))
    #expect(plain["data", "id"] == "a:watch")
  }

  @Test("Text goes before a variable, whichever was added first")
  func literal_goesBeforeVariable() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/shelves/s/books"))
    #expect(answer["data", "books"]?.array?.count == 2)
  }

  @Test("Another method is refused with those there are")
  func method_other_isRefused() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("DELETE", "/test/shelves/s/books/b"))
    #expect(answer.status == 405)
    #expect(answer.fields["allow"] == "GET, PATCH, PUT, HEAD")
    #expect(answer["status"] == "error")
    #expect(try stage.send("POST", "/test/inspected") == nil)
  }

  @Test("HEAD is GET without its content")
  func head_hasNoContent() throws {
    let stage = try RESTStage()
    let get = try #require(try stage.send("GET", "/test/books/a"))
    let head = try #require(try stage.send("HEAD", "/test/books/a"))
    #expect(head.status == 200)
    #expect(head.text.isEmpty)
    #expect(head.isComplete)
    #expect(head.fields == get.fields)
  }
}
