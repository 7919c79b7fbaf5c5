import PeerContracts
import TenancyContracts
import RPCKit
import RPCKitTesting
import ServiceKit
import Testing

@testable import ServiceTesting
@testable import TenancyService

@Suite("Lists of documents")
struct DocumentListTests {
  /// Twelve documents, each made a second after the one before it.
  private func fill(_ ada: DocumentClient) async throws {
    for number in 0..<12 {
      let id = "m\((number * 7) % 12)"
      ada.stage.clock.advance(1000)
      try await ada.put(id, #"{"level":\#(number % 5),"kind":"k\#(number % 3)","n":\#(number)}"#)
    }
  }

  @Test("Pages together are the whole collection, once each, in every order and both directions")
  func pages_areComplete() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await fill(ada)
      try await stage.documents(of: "usr_ada", in: "sessions").put("s1")
      stage.clock.advance(1000)
      try await ada.put("m7", #"{"n":-1}"#)
      let made = (0..<12).map { "m\(($0 * 7) % 12)" }
      let orders: [(String, String, [String])] = [
        ("", "", made.sorted()), ("id", "", made.sorted()), ("created_at", "", made),
        ("updated_at", "", made.filter { $0 != "m7" } + ["m7"]),
        ("", "n", ["m7"] + made.filter { $0 != "m7" }),
      ]
      for (sortBy, field, expected) in orders {
        for isDescending in [false, true] {
          let pages = try await ada.pages { request in
            request.sortBy = sortBy
            request.sortField = field
            request.descending = isDescending
            request.pageSize = 5
          }
          let order = isDescending ? expected.reversed() : expected
          #expect(pages.flatMap { $0 } == order, "\(sortBy) \(field) \(isDescending)")
          #expect(pages.map(\.count) == [5, 5, 2])
        }
        guard !sortBy.isEmpty else { continue }
        for minus in Self.minuses(sortBy) {
          let pages = try await ada.pages { $0.sortBy = minus }
          #expect(pages == [expected.reversed()], "\(minus)")
        }
      }
      let page = try await ada.calls.list(.init(collection: "moods"), options: ada.options)
      #expect(page.totalSize == 12)
    }
  }

  /// The names of the other direction of an order.
  private static func minuses(_ order: String) -> Set<String> {
    ["-\(order)", "-\(order.replacing("_at", with: "At"))"]
  }

  @Test("Sorted by a field, documents without a value come first, then numbers, then texts")
  func sortField_ofSeveralKinds() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let values = [
        "a": "null", "b": "[1]", "c": "-1e300", "d": "-7", "e": "false", "f": "0.5", "g": "true",
        "h": "9007199254740993", "i": "9007199254740994", "j": #""""#, "k": #""Z""#, "l": #""a""#,
        "m": #""é""#,
      ]
      for (id, value) in values { try await ada.put(id, #"{"x":{"y":\#(value)}}"#) }
      for size: UInt32 in [1, 2, 1000] {
        for isDescending in [false, true] {
          let ids = try await ada.pages { request in
            request.sortField = "x.y"
            request.pageSize = size
            request.descending = isDescending
          }.flatMap { $0 }
          let order = values.keys.sorted()
          #expect(ids == (isDescending ? order.reversed() : order))
        }
      }
    }
  }

