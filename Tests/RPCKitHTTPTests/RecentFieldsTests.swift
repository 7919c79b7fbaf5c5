import RPCKitTesting
import StrictJSON
import Testing

@testable import RPCKit
@testable import RPCKitHTTP

/// Shortcuts for requests that repeat: none of them may change what a request means.
@Suite("Requests that repeat", .teardown) struct RecentFieldsTests {
  private static let first = "POST /a?b HTTP/1.1\nHost: a\nX-Name: one\nContent-Length: 2\n\n{}"

  @Test(
    "A request of HTTP/1.1 is read the same after another one",
    arguments: [
      first,
      "POST /a?b HTTP/1.1\nhost: a\nx-name:one\nX-OTHER: two\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nHost: a\nX-Name:  one\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nHost: a\nX-Name : one\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nHost: a\nX-Name: one\nX-Name: one\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nHost: a\nHost: a\nX-Name: one\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nX-Name: one\nHost: a\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.1\nHost: a\nX-Name: one\nContent-Length: 2\nContent-Length: 2\n\n{}",
      "POST /a?b HTTP/1.0\nHost: a\nX-Name: one\nContent-Length: 2\n\n{}",
      "GET /a?b HTTP/1.1\nHost: a\nX-Name: one\n\n", "TRACE /a?b HTTP/1.1\nHost: a\n\n",
      "POST /a?b HTTP/1.1\nX-Name: one\nContent-Length: 2\n\n{}",
    ]
  )
  func request_afterAnother_isReadTheSame(text: String) {
    let alone = HTTP1Input(text).whole
    let both = HTTP1Input(Self.first + text)
    let before = HTTP1Input(Self.first).whole
    #expect(both.whole == before + alone)
    #expect(both.isTheSameInPieces)
  }

  @Test("Fields count against the limits though they are known")
  func fields_ofSecondRequest_count() {
    var input = HTTP1Input(Self.first + Self.first)
    input.limits.fieldCountMax = 3
    #expect(input.rejection == nil)
    var longer = HTTP1Input(
      Self.first + Self.first.replacing("X-Name: one\n", with: "X-Name: one\nA: b\n")
    )
    longer.limits.fieldCountMax = 3
    #expect(longer.rejection?.status == 431)
  }

  @Test("A field is found by all its bytes alone, and what is kept is bounded")
  func fields_areFoundByTheirBytes() {
    var recent = RecentFields()
    let long = String(repeating: "v", count: RecentFields.byteCountMax)
    recent.note(.init(name: "a", value: "one"), at: 0)
    recent.note(.init(name: "b", value: long), at: 1)
    func value(_ name: String, _ value: String, at place: Int) -> String? {
      recent.field(at: place, name.utf8.span, value.utf8.span)?.value
    }
    #expect(value("a", "one", at: 0) == "one")
    #expect(value("a", "onE", at: 0) == nil && value("A", "one", at: 0) == nil)
    #expect(value("a", "one", at: 1) == nil && value("b", long, at: 1) == nil)
    recent.note(.init(name: "a", value: "two"), at: 0)
    #expect(value("a", "one", at: 0) == nil && value("a", "two", at: 0) == "two")
    // What was replaced no longer counts.
    for _ in 0..<RecentFields.byteCountMax { recent.note(.init(name: "a", value: "x"), at: 0) }
    #expect(value("a", "x", at: 0) == "x")
    let rest = String(repeating: "v", count: RecentFields.byteCountMax - 4)
    recent.note(.init(name: "bc", value: rest), at: 1)
    #expect(value("bc", rest, at: 1) == rest)
  }

  @Test("A request of HTTP/2 after another one has its own fields")
  func http2_afterAnother_hasItsOwn() throws {
    let block = HTTP2FieldBlock(streamID: 1, received: MonotonicInstant(nanoseconds: 0))
    for (name, value) in [
      (":method", "GET"), (":path", "/a"), ("host", "h"), ("x", "y"), (":authority", "b"),
    ] { block.take(.init(name: name, value: value)) }
    #expect(block.method == "GET" && block.path == "/a" && block.authority == "b")
    #expect(block.hosts == ["h"] && block.fields == ["x": "y"])
  }

  @Test("A route is found by its method and path, whatever was asked before")
  func route_afterAnother_isItsOwn() throws {
    let stage = try RESTStage()
    for _ in 0..<2 {
      let list = try #require(try stage.send("GET", "/test/shelves/s/books"))
      #expect(list["data", "books"]?.array?.count == 2)
      let wrong = try #require(try stage.send("DELETE", "/test/shelves/s/books/b"))
      #expect(wrong.status == 405)
      let book = try #require(try stage.send("GET", "/test/shelves/s/books/b"))
      #expect(book.status == 200 && book["data", "books"] == nil)
    }
  }

  @Test("A table of numbers holds what a dictionary would", arguments: 0..<20)
  func table_ofNumbers_isADictionary(seed: UInt64) {
    final class Thing {}
    var random = SplitMix64(seed: seed)
    var table = NumberTable<Thing>()
    var expected: [UInt32: Thing] = [:]
    for _ in 0..<2000 {
      let number = UInt32(truncatingIfNeeded: random.next() % 64) * 2 + 1
      if random.next().isMultiple(of: 2) {
        let thing = Thing()
        table.set(number, thing)
        expected[number] = thing
      } else {
        #expect(table.remove(number) === expected.removeValue(forKey: number))
      }
      #expect(table.count == expected.count && table.isEmpty == expected.isEmpty)
      #expect(table[number] === expected[number])
    }
    #expect(table.values.count == expected.count && table[0] == nil)
    #expect(expected.allSatisfy { table[$0.key] === $0.value })
  }
}
