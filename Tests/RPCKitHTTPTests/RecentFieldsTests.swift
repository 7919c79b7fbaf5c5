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
    func has(_ name: String, _ value: String, at place: Int) -> Bool {
      recent.has(at: place, name.utf8.span, value.utf8.span)
    }
    #expect(has("a", "one", at: 0))
    #expect(!has("a", "onE", at: 0) && !has("A", "one", at: 0) && !has("ao", "ne", at: 0))
    #expect(!has("a", "one", at: 1) && !has("b", long, at: 1))
    recent.note(.init(name: "a", value: "two"), at: 0)
    #expect(!has("a", "one", at: 0) && has("a", "two", at: 0))
    // What was replaced no longer counts.
    for _ in 0..<RecentFields.byteCountMax { recent.note(.init(name: "a", value: "x"), at: 0) }
    #expect(has("a", "x", at: 0))
    let rest = String(repeating: "v", count: RecentFields.byteCountMax - 4)
    recent.note(.init(name: "bc", value: rest), at: 1)
    #expect(has("bc", rest, at: 1))
    recent.note(.init(name: "abc", value: ""), at: 0)
    #expect(recent.fields == [HTTPFields.Field(name: "abc", value: "")])
  }

  @Test("What is kept is that of the fields that were noted last", arguments: 0..<50)
  func fields_inAnyOrder_areThoseNoted(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var recent = RecentFields()
    var expected: [HTTPFields.Field] = []
    for _ in 0..<200 {
      let length = Int(random.next() % (random.next().isMultiple(of: 8) ? 700 : 12))
      let field = HTTPFields.Field(
        name: ["a", "bb", "ccc"][Int(random.next() % 3)],
        value: String(repeating: "v", count: length)
      )
      let place = Int(random.next() % UInt64(expected.count + 1))
      let line = Array("\(field.name.uppercased()):\(field.value) ".utf8)
      let isLine = seed.isMultiple(of: 2)
      if isLine {
        recent.note(field, at: place, line: line.span)
      } else {
        recent.note(field, at: place)
      }
      if place < expected.count { expected[place] = field } else { expected.append(field) }
      func isTooMuch() -> Bool {
        RecentFields.byteCountMax
          < expected.reduce(0) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + (isLine ? 2 : 0)
          }
      }
      if isTooMuch() { expected.removeLast(expected.count - place - 1) }
      if isTooMuch() || place >= 32 { expected.removeLast(expected.count - place) }
      if random.next().isMultiple(of: 4) {
        let count = Int(random.next() % UInt64(expected.count + 2))
        recent.finish(count)
        expected.removeLast(max(0, expected.count - count))
        #expect(recent.wholeCount == (count == expected.count ? count : nil))
      }
      #expect(recent.fields == expected)
      for (place, field) in expected.enumerated() {
        let line = Array("\(field.name.uppercased()):\(field.value) ".utf8)
        #expect(recent.has(at: place, line: line.span) == isLine)
        #expect(
          recent.has(at: place, field.name.utf8.span, field.value.utf8.span) == !isLine
        )
        #expect(recent.byteCount(at: place) == field.name.utf8.count + field.value.utf8.count)
      }
    }
  }

  @Test("A field that found no room does not make a later request the one before it")
  func field_withoutRoom_isNotTheOldOne() {
    func text(_ value: String) -> String { "GET / HTTP/1.1\nHost: a\nX-Name: \(value)\n\n" }
    let long = String(repeating: "v", count: RecentFields.byteCountMax)
    let input = HTTP1Input(text("one") + text(long) + text("one") + text("one") + text("two"))
    #expect(input.requests.map { $0.head.fields["x-name"] } == ["one", long, "one", "one", "two"])
    #expect(input.isTheSameInPieces)
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
