import StrictJSON
import Testing
import TestingContracts

@testable import RPCKitHTTP

@Suite("Streams as server-sent events")
struct EventStreamTests {
  private static let accept: HTTPFields = ["accept": "text/event-stream"]

  @Test("Bytes: the pause, then each message with its id, its type and its data, and how it ended")
  func stream_isEvents() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/shelves/s:follow", Self.accept))
    #expect(answer.status == 200 && answer.isComplete)
    #expect(answer.fields["content-type"] == "text/event-stream")
    #expect(answer.fields["cache-control"] == "no-store")
    #expect(answer.fields["x-accel-buffering"] == "no")
    let events = try EventText.events(answer.text)
    #expect(events.map(\.type) == ["heartbeat", "book", "end"])
    #expect(events.map(\.id) == ["t1", "t2", ""])
    #expect(events[1].data["kind"]?.string == "SHELF_EVENT_KIND_BOOK")
    #expect(events[1].data["book"]?.object?["title"]?.string == "Sea")
    #expect(events[2].data == ["status": "success"])
    // The first of them byte by byte: a pause, and an event that a blank line ends.
    #expect(
      answer.text.hasPrefix(
        """
        retry: 3000

        id: t1
        event: heartbeat
        data: {"kind":"SHELF_EVENT_KIND_HEARTBEAT","resumeToken":"t1"}


        """
      )
    )
    #expect(answer.text.hasSuffix("event: end\ndata: {\"status\":\"success\"}\n\n"))
  }

  @Test(
    "Only for those who name the type, beside others and with parameters",
    arguments: [
      ("text/event-stream", true), ("application/json, text/event-stream;q=0.9", true),
      ("Text/Event-Stream", true), ("application/x-ndjson", false), ("*/*", false),
      ("text/event-streams", false),
    ]
  )
  func accept_chooses(_ accept: String, _ isEvents: Bool) throws {
    let stage = try RESTStage()
    let answer = try #require(
      try stage.send("GET", "/test/shelves/s:follow", ["accept": accept])
    )
    let type = isEvents ? "text/event-stream" : "application/x-ndjson"
    #expect(answer.fields["content-type"] == type)
    #expect(answer.text.hasPrefix("{\"data\":") == !isEvents)
    // A stream whose contract does not say so has lines for everybody.
    let lines = try #require(try stage.send("GET", "/test/books:watch", ["accept": accept]))
    #expect(lines.fields["content-type"] == "application/x-ndjson")
    #expect(lines.fields["x-accel-buffering"] == "no")
  }

  @Test("The id of the last event is the request's token, unless that is in the query as well")
  func lastEventID_isToken() throws {
    let stage = try RESTStage()
    for target in ["/test/shelves/s:follow", "/test/shelves/s:follow?resumeToken=t2"] {
      let fields: HTTPFields = target.contains("?") ? Self.accept : ["last-event-id": "t2"]
      _ = try stage.send("GET", target, fields)
      let request = stage.library.lastRequest(Testing_V1.FollowShelfRequest.self)
      #expect(request?.resumeToken == "t2", "\(target)")
      #expect(request?.shelfId == "s")
    }
    let count = stage.library.requestCount
    for name in ["resumeToken", "resume_token"] {
      let both = try #require(
        try stage.send("GET", "/test/shelves/s:follow?\(name)=t1", ["last-event-id": "t2"])
      )
      #expect(both.status == 400 && both.field == "resumeToken")
    }
    // What is too long is refused as in the query.
    let long = String(repeating: "t", count: 65)
    let refused = try #require(
      try stage.send("GET", "/test/shelves/s:follow", ["last-event-id": long])
    )
    #expect(refused.status == 400 && refused.field == "resumeToken")
    #expect(stage.library.requestCount == count)
    // An empty one is none, and other methods do not read it.
    _ = try stage.send("GET", "/test/shelves/s:follow", ["last-event-id": ""])
    let books = try #require(try stage.send("GET", "/test/books", ["last-event-id": "t2"]))
    #expect(books.status == 200)
  }

  @Test("An error before the first event is an answer, one after it an event")
  func error_isAnswerOrEvent() throws {
    let stage = try RESTStage()
    let refused = try #require(
      try stage.send("GET", "/test/shelves/refused:follow", Self.accept)
    )
    #expect(refused.status == 403 && refused["status"]?.string == "error")
    #expect(refused.fields["content-type"] == "application/json")
    let broken = try #require(try stage.send("GET", "/test/shelves/broken:follow", Self.accept))
    let events = try EventText.events(broken.text)
    #expect(events.map(\.type) == ["heartbeat", "book", "error"])
    #expect(events.last?.data["message"]?.string == "broken")
    #expect(events.last?.data["details"]?.object?["code"]?.string == "UNAVAILABLE")
    #expect(broken.isComplete)
    let empty = try #require(try stage.send("GET", "/test/shelves/empty:follow", Self.accept))
    let ending = try EventText.events(empty.text)
    #expect(ending.map(\.type) == ["end"])
  }

  @Test("Line feeds of texts end no event, and an id with one is left out")
  func lineFeeds_areEscaped() throws {
    let stage = try RESTStage()
    let answer = try #require(try stage.send("GET", "/test/shelves/odd:follow", Self.accept))
    let events = try EventText.events(answer.text)
    #expect(events.map(\.type) == ["heartbeat", "book", "message", "end"])
    #expect(events.map(\.id) == ["t1", "t2", "", ""])
    let title = events[1].data["book"]?.object?["title"]?.string
    #expect(title == "line\nfeed \u{2028} end")
  }
}
