import TestingContracts
import RPCKit
import StrictJSON
import Testing

@testable import RPCKitHTTP

@Suite("Queries of requests", .teardown)
struct RESTQueryTests {
  private typealias Request = Testing_V1.ListBooksRequest

  @Test("Fields have both names, and lists are repeated keys")
  func query_setsFields() throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send(
        "GET",
        "/test/books?shelfId=s%2F1&tags=a+b&tags=c%2Bd&author.given_name=Ada&author.id=7"
          + "&pageSize=5&sort_by=-title&larger_than=9007199254740993&binding=BINDING_CLOTH"
          + "&after=2026-11-22T08:00:00Z&shorterThan=1.5s"
      )
    )
    #expect(answer.status == 200, "\(answer.text)")
    let request = try #require(stage.library.lastRequest(Request.self))
    #expect(request.shelfId == "s/1")
    #expect(request.tags == ["a b", "c+d"])
    #expect(request.author?.givenName == "Ada")
    #expect(request.author?.id == "7")
    #expect(request.pageSize == 5)
    #expect(request.sortBy == "-title")
    #expect(request.largerThan == 9_007_199_254_740_993)
    #expect(request.binding == .cloth)
    #expect(request.after?.seconds == 1_795_334_400)
    #expect(request.shorterThan?.nanos == 500_000_000)
  }

  @Test("An enum has a name and a number")
  func query_enum_byNumber() throws {
    let stage = try RESTStage()
    #expect(try stage.send("GET", "/test/books?binding=1")?.status == 200)
    #expect(stage.library.lastRequest(Request.self)?.binding == .paper)
  }

  @Test("An empty query says nothing", arguments: ["", "&", "&&"])
  func query_empty_saysNothing(_ query: String) throws {
    let stage = try RESTStage()
    #expect(try stage.send("GET", "/test/books?\(query)")?.status == 200)
    #expect(stage.library.lastRequest(Request.self) == Request())
  }

  @Test(
    "What is wrong is named",
    arguments: [
      ("/test/books/a?book_id=b", "bookId"), ("/test/books/a?bookId=a", "bookId"),
      ("/test/books?colour=red", "colour"), ("/test/books?author=1", "author"),
      ("/test/books?author.colour=1", "author.colour"), ("/test/books?author..id=1", "author..id"),
      ("/test/books?flag", "flag"), ("/test/books?shelf_id=a&shelfId=a", "shelfId"),
      ("/test/books?pageSize=x", "pageSize"), ("/test/books?pageSize=-1", "pageSize"),
      ("/test/books?limit=1&pageSize=1", "pageSize"), ("/test/books?page=99999999999", "page"),
      ("/test/books?limit=abc", "limit"), ("/test/books?limit=1001", "limit"),
      ("/test/books?binding=red", "binding"), ("/test/books?binding=BINDING_cloth", "binding"),
      ("/test/books?after=yesterday", "after"), ("/test/books?shorterThan=1h30m", "shorterThan"),
      ("/test/books/a?withAuthor=1", "withAuthor"), ("/test/books/a?withAuthor=TRUE", "withAuthor"),
    ]
  )
  func query_wrong_isNamed(_ target: String, _ field: String) throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", target))
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.field == field, "\(answer.text)")
    #expect(answer["details", "code"] == "INVALID_ARGUMENT")
    #expect(stage.library.requestCount == 0)
  }

  @Test("What is no query is refused", arguments: ["a=%zz", "a=%00", "a=%FF", "%zz=a", "a=%2"])
  func query_undecodable_isRefused(_ query: String) throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books?\(query)"))
    #expect(answer.status == 400)
  }

  @Test("There is a largest number of keys")
  func query_manyKeys_isRefused() throws {
    let stage = try RESTStage()
    let tags = Array(repeating: "tags=a", count: RESTQuery.pairCountMax + 1).joined(separator: "&")
    let answer = try #require(try stage.send("GET", "/test/books?\(tags)"))
    #expect(answer.status == 400)
    #expect(answer["message"] == "query has more than 256 keys; send fewer")
  }

  @Test("A query says nothing when all fields are in the body")
  func query_besideBody_isRefused() throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send("PUT", "/test/shelves/s/books/b?title=x", json: "{}")
    )
    #expect(answer.status == 400)
    #expect(answer.field == "title")
  }

  @Test("A field of the body is not in the query, what is beside it is")
  func query_besideBodyField() throws {
    let stage = try RESTStage()
    let path = "/test/shelves/s/books"
    #expect(try stage.send("POST", "\(path)?book.id=1", json: "{}")?.field == "book.id")
    let answer = try #require(try stage.send("POST", "\(path)?idempotencyKey=k", json: "{}"))
    #expect(answer.status == 201)
    #expect(
      stage.library.lastRequest(Testing_V1.CreateBookRequest.self)?.idempotencyKey == "k"
    )
  }

  @Test("Keys that programs in front add mean nothing when they are named")
  func query_ignoredKeys() throws {
    let stage = try RESTStage(ignoredKeys: ["utm_source"])
    #expect(try stage.send("GET", "/test/books?utm_source=a&utm_source=b")?.status == 200)
    #expect(
      try stage.send("PUT", "/test/shelves/s/books/b?utm_source=a", json: "{}")?.status == 200
    )
    #expect(try stage.send("GET", "/test/books?utm_medium=a")?.status == 400)
  }

  @Test("limit is the size of a page, and pagination says what came of it")
  func paging_byNumber() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/books?page=2&limit=10&sortBy=title"))
    let request = try #require(stage.library.lastRequest(Request.self))
    #expect(request.pageSize == 10)
    #expect(request.page == 2)
    #expect(request.sortBy == "title")
    #expect(
      answer["data", "pagination"] == [
        "pageSize": 10, "currentPage": 2, "totalItems": 42, "totalPages": 5,
        "nextPageToken": "next",
      ]
    )
    #expect(answer["data", "nextPageToken"] == "next")
  }

  @Test("Without a size there is the standard one, and behind a token no number of a page")
  func paging_byToken() throws {
    let stage = try RESTStage()
    let first = try #require(try stage.send("GET", "/test/books"))
    #expect(
      first["data", "pagination"] == [
        "pageSize": 50, "currentPage": 1, "totalItems": 42, "totalPages": 1,
        "nextPageToken": "next",
      ]
    )
    let sized = try #require(try stage.send("GET", "/test/books?pageToken=t&limit=10"))
    #expect(
      sized["data", "pagination"] == [
        "pageSize": 10, "totalItems": 42, "totalPages": 5, "nextPageToken": "next",
      ]
    )
    // A token alone goes on with pages of a size that only the service knows.
    let alone = try #require(try stage.send("GET", "/test/books?pageToken=t"))
    #expect(alone["data", "pagination"] == ["totalItems": 42, "nextPageToken": "next"])
  }

  @Test("A list that is not counted has neither items nor pages in total")
  func paging_uncounted() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/books?shelfId=uncounted"))
    #expect(
      answer["data", "pagination"] == [
        "pageSize": 50, "currentPage": 1, "nextPageToken": "next",
      ]
    )
    #expect(answer["data", "totalSize"] == nil)
  }

  @Test("One field may be the whole answer")
  func responseBody_isOneField() throws {
    let answer = try #require(try RESTStage().send("GET", "/test/titles"))
    #expect(answer["data"]?.array?.count == 2)
  }
}
