import PeerContracts
import RPCKit
import RPCKitTesting
import TenancyContracts
import Testing

@testable import TenancyService

@Suite("Lists of entities in the order of an attribute")
struct AttributeOrderTests {
  private static let books: [(name: String, [String: Google_Protobuf.Value.KindOneOf])] = [
    ("A", ["pages": .numberValue(30), "genre": .stringValue("rare"), "price": .numberValue(9)]),
    ("B", ["pages": .numberValue(4), "genre": .stringValue("fiction"), "price": .numberValue(1)]),
    ("C", ["genre": .stringValue("science"), "lendable": .boolValue(false)]),
    ("D", ["pages": .numberValue(200), "price": .numberValue(5)]),
    ("E", ["pages": .numberValue(30)]),
  ]

  private static func run(_ body: (TenancyStage) async throws -> Void) async throws {
    try await ReadingRoom.run { stage in
      let library = try await stage.create("library", by: "usr_hanna").id
      let shelf = try await stage.create("shelf", under: library, by: "usr_hanna").id
      try await stage.grant("reader", on: library, to: "usr_rosa", by: "usr_hanna")
      for (name, attributes) in books {
        _ = try await stage.create("book", under: shelf, name: name, attributes, by: "usr_hanna")
        stage.clock.advance(1)
      }
      try await body(stage)
    }
  }

  /// The names of books, page by page, and how many all pages have.
  private static func names(
    _ stage: TenancyStage,
    _ sortBy: String,
    by user: String = "usr_hanna",
    filters: [Tenancy_V1.AttributeFilter] = [],
    text: String = ""
  ) async throws -> (String, total: UInt64?) {
    var request = Tenancy_V1.ListEntitiesRequest(type: "book", text: text, filters: filters)
    (request.sortBy, request.pageSize) = (sortBy, 2)
    var (names, total) = ("", UInt64?.none)
    repeat {
      let page = try await stage.entities.list(request, options: .by(user))
      #expect(page.entities.count <= 2)
      names += page.entities.map(\.name).joined()
      total = page.totalSize
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return (names, total)
  }

  @Test(
    "Numbers, choices in the policy's order and flags; without a value last in either direction",
    arguments: [
      ("pages", "BAEDC"), ("-pages", "DEABC"), ("genre", "BCADE"), ("-genre", "ACBED"),
      ("lendable", "CABDE"), ("price", "BDACE"),
    ]
  )
  func list_isSorted(_ sortBy: String, _ expected: String) async throws {
    try await Self.run { stage in
      let (names, total) = try await Self.names(stage, sortBy)
      #expect(names == expected && total == 5)
    }
  }

  @Test("Nobody learns from the order what they cannot see")
  func list_byHidden_isNotSorted() async throws {
    try await Self.run { stage in
      // Rosa sees no price: the order of the identifiers, which is that of creation.
      let (up, _) = try await Self.names(stage, "price", by: "usr_rosa")
      let (down, _) = try await Self.names(stage, "-price", by: "usr_rosa")
      #expect(up == "ABCDE" && down == "EDCBA")
    }
  }

  @Test("Filters and texts narrow it, the total stays true, and pages have numbers")
  func list_narrowed_isCounted() async throws {
    try await Self.run { stage in
      let many = Tenancy_V1.AttributeFilter(name: "pages", atLeast: 10)
      let filtered = try await Self.names(stage, "-pages", filters: [many])
      #expect(filtered.0 == "DEA" && filtered.total == 3)
      let named = try await Self.names(stage, "pages", text: "d")
      #expect(named.0 == "D" && named.total == 1)
      let second = try await stage.entities.list(
        .init(type: "book", filters: [many], sortBy: "-pages", pageSize: 2, page: 2),
        options: .by("usr_hanna")
      )
      #expect(second.entities.map(\.name) == ["A"] && second.totalSize == 3)
      #expect(second.nextPageToken.isEmpty)
    }
  }

  @Test("More than 10,000 entities are not sorted")
  func sort_tooLarge_isRefused() async throws {
    try await Self.run { stage in
      let core = stage.service.core
      func found(atMost limit: Int) async throws -> [String]? {
        try await core.accessible(
          EntityList(action: "book.view", type: "book"),
          subject: "usr_hanna",
          assurance: nil,
          atMost: limit
        )
      }
      #expect(AttributeOrder.countMax == 10_000)
      #expect(try AttributeOrder.sortable(await found(atMost: 5)).count == 5)
      let tooMany = try await found(atMost: 4)
      let error = #expect(throws: RPCError.self) { try AttributeOrder.sortable(tooMany) }
      #expect(error.map(Refusal.init) == Refusal(.failedPrecondition, "SORT_TOO_LARGE"))
    }
  }

  @Test("What is no attribute is refused by name, and a token is good for its order alone")
  func list_unknown_isRefused() async throws {
    try await Self.run { stage in
      for sortBy in ["shelf", "-colour", "updated_at"] {
        let refused = try await refusal { try await Self.names(stage, sortBy) }
        #expect(refused == Refusal(.invalidArgument, "SORT_UNKNOWN"), "\(sortBy)")
      }
      var request = Tenancy_V1.ListEntitiesRequest(type: "book", sortBy: "pages", pageSize: 2)
      request.pageToken = try await stage.entities.list(request, options: .by("usr_hanna"))
        .nextPageToken
      request.sortBy = "genre"
      let asked = request
      let refused = try await refusal {
        try await stage.entities.list(asked, options: .by("usr_hanna"))
      }
      #expect(refused == Refusal(.invalidArgument, "PAGE_TOKEN_INVALID"))
    }
  }
}