  @Test("Filters compare values of one kind, and all of them must hold")
  func filters() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let documents = [
        "a": #"{"level":3,"tags":{"place":"home"},"day":"2026-01-31"}"#,
        "b": #"{"level":4.5,"tags":{"place":"office"},"day":"2026-02-01","flag":true}"#,
        "c": #"{"level":"3","tags":{},"day":"2026-02-28"}"#,
        "d": #"{"level":9007199254740993,"tags":{"place":null}}"#,
      ]
      for (id, json) in documents { try await ada.put(id, json) }
      func found(_ filters: Tenancy_V1.DocumentFilter...) async throws -> [String] {
        try await ada.pages { $0.filters = filters }.flatMap { $0 }
      }
      #expect(try await found(.init(field: "level", values: ["3"])) == ["a"])
      #expect(try await found(.init(field: "level", values: [#""3""#, "4.5"])) == ["b", "c"])
      #expect(try await found(.init(field: "level", values: ["3.0", "45e-1"])) == ["a", "b"])
      #expect(try await found(.init(field: "level", values: ["9007199254740992"])) == [])
      #expect(try await found(.init(field: "level", atLeast: "4")) == ["b", "d"])
      #expect(try await found(.init(field: "level", atLeast: "3", atMost: "4.5")) == ["a", "b"])
      #expect(try await found(.init(field: "tags.place", prefix: "o")) == ["b"])
      #expect(try await found(.init(field: "tags.place", values: ["null"])) == ["c", "d"])
      #expect(try await found(.init(field: "flag", values: ["true"])) == ["b"])
      let february = Tenancy_V1.DocumentFilter(
        field: "day",
        atLeast: #""2026-02-01""#,
        atMost: #""2026-02-31""#
      )
      #expect(try await found(february) == ["b", "c"])
      #expect(try await found(february, .init(field: "level", values: [#""3""#])) == ["c"])
      #expect(try await found(.init(field: "nowhere", atLeast: "0")) == [])
    }
  }

  @Test("A filtered list looks at a thousand documents a page, and finds all of them in the end")
  func filters_ofALargeCollection() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      for batch in 0..<5 {
        try await ada.write(
          (0..<500).map { ada.putting("m\(10_000 + batch * 500 + $0)", #"{"n":\#($0)}"#) }
        )
      }
      let filter = Tenancy_V1.DocumentFilter(field: "n", values: ["499"])
      let pages = try await ada.pages { $0.filters = [filter] }
      #expect(pages == [["m10499", "m10999"], ["m11499", "m11999"], ["m12499"]])
      let page = try await ada.calls.list(
        .init(collection: "moods", filters: [filter]),
        options: ada.options
      )
      #expect(page.totalSize == nil)
      let empty = try await ada.calls.list(.init(collection: "none"), options: ada.options)
      #expect(empty.totalSize == 0)
    }
  }

  @Test("Documents of 200 KiB are all listed, a few a page")
  func pages_ofLargeDocuments() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      let text = String(repeating: "x", count: 200 << 10)
      for number in 10..<24 { try await ada.put("m\(number)", #"{"text":"\#(text)"}"#) }
      let pages = try await ada.pages()
      #expect(pages.flatMap { $0 } == (10..<24).map { "m\($0)" })
      #expect(pages.count == 2)
      let filtered = try await ada.pages { $0.filters = [.init(field: "text", prefix: "xx")] }
      #expect(filtered.flatMap { $0 } == (10..<24).map { "m\($0)" })
    }
  }

  @Test("A page token is of use to nobody else, and for no other list")
  func pageToken_elsewhere_isRefused() async throws {
    try await TenancyStage.run { stage in
      let (ada, eve) = (stage.documents(of: "usr_ada"), stage.documents(of: "usr_eve"))
      try await ada.write((0..<3).map { ada.putting("m\($0)") })
      var request = Tenancy_V1.ListDocumentsRequest(collection: "moods", pageSize: 1)
      request.pageToken = try await ada.calls.list(request, options: ada.options).nextPageToken
      let invalid = Refusal(.invalidArgument, "PAGE_TOKEN_INVALID")
      let ofEve = try await refusal {
        try await eve.calls.list(request, options: eve.options)
      }
      #expect(ofEve == invalid)
      let changes: [(inout Tenancy_V1.ListDocumentsRequest) -> Void] = [
        { $0.collection = "sessions" }, { $0.descending = true }, { $0.sortBy = "created_at" },
        { $0.sortField = "n" }, { $0.filters = [.init(field: "n", values: ["1"])] },
      ]
      for change in changes {
        var other = request
        change(&other)
        #expect(
          try await refusal { try await ada.calls.list(other, options: ada.options) } == invalid
        )
      }
    }
  }

  @Test("A collection that is too large is not sorted by a field, but by everything else")
  func sortField_ofTooMuch_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m1")
      // As if there were more documents than that.
      _ = try await stage.service.database.write { tx in
        try tx.execute("UPDATE document_usage SET document_count = 10001")
      }
      let refused = try await refusal { try await ada.pages { $0.sortField = "n" } }
      #expect(refused == Refusal(.failedPrecondition, "COLLECTION_TOO_LARGE_TO_SORT"))
      #expect(try await ada.pages { $0.sortBy = "updated_at" } == [["m1"]])
    }
  }

  @Test("A user who sorts too much by fields waits, and nobody else does")
  func sortField_pastTheBudget_isRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      for part in 0..<4 {
        try await ada.write(
          (0..<500).map { ada.putting("m\(part * 500 + $0)", #"{"n":\#($0)}"#) }
        )
      }
      var request = Tenancy_V1.ListDocumentsRequest(collection: "moods", pageSize: 1)
      request.sortField = "n"
      let sorting = request
      func sort(_ client: DocumentClient) async throws -> Refusal? {
        try await refusal { _ = try await client.calls.list(sorting, options: client.options) }
      }
      let count = DocumentLimits.sortedAtOnceMax / 2000
      for _ in 0..<count { #expect(try await sort(ada) == nil) }
      #expect(try await sort(ada) == Refusal(.resourceExhausted, "SORT_BUDGET_SPENT"))
      // What has an index costs nothing, and others have budgets of their own.
      _ = try await ada.calls.list(.init(collection: "moods"), options: ada.options)
      #expect(try await sort(stage.documents(of: "usr_bob")) == nil)
      stage.clock.advance(DocumentLimits.sortWindow / 20)
      #expect(try await sort(ada) == nil)
    }
  }

  @Test("Few of a user's sorts wait at a time, whatever they turn out to cost")
  func sortField_manyAtOnce_areRefused() async throws {
    try await TenancyStage.run { stage in
      let ada = stage.documents(of: "usr_ada")
      try await ada.put("m", #"{"n":1}"#)
      var request = Tenancy_V1.ListDocumentsRequest(collection: "moods")
      request.sortField = "n"
      let sorting = request
      let waitingMax = Int(DocumentLimits.sortedAtOnceMax / DocumentLimits.sortedCountMax)
      let refused = RefusalCounter()
      let hold = await ReaderHold(stage.service.database)
      try await withThrowingTaskGroup(of: Refusal?.self) { group in
        for _ in 0..<(2 * waitingMax) {
          group.addTask { [calls = ada.calls, options = ada.options] in
            let result = try await refusal { _ = try await calls.list(sorting, options: options) }
            if result != nil { refused.count.withLock { $0 += 1 } }
            return result
          }
        }
        #expect(await stage.eventually { refused.count.withLock { $0 } == waitingMax })
        try await hold.end()
        for try await result in group where result != nil {
          #expect(result == Refusal(.resourceExhausted, "SORT_BUDGET_SPENT"))
        }
      }
      #expect(refused.count.withLock { $0 } == waitingMax)
      // What they did not cost came back.
      for _ in 0..<(2 * waitingMax) {
        _ = try await ada.calls.list(sorting, options: ada.options)
      }
    }
  }
}

/// Counts what several tasks were refused.
private final class RefusalCounter: Sendable {
  let count = Lock(0)
}
